//! What a recording says about processes, and what it keeps to itself.
#![cfg(all(target_os = "linux", feature = "record"))]

use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use recount::{Interrupts, RecordOptions, open, record};
use recount_capture::CaptureError;
use recount_model::{ProcessDescription, ProcessNote, Timestamp};

const SECRET: &str = "s3cr3t-Xq81";

/// Records three samples.
fn recorded(log: &Path) {
    let mut options = RecordOptions::default();
    options.output = Some(log.to_owned());
    options.interval = Some(Duration::from_millis(200));
    options.count = Some(3);
    record(&options, &Interrupts::new().expect("interrupts"), &mut |_| {}).expect("recorded");
}

fn descriptions(log: &Path) -> Vec<ProcessDescription> {
    let capture = open(log).expect("a log");
    let mut found = Vec::new();
    let span = (Timestamp(i64::MIN), Timestamp(i64::MAX));
    let health = capture.source.processes(span, &mut |note| {
        if let ProcessNote::Described(described) = note {
            found.push(described);
        }
        ControlFlow::Continue(())
    });
    assert!(health.is_complete());
    found
}

struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn secrets_are_nowhere_in_the_log() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = dir.path().join("a.rcap");
    let command = |words: &[String]| {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 3", "sh"]).args(words);
        Ended(command.spawn().expect("started"))
    };
    let _living = [
        command(&["--password".into(), SECRET.into()]),
        command(&[format!("PGPASSWORD={SECRET}"), format!("https://me:{SECRET}@host/")]),
        command(&["-H".into(), format!("Authorization: Bearer {SECRET}")]),
    ];
    recorded(&log);
    let found = descriptions(&log);
    let is_ours = |described: &&ProcessDescription| described.command.join(" ").contains("sleep 3 sh");
    let ours: Vec<_> = found.iter().filter(is_ours).collect();
    // One may be described twice: as it was forked, and as it became what it is.
    let pids: std::collections::BTreeSet<u32> = ours.iter().map(|described| described.pid).collect();
    assert_eq!(pids.len(), 3, "{found:?}");
    assert!(ours.iter().all(|described| described.command.join(" ").contains("***")));
    let bytes = std::fs::read(&log).expect("there");
    let has_secret = |bytes: &[u8]| bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
    assert!(!has_secret(&bytes));
    // And decompressed.
    let file = std::fs::File::open(&log).expect("there");
    let log = recount_capture::Log::open(Box::new(file)).expect("a log");
    let mut len = 0;
    let read = log.for_each_record::<CaptureError>(|_, record| {
        let record = record.expect("sound");
        len += record.len();
        assert!(!has_secret(record));
        Ok(())
    });
    assert!(read.is_ok() && len > 10_000);
}
