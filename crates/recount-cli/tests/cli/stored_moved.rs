//! `recount moved` of real logs, for which is known what an expert sees

use recount_testdata::shared_path;

use super::run::recount;

/// The sentences about a span.
fn sentences(path: &str, span: &str) -> Vec<String> {
    let done = recount(&["moved", path, "--span", span, "--top", "5"]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    done.stdout.lines().map(str::to_owned).collect()
}

/// A log, or an archive of one.
fn log(name: &str) -> String {
    shared_path(&format!("answers/{name}")).display().to_string()
}

#[test]
#[ignore = "reads ../shared/data"]
fn a_busy_half_hour_begins_to_the_sample() {
    let lines = sentences(&log("srilanka-4counters-11k-rows.csv"), "2023-04-29T05:58..2023-04-29T06:26");
    assert!(
        lines[0].starts_with(
            "Between 05:57:55 and 05:58:25 Processor % Processor Time rose from 26.4 % (its median since 05:49:10) to 89.3 %"
        ),
        "{lines:?}"
    );
    assert!(lines.iter().any(|line| line.contains(" of 4 counters moved, in ")), "{lines:?}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn the_pause_between_two_runs_of_a_load_test_is_found() {
    let lines = sentences(&log("es-cp1252-lab-b.tsv"), "09:25:15..09:26:15");
    assert!(lines[0].starts_with("At 09:25:17 Processor % Processor Time fell from 89.1 %"), "{lines:?}");
    assert!(lines[0].contains("PhysicalDisk Disk Transfers/sec"), "{lines:?}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn few_samples_of_a_disk_are_compared_with_what_follows() {
    let lines = sentences(&log("cockpit-disk.tar.gz"), "07:25:40..07:27:45");
    assert!(
        lines[0].starts_with("Perhaps: ") && lines[0].contains("PhysicalDisk(vda) Disk Read"),
        "{lines:?}"
    );
    assert!(
        lines[0].contains("System Context Switches/sec, xfs read, Memory Available MBytes and 25 more"),
        "{lines:?}"
    );
    assert!(lines.iter().any(|line| line.contains("compared with the time after it")), "{lines:?}");
}

/// The minute between them has 40.7 %, which isn't what was usual. Other counters have values twice a minute.
#[test]
#[ignore = "reads ../shared/data"]
fn busy_minutes_are_one_time_if_it_never_went_back() {
    let lines = sentences(&log("cockpit-cpu_network.tar.gz"), "05:02:50..05:05:50");
    assert!(
        lines[0].contains("Processor % Processor Time rose from 20.5 % to 69.9 % for 3 min"),
        "{lines:?}"
    );
}
