//! tar and zip files, and folders, open as the captures in them.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use recount::{Capture, Health, OpenError, Timeline};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    fs::read(path).expect("a sample")
}

type Files<'f> = &'f [(&'f str, Vec<u8>)];

fn tar_of(files: Files<'_>) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        // Not by the crate's check of paths: other writers have none.
        let field = &mut header.as_old_mut().name;
        if name.len() < field.len() {
            field[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            tar.append(&header, &bytes[..]).expect("in memory");
        } else {
            tar.append_data(&mut header, name, &bytes[..]).expect("in memory");
        }
    }
    tar.into_inner().expect("in memory")
}

fn zip_of(files: Files<'_>, method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).expect("in memory");
        zip.write_all(bytes).expect("in memory");
    }
    zip.finish().expect("in memory").into_inner()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).expect("in memory");
    out.finish().expect("in memory")
}

/// A file in a folder of its own, opened.
fn opened(folder: &Path, name: &str, bytes: &[u8]) -> Result<Vec<Capture>, OpenError> {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("a file");
    recount::open_all(&[path], &recount::NameTable::new())
}

fn names_of(captures: &[Capture], folder: &Path) -> Vec<String> {
    let below = |name: &String| {
        let below = Path::new(name).strip_prefix(folder).expect("below the folder");
        below.display().to_string().replace('\\', "/")
    };
    let mut names: Vec<String> =
        captures.iter().flat_map(|capture| capture.names.iter().map(below)).collect();
    names.sort();
    names
}

fn num_rows(captures: &[Capture]) -> usize {
    let timeline = Timeline::whole(captures).expect("times that compare");
    timeline.batches().reader().expect("a reader").map(|batch| batch.expect("values").num_rows()).sum()
}

fn notes(captures: &[Capture]) -> String {
    let health: Health = captures.iter().map(Capture::health).collect();
    let notes: Vec<String> = health.findings().iter().map(ToString::to_string).collect();
    notes.join("\n")
}

#[test]
fn every_kind_of_bundle_has_the_values_of_its_members() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("host/version.txt", b"1.0".to_vec()),
        ("host/var/log/objects.blg", sample("objects.blg")),
        ("host/tool/objects.rcap.copy", sample("objects.blg")),
    ];
    let alone = num_rows(&opened(folder.path(), "objects.blg", &files[1].1).expect("a sample"));
    let files = &files[..2];
    let tar = tar_of(files);
    let bundles = [
        ("a.tar", tar.clone()),
        ("a.tar.gz", gzip(&tar)),
        ("a.tar.zst", zstd_of(&tar)),
        ("deflated.zip", zip_of(files, CompressionMethod::Deflated)),
        ("stored.zip", zip_of(files, CompressionMethod::Stored)),
        // A name says nothing.
        ("bundle", gzip(&tar)),
    ];
    for (name, bytes) in bundles {
        let captures = opened(folder.path(), name, &bytes).expect(name);
        assert_eq!(names_of(&captures, folder.path()), [format!("{name}/host/var/log/objects.blg")]);
        assert_eq!(num_rows(&captures), alone, "{name}");
        assert!(notes(&captures).contains("1 other file isn't a capture"), "{}", notes(&captures));
    }
}

fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    // One raw block after another: a frame without a size, with a window of 1 MiB.
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x50];
    let chunks: Vec<&[u8]> = bytes.chunks(64 << 10).collect();
    for (at, chunk) in chunks.iter().enumerate() {
        let is_last = u32::from(at + 1 == chunks.len());
        let head = u32::try_from(chunk.len()).expect("short") << 3 | is_last;
        frame.extend_from_slice(&head.to_le_bytes()[..3]);
        frame.extend_from_slice(chunk);
    }
    frame
}

#[test]
fn members_may_be_compressed_and_bundles_once_within_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = gzip(&tar_of(&[("sa/objects.blg.gz", gzip(&sample("objects.blg")))]));
    let outer = zip_of(&[("logs/inner.tar.gz", inner)], CompressionMethod::Deflated);
    let captures = opened(folder.path(), "outer.zip", &outer).expect("a bundle");
    assert_eq!(names_of(&captures, folder.path()), ["outer.zip/logs/inner.tar.gz/sa/objects.blg.gz"]);
    let error = opened(folder.path(), "third.tar", &tar_of(&[("outer.zip", outer)])).err().expect("too deep");
    let said = error.to_string();
    assert!(matches!(error, OpenError::EmptyBundle { .. }), "{said}");
    assert!(said.contains("third.tar/outer.zip/logs/inner.tar.gz: left out: an archive within"), "{said}");
}

#[test]
fn what_leads_out_or_is_cut_is_left_out_and_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let blg = sample("objects.blg");
    let tricks = ["../up.blg", "a/../../up.blg", "/abs.blg", "C:\\up.blg"];
    for trick in tricks {
        for bytes in [
            tar_of(&[(trick, blg.clone()), ("good.blg", blg.clone())]),
            zip_of(&[(trick, blg.clone()), ("good.blg", blg.clone())], CompressionMethod::Deflated),
        ] {
            let captures = opened(folder.path(), "tricks", &bytes).expect("the good one");
            assert_eq!(names_of(&captures, folder.path()), ["tricks/good.blg"], "{trick}");
            assert!(notes(&captures).contains("its name leads out of the bundle"), "{}", notes(&captures));
        }
    }
    let all: Vec<(&str, Vec<u8>)> = tricks.map(|trick| (trick, blg.clone())).into();
    let said = opened(folder.path(), "all.tar", &tar_of(&all)).err().expect("none is inside").to_string();
    assert!(
        said.ends_with("all.tar/../up.blg: left out: its name leads out of the bundle (and 3 more)"),
        "{said}"
    );
    let mut cut = tar_of(&[("one.blg", blg.clone()), ("two.blg", blg.clone())]);
    cut.truncate(512 + blg.len().next_multiple_of(512) + 512 + blg.len() / 2);
    let captures = opened(folder.path(), "cut.tar", &cut).expect("the first");
    assert!(names_of(&captures, folder.path()).contains(&"cut.tar/one.blg".to_owned()));
    assert!(notes(&captures).contains("two.blg: the tar file ends within it"), "{}", notes(&captures));
}

#[test]
fn any_flipped_byte_is_an_error_or_leaves_the_rest() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [("one.blg", sample("objects.blg")), ("name".repeat(40).leak() as &str, b"text".to_vec())];
    for bytes in [tar_of(&files), zip_of(&files, CompressionMethod::Deflated)] {
        let len = bytes.len();
        for at in (0..2_000.min(len)).chain(len.saturating_sub(2_000)..len).step_by(7) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x41;
            if let Ok(captures) = opened(folder.path(), "flipped", &flipped) {
                assert!(captures.len() <= 1, "byte {at}");
            }
        }
    }
}

#[test]
fn members_that_grow_without_end_are_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    // A log's first bytes, then zeros, which shrink a thousandfold.
    let mut bomb = sample("objects.blg");
    bomb.resize(bomb.len() + (40 << 20), 0);
    let captures =
        opened(folder.path(), "bomb.zip", &zip_of(&[("a.blg", bomb)], CompressionMethod::Deflated));
    assert!(captures.is_ok_and(|captures| captures.len() == 1), "40 MB are allowed");
}

#[test]
fn an_archive_of_pcp_in_a_bundle_is_one_capture() {
    let folder = tempfile::tempdir().expect("a folder");
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pcp");
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for entry in fs::read_dir(&samples).expect("samples") {
        let path: PathBuf = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if matches!(name.as_str(), "web1.meta" | "web1.0") {
            files.push((format!("pmlogger/host/{name}"), fs::read(&path).expect("a file")));
        }
    }
    assert!(files.len() > 1, "samples has an archive");
    let named: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let captures = opened(folder.path(), "sos.tar", &tar_of(&named)).expect("a bundle");
    assert_eq!(captures.len(), 1, "{:?}", names_of(&captures, folder.path()));
    assert_eq!(captures[0].format.name(), "Performance Co-Pilot archive");
}

#[test]
fn folders_without_captures_of_their_own_are_searched() {
    let folder = tempfile::tempdir().expect("a folder");
    let deep = folder.path().join("sosreport/var/log/sa");
    fs::create_dir_all(&deep).expect("folders");
    fs::create_dir(folder.path().join("sosreport/.hidden")).expect("a folder");
    fs::write(deep.join("objects.blg"), sample("objects.blg")).expect("a file");
    fs::write(folder.path().join("sosreport/.hidden/two.blg"), sample("objects.blg")).expect("a file");
    fs::write(folder.path().join("sosreport/version.txt"), "1.0").expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), deep.join("loop")).expect("a link");
    let captures =
        recount::open_all(&[folder.path().to_path_buf()], &recount::NameTable::new()).expect("one");
    assert_eq!(names_of(&captures, folder.path()), ["sosreport/var/log/sa/objects.blg"]);
    // What is next to captures isn't searched.
    fs::write(folder.path().join("top.blg"), sample("objects.blg")).expect("a file");
    let captures =
        recount::open_all(&[folder.path().to_path_buf()], &recount::NameTable::new()).expect("one");
    assert_eq!(names_of(&captures, folder.path()), ["top.blg"]);
    let empty = tempfile::tempdir().expect("a folder");
    fs::create_dir(empty.path().join("below")).expect("a folder");
    let error = recount::open(empty.path()).err().expect("no capture");
    assert!(matches!(error, OpenError::EmptyDirectory { .. }), "{error}");
}
