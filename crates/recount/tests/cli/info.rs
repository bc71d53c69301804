//! `recount info`

use serde_json::{Value, json};

use super::run::{recount, recount_with_input, sample, tx_basic};

#[test]
fn the_real_log_in_short() {
    let text = recount(&["info", &tx_basic()]).fine();
    for line in [
        "format                Windows performance log (.blg), counter list",
        "host                  GEORGIS3",
        "system                Windows 6.2 build 9200 64-bit",
        "zone                  Pacific Standard Time (standard time is UTC -08:00)",
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

/// The offsets are those of the bytes that are wrong.
#[test]
fn damage_is_told_with_byte_offsets() {
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
    assert!(text.contains("\nzone                  W. Europe Daylight Time (standard time is UTC +01:00)\n"));
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
