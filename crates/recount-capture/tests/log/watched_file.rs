//! What other programs do to the file of an open log.

use std::path::Path;

use recount_capture::{FileState, Log, LogWriter, WriterOptions};
use recount_model::{Facts, Sink, Timestamp};

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
    cut(80).expect("cut");
    assert_eq!(state(&writer), FileState::Cut);
    cut(0).expect("cut");
    assert_eq!(state(&writer), FileState::Emptied);
    // Written at its place before anybody looked.
    writer.block(Timestamp(1), b"a block").expect("written");
    assert_eq!(state(&writer), FileState::Emptied);
    writer.empty().expect("emptied");
    let writer = LogWriter::fill(&a, WriterOptions::default()).expect("filled");
    assert_eq!(state(&writer), FileState::Sound);
    drop(writer);
    assert!(LogWriter::fill(&a, WriterOptions::default()).is_err(), "it isn't empty anymore");
}

/// Only a file that became shorter was emptied. Whatever is written over a header, what follows can be read.
#[test]
fn a_header_that_was_overwritten() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.rcap");
    for (ofs, bytes) in [
        (0, &[0; 8][..]),
        (0, &[0; 69]),
        (2, b"hello world hell"),
        (24, b"hello world hell"),
        (40, b"hello world hell"),
        (60, b"hello world hell"),
    ] {
        let mut writer = begun(&path);
        for number in 0..3 {
            writer.block(Timestamp(number), b"a block").expect("written");
        }
        assert_eq!(writer.state_of_file(&path).expect("known"), FileState::Sound);
        let mut file = std::fs::read(&path).expect("there");
        file[ofs..ofs + bytes.len()].copy_from_slice(bytes);
        std::fs::write(&path, &file).expect("written");
        assert_eq!(writer.state_of_file(&path).expect("known"), FileState::Overwritten, "{ofs}");
        let log = Log::open(Box::new(file)).expect("opens");
        assert_eq!(log.num_records(), 3, "{ofs}");
        std::fs::remove_file(&path).expect("removed");
    }
}
