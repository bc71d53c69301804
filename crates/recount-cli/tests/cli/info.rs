//! `recount info`

use recount_blg::{BlgWriter, Entry, RecordBuf, TraceHeader};
use recount_model::{CounterType, Timestamp};
use serde_json::{Value, json};

use super::run::{Outputs, recount, recount_with_input, sample};

/// The offsets are those of the damaged bytes.
#[test]
fn damage_is_reported_with_byte_offsets() {
    let path = sample("damaged.blg");
    let (whole, damaged) = (std::fs::read(sample("objects.blg")), std::fs::read(&path).expect("a file"));
    let whole = whole.expect("a file");
    let flipped = (0..damaged.len()).find(|at| whole[*at] != damaged[*at]).expect("a flipped byte");
    let torn = damaged.len() / 0x4000 * 0x4000;

    let done = recount(&["info", &path]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(1), ""));
    assert!(done.stdout.contains("samples               7,"), "{}", done.stdout);
    let findings: Vec<&str> = done.stdout.lines().filter(|line| line.starts_with("  finding ")).collect();
    assert!(findings.iter().any(|line| line.contains(&format!("{flipped:#x}"))), "{findings:?}");
    assert!(
        findings
            .iter()
            .any(|line| line.contains(&format!("truncated: buffer.FilledBytes at byte {:#x}", torn + 48)))
    );

    let json = recount(&["info", "--json", &path]);
    assert_eq!(json.code, Some(1));
    let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(json[0]["num_findings"], json!(findings.len()));
    let told = json[0]["findings"].as_array().expect("findings");
    assert!(
        told.iter()
            .any(|finding| finding.as_str().is_some_and(|text| text.contains("PERF_DATA_BLOCK.Signature")))
    );
}

#[test]
fn daylight_saving_time_is_that_of_the_first_sample() {
    let text = recount(&["info", &sample("counters-dst.blg")]).fine();
    assert!(
        text.contains("\nzone                  W. Europe Daylight Time (UTC +02:00 at the first sample)\n")
    );
    assert!(text.contains("\nlocal                 2019-10-27T01:40:00 .. 2019-10-27T03:20:00\n"), "{text}");
}

#[test]
fn several_captures_one_after_the_other() {
    let paths = [sample("objects.blg"), sample("circular.blg")];
    let text = recount(&["info", &paths[0], &paths[1]]).fine();
    let files: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("file ")).map(str::trim).collect();
    assert_eq!(files, paths);
    let json: Value =
        serde_json::from_str(&recount(&["info", "--json", &paths[0], &paths[1]]).fine()).expect("JSON");
    assert_eq!((&json[0]["num_samples"], &json[1]["num_samples"]), (&json!(8), &json!(30)));
}

#[test]
fn dumps_of_one_machine_are_one_capture() {
    let names = sample("series/Counter 009.txt");
    let dumps = ["series/3.bin", "series/1.bin", "series/2.bin"].map(sample);
    let text = recount(&["info", "--names", &names, &dumps[0], &dumps[1], &dumps[2]]).fine();
    assert_eq!(text.matches("\nsamples ").count(), 1, "{text}");
    assert!(text.contains("samples               3, median interval 10 s"), "{text}");
    assert!(text.contains("  object              Network Interface: 2 counters, 1 instance"), "{text}");
}

#[test]
fn standard_input_is_a_capture() {
    let bytes = std::fs::read(sample("circular.blg")).expect("a file");
    let (code, stdout) = recount_with_input(&["info", "-", "--json"], bytes);
    let json: Value = serde_json::from_slice(&stdout).expect("JSON");
    assert_eq!((code, &json[0]["num_samples"], &json[0]["files"]), (Some(0), &json!(30), &json!(["-"])));
}

/// A counter list of Windows Server 2003 that asks four machines, two samples 60 s apart. The raw count of entry `n` is
/// `100 * sample + n`.
fn log_of_four_machines() -> Vec<u8> {
    const PATHS: [(&str, &str, &str); 6] = [
        ("WEB1", "Processor", "_Total"),
        ("WEB2", "Processor", "_Total"),
        ("DB1", "Processor", "_Total"),
        ("DB1", "PhysicalDisk", "0 C:"),
        ("DB1", "PhysicalDisk", "1 D:"),
        ("DB2", "Processor", "_Total"),
    ];
    let time = |text: &str| Timestamp::from_jiff(text.parse().expect(text));
    let times = ["2008-02-19T10:00:00Z", "2008-02-19T10:01:00Z"].map(time);
    let header = TraceHeader {
        len_buffer: 0x1_0000,
        os_version: [5, 2, 1, 5],
        os_build: 3790,
        len_pointer: 4,
        start_time: times[0],
        perf_freq: 3_579_545,
        ..TraceHeader::default()
    };
    let entries = PATHS.map(|(host, object, instance)| Entry {
        kind: 0,
        counter_type: CounterType(0x0001_0000),
        time_base: 3_579_545,
        default_scale: 0,
        host: host.to_owned(),
        object: object.to_owned(),
        instance: Some(instance.to_owned()),
        parent: None,
        index: 0,
        counter: "Queue Length".to_owned(),
    });
    let mut log =
        BlgWriter::new(std::io::Cursor::new(Vec::new()), header, *b"recount test log").expect("a log");
    log.counter_list(times[0], &entries).expect("a list");
    for (sample, time) in times.into_iter().enumerate() {
        let value =
            |n: usize| RecordBuf::Single { status: 0, first: (100 * sample + n) as u64, second: 0, multi: 1 };
        log.data_block(time, &(0..PATHS.len()).map(value).collect::<Vec<_>>()).expect("a sample");
    }
    log.finish(times[1]).expect("closed").into_inner()
}

#[test]
fn objects_of_many_machines_are_listed_once() {
    let outputs = Outputs::new();
    let path = outputs.path("fleet.blg");
    std::fs::write(&path, log_of_four_machines()).expect("a file");
    let text = recount(&["info", &path]).fine();
    for line in [
        "host                  WEB1, WEB2, DB1, DB2",
        "system                Windows 5.2 build 3790 32-bit",
        "counters              6 paths of 2 objects on 4 machines",
        "  object              Processor: 1 counter, 1 instance on each of 4 machines",
        "  object              PhysicalDisk: 1 counter, 2 instances on DB1",
        "health                sound",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert_eq!(text.lines().filter(|line| line.starts_with("  object")).count(), 2, "{text}");
    let json: Value = serde_json::from_str(&recount(&["info", "--json", &path]).fine()).expect("JSON");
    let of_db1 = json[0]["objects"].as_array().expect("objects").iter().filter(|one| one["host"] == "DB1");
    assert_eq!(of_db1.map(|one| &one["num_instances"]).collect::<Vec<_>>(), [&json!(1), &json!(2)]);

    let csv = outputs.path("fleet.csv");
    recount(&["convert", &path, "-o", &csv]);
    let csv = std::fs::read_to_string(csv).expect("a table");
    let last = csv.lines().last().expect("a row").to_owned();
    let head: Vec<&str> = csv.lines().next().expect("a head").split(',').skip(1).collect();
    let row: Vec<&str> = last.split(',').skip(1).collect();
    let value = |path: &str| head.iter().position(|name| name.trim_matches('"') == path).map(|at| row[at]);
    for (path, expected) in [
        (r"\\WEB1\Processor(_Total)\Queue Length", "\"100\""),
        (r"\\DB1\Processor(_Total)\Queue Length", "\"102\""),
        (r"\\DB1\PhysicalDisk(1 D:)\Queue Length", "\"104\""),
        (r"\\DB2\Processor(_Total)\Queue Length", "\"105\""),
    ] {
        assert_eq!(value(path), Some(expected), "{path}\n{csv}");
    }
}

/// These read the shared captures.
mod stored {
    use super::super::run::tx_basic;
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn the_real_log_in_short() {
        let text = recount(&["info", &tx_basic()]).fine();
        for line in [
            "format                Windows performance log (.blg), counter list",
            "host                  GEORGIS3",
            "system                Windows 6.2 build 9200 64-bit",
            "zone                  Pacific Standard Time (UTC -08:00 at the first sample)",
            "UTC                   2013-02-20T02:50:17.844Z .. 2013-02-20T03:00:17.84Z",
            "local                 2013-02-19T18:50:17.844 .. 2013-02-19T19:00:17.84",
            "samples               601, median interval 1 s",
            "counters              10 paths of 2 objects",
            "  object              PhysicalDisk: 5 counters, 1 instance",
            "  object              Processor: 1 counter, 5 instances",
            "health                sound",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn the_real_log_as_json() {
        let text = recount(&["info", "--json", &tx_basic()]).fine();
        let all: Value = serde_json::from_str(&text).expect("JSON");
        let info = &all[0];
        assert_eq!(all.as_array().map(Vec::len), Some(1));
        for (field, value) in [
            ("num_samples", json!(601)),
            ("hosts", json!(["GEORGIS3"])),
            ("first_sample", json!("2013-02-20T02:50:17.844Z")),
            ("last_sample", json!("2013-02-20T03:00:17.84Z")),
            ("first_sample_local", json!("2013-02-19T18:50:17.844")),
            ("zone", json!("Pacific Standard Time")),
            ("zone_bias_min", json!(480)),
            ("num_gaps", json!(0)),
            ("num_paths", json!(10)),
            ("is_sound", json!(true)),
            ("num_findings", json!(0)),
            (
                "objects",
                json!([
                    { "host": "GEORGIS3", "object": "PhysicalDisk", "num_counters": 5, "num_instances": 1 },
                    { "host": "GEORGIS3", "object": "Processor", "num_counters": 1, "num_instances": 5 },
                ]),
            ),
        ] {
            assert_eq!(info[field], value, "{field}");
        }
    }
}
