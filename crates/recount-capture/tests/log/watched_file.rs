//! What other programs do to the file of an open log.

use std::path::Path;

use recount_capture::{FileState, LogWriter, WriterOptions};
use recount_model::{Facts, Sink};

fn begun(path: &Path) -> LogWriter {
    let mut writer = LogWriter::create(path, WriterOptions::default()).expect("new");
    writer.facts(&Facts::new()).expect("written");
    writer
}

#[test]
fn each_state() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().canonicalize().expect("there").join(name);
    let (a, b) = (path("a.rcap"), path("b.rcap"));
    let state = |writer: &LogWriter| writer.state_of_file(&a).expect("known");

    let writer = begun(&a);
    assert_eq!(state(&writer), FileState::Sound);
    std::fs::rename(&a, &b).expect("renamed");
    #[cfg(target_os = "linux")]
    assert_eq!(state(&writer), FileState::Moved(Some(b.clone())));
    std::fs::write(&a, "another file").expect("written");
    assert!(matches!(state(&writer), FileState::Moved(_)));
    std::fs::remove_file(&b).expect("removed");
    assert_eq!(state(&writer), FileState::Removed);
    std::fs::remove_file(&a).expect("removed");

    let mut writer = begun(&a);
    let cut = |len| std::fs::File::options().write(true).open(&a).and_then(|file| file.set_len(len));
    cut(60).expect("cut");
    assert_eq!(state(&writer), FileState::Cut);
    cut(0).expect("cut");
    assert_eq!(state(&writer), FileState::Emptied);
    // Written at its place before anybody looked: the header is gone all the same.
    writer.facts(&Facts::new()).expect("written");
    assert_eq!(state(&writer), FileState::Emptied);
    writer.empty().expect("emptied");
    let writer = LogWriter::fill(&a, WriterOptions::default()).expect("filled");
    assert_eq!(state(&writer), FileState::Sound);
    drop(writer);
    assert!(LogWriter::fill(&a, WriterOptions::default()).is_err(), "it isn't empty anymore");
}
