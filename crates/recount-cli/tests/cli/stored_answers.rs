//! What an expert says of real logs is in the first lines of an answer (`../shared/data/answers/README.md`).

use super::run::recount;

/// The findings and changes that `report` prints of a log.
fn said(name: &str) -> String {
    let path = recount_testdata::shared_path(&format!("answers/{name}")).display().to_string();
    recount(&["-q", "report", &path]).fine()
}

/// The first five lines say all of this.
fn assert_first(name: &str, facts: &[&str]) {
    let said = said(name);
    let first: Vec<&str> = said.lines().take(5).collect();
    let first = first.join("\n");
    for fact in facts {
        assert!(first.contains(fact), "{name}: {fact:?} isn't in\n{said}");
    }
}

/// A share of the time is in %, and its threshold in the unit of the values.
#[test]
#[ignore = "reads ../shared/data"]
fn the_threshold_of_a_rate_is_one() {
    let path = recount_testdata::shared_path("pcp/good/iopct.0").display().to_string();
    let said = recount(&["-q", "report", &path]).stdout;
    let expected =
        "dd (pid 4879): Storage Write Bytes/sec was > 20 MiB/s in 98.9 % of the time: 44.7 MiB/s on average";
    assert!(said.contains(expected), "{said}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn loads_are_told_once_with_their_times() {
    assert_first(
        "arm-board-loads.sa",
        &[
            "threads (load average 11.6) were ready to run on 2 processors",
            "% Processor Time was 79 % on average for 59 min 45 s, the worst of 4 times (2 h 14 min in all), at most 100 %",
            "21:28:22Z to 22:28:07; also 20:19:25 to 20:28:21, 20:30:03 to 21:27:11, 22:28:37 to 22:37:42",
        ],
    );
    assert_eq!(said("arm-board-loads.sa").lines().count(), 5);
    assert_first(
        "es-cp1252-lab-b.tsv",
        &[
            "% Processor Time was 88.3 % on average for 4 min 57 s, the worst of 3 times (14 min 54 s in all), at most 98.4 %",
            "09:31:01.624+02:00 to 09:35:58.608; also 09:20:15.616 to 09:25:16.612, 09:25:41.628 to 09:30:37.623",
            "Network Interface(Controladora Realtek PCIe GBE Family) Bytes Total/sec",
        ],
    );
    assert_first(
        "ci-runner-job.sa",
        &[
            "on average for 20 min, the worst of 2 times (29 min 59 s in all), at most 56.9 %",
            "18:20:01-03:00 to 18:40:01",
        ],
    );
    // Its disk is idle for 96 % of the time, though a volume has a queue.
    assert!(!said("ci-runner-job.sa").contains("Requests wait"));
    assert_first("pacific-loadtest-2014.csv", &["From 00:22:44 to 00:52:44", "15.7 % instead of 0.66 %"]);
}

#[test]
#[ignore = "reads ../shared/data"]
fn memory_is_told() {
    assert_first(
        "paging-seven-minutes.csv",
        &[
            "Pages Input/sec was 5,090/s with 1.43 GiB available on average for 6 min 13 s, at most 60,140/s",
            "% Committed Bytes In Use was 90.3 %",
        ],
    );
    assert_first(
        "two-slow-leaks-60h.csv",
        &[
            "app1: Private Bytes grew from 9.54 MiB to 27.1 MiB in 59 h 59 min",
            "app3: Private Bytes grew from 14.3 MiB to 25.6 MiB",
        ],
    );
    assert!(!said("two-slow-leaks-60h.csv").contains("app2"));
    assert_first(
        "srilanka-4counters-11k-rows.csv",
        &[
            "% Processor Time was 89.6 % on average for 28 min 2 s",
            "2023-04-29T05:58:10",
            "17 steps",
            "3.58 GiB and 8.98 GiB",
        ],
    );
}

#[test]
#[ignore = "reads ../shared/data"]
fn disks_and_networks_are_told() {
    assert_first(
        "20180102.meta.xz",
        &[
            "sdb: Avg. Disk sec/Write was 119 ms with 14.3 writes/s",
            "sde: Avg. Disk sec/Write was 102 ms",
            "at most 115 ms",
            "sdd: Avg. Disk sec/Write was 89.4 ms",
        ],
    );
    assert_first(
        "cockpit-disk.tar.gz",
        &[
            "% IO Wait Time was 53 %",
            "vda: Disk Read Bytes/sec was 71.5 MiB/s on average for 2 min, at most 73.1 MiB/s",
        ],
    );
    assert_first(
        "cockpit-cpu_network.tar.gz",
        &[
            "was 84.1 % on average for 1 min",
            "05:02:46",
            "eth0: Bytes Total/sec was 86.9 MiB/s on average for 2 min, the worst of 2 times (4 min in all), at most 102 MiB/s",
        ],
    );
}

/// A path of a report can be given to other commands, whatever the capture calls the counter.
#[test]
#[ignore = "reads ../shared/data"]
fn counters_of_a_report_are_found_by_its_names() {
    for (name, path) in [
        ("arm-board-loads.sa", r"\System\Runnable Threads"),
        ("es-cp1252-lab-b.tsv", r"\Processor(_Total)\% Processor Time"),
        ("20180102.meta.xz", r"\PhysicalDisk(sdb)\Avg. Disk sec/Write"),
        ("../atop/atop_2_12.log.gz", r"\Memory\Available Bytes"),
    ] {
        let file = recount_testdata::shared_path(&format!("answers/{name}")).display().to_string();
        let counter = path.rsplit('\\').next().expect("a counter");
        let shown = recount(&["-q", "show", &file, path]).stdout;
        assert!(shown.contains(counter), "{name}: {shown}");
        let rows = recount(&["-q", "stats", &file, "-c", path]).stdout;
        assert!(rows.contains(counter), "{name}: {rows}");
        // The names that are asked for are used.
        let error = recount(&["-q", "show", "--names", "own", &file, path]).failed();
        assert!(error.contains("no counter matches"), "{name}: {error}");
    }
}
