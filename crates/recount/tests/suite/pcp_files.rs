//! Archives of PCP that lack their descriptions: each way to name one says so.

use std::path::{Path, PathBuf};

use recount::{Capture, NameTable, OpenError, OpenOptions, Timeline, dump, open, open_all, verify};
use recount_samples::other_logs::pcp::{ArchiveBytes, COUNTER, NO_DOMAIN, Set};
use tempfile::TempDir;

/// Two volumes with a record each, after a `.meta`, if there is one.
fn folder(change: impl FnOnce(Vec<u8>) -> Option<Vec<u8>>) -> TempDir {
    const READ: u32 = 60 << 22 | 4;
    let mut archive = ArchiveBytes::new(3, "web1", "UTC");
    archive.metric(READ, "disk.all.read", 1, NO_DOMAIN, COUNTER, 0x0010_0000);
    archive.record(1_700_000_000, 0, &[Set::Place(READ, &[(-1, 1)])]);
    archive.volume();
    archive.record(1_700_000_010, 0, &[Set::Place(READ, &[(-1, 2)])]);
    let folder = tempfile::tempdir().expect("a directory");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("written");
    for (number, volume) in archive.volumes.iter().enumerate() {
        write(&format!("big.{number}"), volume);
    }
    if let Some(meta) = change(archive.meta) {
        write("big.meta", &meta);
    }
    folder
}

fn error(path: &Path) -> OpenError {
    open(path).err().unwrap_or_else(|| panic!("{} opens", path.display()))
}

/// The base name, the directory, and the volumes.
fn names(folder: &Path) -> [PathBuf; 4] {
    [folder.join("big"), folder.to_path_buf(), folder.join("big.0"), folder.join("big.1")]
}

#[test]
fn a_damaged_label_is_reported_by_any_name() {
    let folder = folder(|mut meta| {
        meta[3] ^= 0x3B;
        Some(meta)
    });
    let meta = folder.path().join("big.meta");
    let expected = format!(
        "{}: label.length and magic at byte 0x0: expected 00000084 50052602 or 00000328 50052603, found 00000313 \
         50052603",
        meta.display()
    );
    assert_eq!(error(&meta).to_string(), expected);
    for name in names(folder.path()) {
        assert_eq!(error(&name).to_string(), expected, "{}", name.display());
        assert!(error(&name).place().is_some());
    }
    let base = folder.path().join("big");
    let verified = verify(&base, &OpenOptions::default()).map(drop);
    assert_eq!(verified.expect_err("nothing to verify").to_string(), expected);
}

#[test]
fn an_empty_file_is_reported_by_any_name() {
    let folder = folder(|_| Some(Vec::new()));
    let meta = folder.path().join("big.meta");
    let expected = format!("{}: the file is empty", meta.display());
    assert_eq!(error(&meta).to_string(), expected);
    for name in names(folder.path()) {
        assert_eq!(error(&name).to_string(), expected, "{}", name.display());
    }
}

#[test]
fn a_missing_file_is_reported_by_the_base_name() {
    let folder = folder(|_| None);
    let base = folder.path().join("big");
    let expected = format!("the archive's {}.meta is missing; it holds the names", base.display());
    for name in names(folder.path()) {
        let error = error(&name).to_string();
        assert!(error.contains(&expected), "{}: {error}", name.display());
    }
    let verified = verify(&base, &OpenOptions::default()).map(drop).expect_err("nothing to verify");
    assert!(verified.to_string().contains(&expected), "{verified}");
    let dumped = dump(&base, 10, &mut Vec::new()).expect_err("nothing to dump");
    assert!(dumped.to_string().contains(&expected), "{dumped}");
    let nothing = error(&folder.path().join("other"));
    assert!(matches!(nothing, OpenError::Io { .. }), "{nothing}");
}

/// An archive that can't be read is one finding, and the others of its directory are read.
#[test]
fn other_archives_of_the_directory_are_read() {
    let folder = folder(|_| Some(b"nothing".to_vec()));
    let good = self::folder(Some);
    for name in ["meta", "0", "1"] {
        let from = good.path().join(format!("big.{name}"));
        std::fs::copy(from, folder.path().join(format!("good.{name}"))).expect("copied");
    }
    let captures = open_all(&[folder.path().to_path_buf()], &NameTable::new()).expect("one archive");
    assert_eq!(captures.len(), 1);
    let findings: Vec<String> = captures[0].notes.findings().iter().map(ToString::to_string).collect();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].contains("big.meta: left out: label"), "{findings:?}");
}

/// Files that only have such names are what their contents say.
#[test]
fn other_files_with_such_names_are_no_archive() {
    let folder = tempfile::tempdir().expect("a directory");
    for name in ["a.meta", "a.0"] {
        std::fs::write(folder.path().join(name), b"nothing").expect("written");
    }
    let error = error(&folder.path().join("a.0"));
    assert!(matches!(error, OpenError::Unknown { .. }) && error.to_string().contains("a.0"), "{error}");
}

/// The rows of archives as one time line, sorted.
fn rows(captures: &[Capture]) -> Vec<String> {
    let mut rows = Vec::new();
    for batch in Timeline::whole(captures).expect("one time line").batches().reader().expect("a reader") {
        let batch = batch.expect("a batch");
        let cells = |row: usize| batch.columns().iter().map(move |column| column.slice(row, 1));
        rows.extend((0..batch.num_rows()).map(|row| format!("{:?}", cells(row).collect::<Vec<_>>())));
    }
    rows.sort_unstable();
    rows
}

/// Which counters are in the same records may change from one archive to the next: rates go on.
#[test]
fn rates_go_on_where_the_next_archive_parts_counters() {
    const DOMAIN: u32 = 60 << 22 | 1;
    const READ: u32 = 60 << 22 | 4;
    const WRITE: u32 = 60 << 22 | 5;
    let archive = |seconds: std::ops::Range<u32>| {
        let mut archive = ArchiveBytes::new(3, "web1", "UTC");
        archive.domain(1_700_000_000, DOMAIN, &[(0, "sda"), (1, "sdb")]);
        for (metric, name) in [(READ, "disk.dev.read"), (WRITE, "disk.dev.write")] {
            archive.metric(metric, name, 1, DOMAIN, COUNTER, 0x0010_0000);
        }
        for second in seconds {
            let cells = [(0, 7 * second), (1, 9 * second * second)];
            let both = [Set::Place(READ, &cells), Set::Place(WRITE, &cells)];
            let sets = if second > 6 { &both[..1] } else { &both };
            archive.record(1_700_000_000 + u64::from(second), 0, sets);
        }
        let folder = tempfile::tempdir().expect("a directory");
        std::fs::write(folder.path().join("a.meta"), &archive.meta).expect("written");
        std::fs::write(folder.path().join("a.0"), &archive.volumes[0]).expect("written");
        let capture = open(folder.path().join("a")).expect("an archive");
        (folder, capture)
    };
    let (_whole, whole) = archive(0..9);
    let ((_early, early), (_late, late)) = (archive(0..5), archive(3..9));
    let expected = rows(&[whole]);
    assert_eq!(rows(&[early.clone(), late.clone()]), expected);
    assert_eq!(rows(&[late, early]), expected);
}

/// Records that can't be read end an epoch of the archive, but not of its recording; a mark does.
#[test]
fn a_damaged_archive_beside_the_whole_adds_nothing() {
    const READ: u32 = 60 << 22 | 4;
    let archive = |lost: &[usize]| {
        let mut archive = ArchiveBytes::new(3, "web1", "UTC");
        archive.metric(READ, "disk.all.read", 1, NO_DOMAIN, COUNTER, 0x0010_0000);
        let mut begins = Vec::new();
        for second in 0..20_u32 {
            if second == 12 {
                archive.record(1_700_000_000 + u64::from(second), 0, &[]);
            }
            begins.push(archive.volumes[0].len());
            let cells = [(-1, 7 * second * second)];
            archive.record(1_700_000_000 + u64::from(second), 0, &[Set::Place(READ, &cells)]);
        }
        for record in lost {
            archive.volumes[0][begins[*record]..][..8].fill(0xff);
        }
        let folder = tempfile::tempdir().expect("a directory");
        std::fs::write(folder.path().join("a.meta"), &archive.meta).expect("written");
        std::fs::write(folder.path().join("a.0"), &archive.volumes[0]).expect("written");
        let capture = open(folder.path().join("a")).expect("an archive");
        (folder, capture)
    };
    let (_whole, whole) = archive(&[]);
    let expected = rows(std::slice::from_ref(&whole));
    for lost in [&[5][..], &[3, 8, 15], &[11, 12]] {
        let (_damaged, damaged) = archive(lost);
        assert!(damaged.source.times().len() < 20);
        assert_eq!(rows(&[damaged.clone(), whole.clone()]), expected, "{lost:?}");
        assert_eq!(rows(&[whole.clone(), damaged]), expected, "{lost:?}");
    }
}
