//! Recording commands.

use std::io;
use std::process::Command;
use std::time::Duration;

use super::rig::{Act, Got, Memory, Rig, Shelf};
use crate::{
    EndReason, Interrupts, Log, RecordError, RecordOptions, RecordReport, Recorder, SystemClock, Taken,
};

fn record(command: Command, interrupts: Option<Act>) -> (Result<RecordReport, RecordError>, Shelf) {
    // The end of the command ends the wait, not the interval.
    record_every(Duration::from_mins(10), Rig::new(), command, interrupts)
}

fn record_every(
    interval: Duration,
    mut rig: Rig,
    command: Command,
    interrupts: Option<Act>,
) -> (Result<RecordReport, RecordError>, Shelf) {
    rig.interrupts.on_signals(crate::OnInterrupt::Ignore).expect("handlers");
    if let Some(act) = interrupts {
        act(&rig.interrupts);
    }
    let shelf = rig.shelf.clone();
    let mut begin = |_| -> io::Result<Box<dyn Log>> { Ok(Box::new(Memory { shelf: shelf.clone(), len: 0 })) };
    let recorder = Recorder {
        source: &mut rig.source,
        begin_log: &mut begin,
        clock: &mut SystemClock::new(),
        interrupts: &rig.interrupts,
        on_progress: &mut |_| (),
    };
    let options = RecordOptions { command: Some(command), ..RecordOptions::every(interval) };
    (recorder.record(options), rig.shelf)
}

#[test]
fn is_recorded_from_before_to_after() {
    let mut command = Command::new("sh");
    command.args(["-c", "exit 7"]);
    let (report, shelf) = record(command, None);
    let report = report.expect("a recording");
    let EndReason::Command(status) = report.reason else { panic!("{report:?}") };
    assert_eq!((status.code(), report.progress.num_samples, shelf.blocks().len()), (Some(7), 2, 2));
}

#[test]
fn runs_on_after_the_last_sample() {
    let mut command = Command::new("sh");
    command.args(["-c", "sleep 0.1; exit 7"]);
    let mut rig = Rig::new();
    rig.source.script = [Ok(Some(Taken::default())), Ok(None)].into();
    let (report, shelf) = record_every(Duration::from_millis(10), rig, command, None);
    let report = report.expect("a recording");
    let EndReason::Command(status) = report.reason else { panic!("{report:?}") };
    assert_eq!((status.code(), shelf.blocks().len()), (Some(7), 1));
}

#[test]
fn that_does_not_exist() {
    let (report, shelf) = record(Command::new("no-such-command-of-ours"), None);
    let error = report.expect_err("no such command");
    assert!(
        matches!(&error, RecordError::Command { source, .. } if source.kind() == io::ErrorKind::NotFound)
    );
    assert!(error.to_string().starts_with("can't run no-such-command-of-ours: "), "{error}");
    assert_eq!(shelf.got.borrow().last(), Some(&Got::Finished));
}

/// Ending the recorder ends the command.
#[test]
fn is_ended_with_the_recorder() {
    use std::os::unix::process::ExitStatusExt;
    let mut command = Command::new("sleep");
    command.arg("600");
    let (report, _) = record(command, Some(Interrupts::end));
    let report = report.expect("a recording");
    let EndReason::Command(status) = report.reason else { panic!("{report:?}") };
    assert_eq!(status.signal(), Some(15));
}
