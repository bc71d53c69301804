//! MS-PCQ sessions: streams, directories of buffers, and logs of them.

use recount_pcq::{Message, messages, opnum, request};

use super::run::{Outputs, recount, sample};

fn bytes_of(path: &str) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The buffers of the sample session as files, named as formats/ms-pcq.md#directories says.
fn directory(outputs: &Outputs) -> String {
    let stream = bytes_of(&sample("session.pcq"));
    let mut number = 0;
    for item in messages(&stream, 0) {
        let Message { header, buffer } = item.message.expect("a message");
        let file = match (header.opnum, header.request_code) {
            (opnum::ENUMERATE_COUNTER_SET, _) => "countersets.bin".to_owned(),
            (opnum::QUERY_REGISTRATION_INFO, request::COUNTER_SET) => {
                format!("{}/registration.bin", header.guid)
            }
            (opnum::QUERY_REGISTRATION_INFO, request::ENGLISH_SET_NAME) => {
                format!("{}/english-name.bin", header.guid)
            }
            (opnum::QUERY_REGISTRATION_INFO, request::ENGLISH_COUNTER_NAMES) => {
                format!("{}/english-counter-names.bin", header.guid)
            }
            (opnum::QUERY_COUNTER_INFO, _) => {
                number += 1;
                format!("query-1/{number}-info.bin")
            }
            (opnum::QUERY_COUNTER_DATA, _) => {
                number += 1;
                format!("query-1/{number}-data.bin")
            }
            other => panic!("the sample has no {other:?}"),
        };
        let path = outputs.path(&format!("session/{file}"));
        std::fs::create_dir_all(std::path::Path::new(&path).parent().expect("a parent"))
            .expect("directories");
        std::fs::write(path, buffer).expect("a buffer");
    }
    outputs.path("session")
}

fn values(input: &str) -> String {
    recount(&["convert", input, "-o", "-", "--format", "csv"]).fine()
}

#[test]
fn a_stream_goes_through_a_log_byte_for_byte() {
    let outputs = Outputs::new();
    let (stream, log, back) = (sample("session.pcq"), outputs.path("session.rcap"), outputs.path("back.pcq"));
    let text = recount(&["record", "--source", &stream, "-o", &log]).fine();
    assert!(text.contains("6 samples"), "{text}");
    let text = recount(&["unpack", &log, "-o", &back]).fine();
    assert!(text.contains("6 samples in 17 messages; 2 events omitted"), "{text}");
    assert_eq!(bytes_of(&back), bytes_of(&stream));
    assert_eq!(values(&log), values(&stream));
    assert!(recount(&["info", &log]).fine().contains("recount capture log (.rcap), MS-PCQ"));
    assert!(recount(&["verify", &log]).fine().contains("sound"));
    let chosen = recount(&["convert", &log, "-o", "-", "--format", "csv", "-c", r"\Volume(*)\*"]).fine();
    assert!(chosen.starts_with(r#""(PDH-CSV 4.0)"#) && !chosen.contains("Worker"), "{chosen}");
}

#[test]
fn a_directory_of_buffers_is_a_session() {
    let outputs = Outputs::new();
    let directory = directory(&outputs);
    assert_eq!(values(&directory), values(&sample("session.pcq")));
    let log = outputs.path("directory.rcap");
    recount(&["record", "--source", &directory, "-o", &log]).fine();
    assert_eq!(values(&log), values(&sample("session.pcq")));

    outputs.write("session/notes.txt", "what it is about");
    let done = recount(&["info", &directory]);
    assert_eq!(done.code, Some(0));
    assert!(done.stdout.contains("notes.txt: skipped: no buffer of a session"), "{}", done.stdout);
}

/// Each log of a series contains the messages that its samples need.
#[test]
fn every_log_of_a_series_stands_alone() {
    let outputs = Outputs::new();
    let log = outputs.path("part.rcap");
    recount(&["record", "--source", &sample("session.pcq"), "-o", &log, "--max-size", "4kB"]).fine();
    let files = outputs.files();
    assert!(files.len() > 1, "{files:?}");
    let mut num_samples = 0;
    for file in files {
        let text = recount(&["info", &outputs.path(&file), "--json"]).fine();
        let info: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        num_samples += info[0]["num_samples"].as_u64().expect("samples");
        assert_eq!(info[0]["objects"].as_array().map(Vec::len), Some(3), "{file}");
    }
    assert_eq!(num_samples, 6);
}

#[test]
fn aggregates_are_listed_and_selected() {
    let stream = sample("session.pcq");
    let list = recount(&["list", &stream, r"\Worker(_*)\*"]).fine();
    for path in [
        r"\Worker(_Total#1)\Items/sec",
        r"\Worker(_Average)\Queue Length",
        r"\Worker(_Minimum)\Free Bytes",
        r"\Worker(_Maximum)\Peak Bytes",
    ] {
        assert!(list.contains(path), "{path}\n{list}");
    }
    let show = recount(&["show", &stream, r"\Worker(_Maximum)\*"]).fine();
    assert!(show.contains("3,005") && show.lines().count() == 2, "{show}");
}

#[test]
fn damage_costs_a_message_and_is_reported() {
    let outputs = Outputs::new();
    let whole = bytes_of(&sample("session.pcq"));
    let places: Vec<usize> = messages(&whole, 0).map(|item| item.ofs).collect();
    let mut torn = whole.clone();
    torn.truncate(whole.len() - 5);
    let done = recount(&["info", &outputs.write("torn.pcq", torn)]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.contains("samples               5"), "{}", done.stdout);
    let mut flipped = whole;
    // The length of the fourth sample.
    let ofs = places[places.len() - 3] + 4;
    flipped[ofs + 3] = 0x7F;
    let done = recount(&["info", &outputs.write("flipped.pcq", flipped)]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.contains(&format!("message.len_message at byte {ofs:#x}")), "{}", done.stdout);
    assert!(done.stdout.contains("samples               5"), "{}", done.stdout);
}

#[test]
fn dumps_and_sessions_do_not_mix_in_a_log() {
    let outputs = Outputs::new();
    let log = outputs.path("mixed.rcap");
    let error =
        recount(&["record", "--source", &sample("session.pcq"), &sample("big-endian.bin"), "-o", &log])
            .failed();
    assert!(error.contains("a log holds samples of one format"), "{error}");
    assert!(outputs.files().is_empty());
}

#[test]
fn a_damaged_start_does_not_hide_the_rest() {
    let outputs = Outputs::new();
    let whole = bytes_of(&sample("session.pcq"));
    let mut flipped = whole.clone();
    flipped[0] ^= 1;
    for (name, bytes) in [("flipped.pcq", flipped), ("behind.pcq", [vec![0; 1 << 20], whole].concat())] {
        let done = recount(&["info", &outputs.write(name, bytes)]);
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(done.stdout.contains("samples               6"), "{}", done.stdout);
        assert!(done.stdout.contains("message.signature at byte 0x0"), "{}", done.stdout);
    }
}

/// A file that only looks like a buffer, and may be endless, is ignored.
#[cfg(unix)]
#[test]
fn pipes_and_directories_are_no_buffers() {
    let outputs = Outputs::new();
    let directory = directory(&outputs);
    let path = |name: &str| outputs.path(&format!("session/query-1/{name}"));
    std::fs::create_dir(path("50-data.bin")).expect("a directory");
    std::os::unix::fs::symlink("/dev/zero", path("51-data.bin")).expect("a link");
    let made = std::process::Command::new("mkfifo").arg(path("52-data.bin")).status().expect("mkfifo");
    assert!(made.success());
    let info = recount(&["info", &directory]);
    assert_eq!(info.code, Some(0), "{info:?}");
    for name in ["50-data.bin", "51-data.bin", "52-data.bin"] {
        assert!(info.stdout.contains(name), "{}", info.stdout);
    }
    assert!(info.stdout.contains("samples               6"), "{}", info.stdout);
}

#[test]
fn elapsed_times_on_clocks_of_their_own_go_into_blg() {
    let outputs = Outputs::new();
    let log = outputs.path("session.blg");
    recount(&["convert", "-q", &sample("session.pcq"), "-o", &log]).fine();
    let show = recount(&["show", &log, r"\Job Queue\Age"]).fine();
    let row: Vec<&str> = show.lines().last().expect("a row").split_whitespace().collect();
    assert_eq!(row[2..], ["20", "0", "10", "20", "sec", "6", "0"], "{show}");
}

/// A session whose only counterset has lost its values still says what happened to them.
#[test]
fn the_reason_is_reported_when_nothing_is_left() {
    let outputs = Outputs::new();
    let stream = bytes_of(&sample("session.pcq"));
    let mut emptied = stream.clone();
    for item in messages(&stream, 0) {
        let message = item.message.expect("a message");
        // The registrations say that they have more counters than they hold.
        if (message.header.opnum, message.header.request_code)
            == (opnum::QUERY_REGISTRATION_INFO, request::COUNTER_SET)
        {
            let start = message.buffer.as_ptr() as usize - stream.as_ptr() as usize;
            emptied[start + 24..start + 28].copy_from_slice(&0x7fff_u32.to_le_bytes());
        }
    }
    let path = outputs.path("emptied.pcq");
    std::fs::write(&path, emptied).expect("a file");
    let [csv, blg] = ["x.csv", "x.blg"].map(|name| outputs.path(name));
    let asked: [&[&str]; 8] = [
        &["show", &path],
        &["show", &path, "nothing"],
        &["stats", &path],
        &["convert", &path, "-o", &csv],
        &["convert", &path, "-o", &blg],
        &["convert", &path, "-o", &csv, "-c", "nothing"],
        &["diff", &path, &path],
        &["top", &path],
    ];
    for arguments in asked {
        let run = recount(arguments).failed();
        assert!(run.contains("NumCounters"), "{arguments:?}: {run}");
        let errors: Vec<&str> = run.lines().filter_map(|line| line.strip_prefix("error:")).collect();
        let [error] = errors[..] else { panic!("{arguments:?}: one error: {run}") };
        assert!(!error.trim().is_empty() && !error.contains("needs at least one"), "{arguments:?}: {run}");
    }
}

/// A counterset of type 6 has its aggregates over the instances that are asked for (MS-PCQ 2.2.4.1).
#[test]
fn aggregates_are_over_the_instances_that_are_named() {
    const OFS_INSTANCE_TYPE: usize = 0x334;
    let outputs = Outputs::new();
    let mut bytes = bytes_of(&sample("session.pcq"));
    assert_eq!(bytes[OFS_INSTANCE_TYPE], 0xC, "that of Worker");
    bytes[OFS_INSTANCE_TYPE] = 6;
    let session = outputs.write("session.pcq", bytes);
    let averages = |instances: &[&str]| -> Vec<String> {
        let mut arguments = vec!["convert", &session, "-o", "-", "--format", "csv"];
        let patterns = instances.iter().map(|name| format!(r"\Worker({name})\Queue Length"));
        let patterns: Vec<String> = patterns.chain([r"\Worker(_Average)\*".to_owned()]).collect();
        arguments.extend(patterns.iter().flat_map(|pattern| ["-c", pattern]));
        let text = recount(&arguments).fine();
        let place = |line: &str| line.split(',').position(|cell| cell.contains("(_Average)"));
        let at = text.lines().next().and_then(place).unwrap_or_else(|| panic!("{text}"));
        let cell = |line: &str| line.split(',').nth(at).unwrap_or_default().trim_matches('"').to_owned();
        text.lines().skip(1).take(3).map(cell).collect()
    };
    // Of the two workers, one has 10 in its queue and the other 20.
    assert_eq!(averages(&[]), ["10", "15", "15"]);
    assert_eq!(averages(&["alpha"]), ["10", "10", "10"]);
    // Beta comes with the second sample, and rows without values are left out.
    assert_eq!(averages(&["beta"]), ["20", "20", "20"]);
    assert_eq!(averages(&["alpha", "b*"]), ["10", "15", "15"]);
}
