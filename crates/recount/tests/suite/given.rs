//! Files that a page gives, by path and content: they open as those on a disk do.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use recount::{
    Capture, ConvertOptions, GivenFile, NameTable, OpenError, OpenOptions, OutputFormat, Target, Timeline,
    convert, convert_to, open_all, open_given, unwatched,
};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

/// The files at some paths below a directory, with everything below those that are directories.
fn given(root: &Path, names: &[&str]) -> Vec<GivenFile> {
    let mut files = Vec::new();
    for name in names {
        collect(&root.join(name), name, &mut files);
    }
    files
}

fn collect(path: &Path, name: &str, files: &mut Vec<GivenFile>) {
    if path.is_file() {
        files.push(GivenFile::new(name, Arc::new(std::fs::read(path).expect("a file"))));
        return;
    }
    for entry in std::fs::read_dir(path).expect("a directory") {
        let entry = entry.expect("an entry");
        collect(&entry.path(), &format!("{name}/{}", entry.file_name().display()), files);
    }
}

/// Names, format and findings of each capture, and the values of all.
type Described = (Vec<(Vec<String>, &'static str, String)>, String);

/// Values and findings, with the names of files below `root` only.
fn described(captures: &[Capture], root: &Path) -> Described {
    let below = |text: &str| text.replace(&format!("{}/", root.display()), "");
    let about = captures.iter().map(|capture| {
        let names = capture.names.iter().map(|name| below(name)).collect();
        let found: Vec<String> =
            capture.health().findings().iter().map(|finding| below(&finding.to_string())).collect();
        (names, capture.format.name(), found.join("\n"))
    });
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("out.csv");
    let mut options = ConvertOptions::default();
    options.format = OutputFormat::Csv;
    let timeline = Timeline::whole(captures).expect("one time line");
    let values = match convert(&timeline, &Target::Path(path.clone()), &options, &unwatched) {
        Ok(_) => std::fs::read_to_string(path).expect("UTF-8"),
        Err(error) => below(&error.to_string()),
    };
    (about.collect(), values)
}

/// Compares what opens from given files with what opens from a disk.
fn compare(root: &Path, names: &[&str]) {
    let paths: Vec<PathBuf> = names.iter().map(|name| root.join(name)).collect();
    let on_disk = open_all(&paths, &NameTable::new());
    let from_page = open_given(&given(root, names), &OpenOptions::default());
    match (on_disk, from_page) {
        (Ok(on_disk), Ok(from_page)) => {
            assert_eq!(described(&from_page, root), described(&on_disk, root), "{names:?}");
        }
        (Err(on_disk), Err(from_page)) => {
            let on_disk = on_disk.to_string().replace(&format!("{}/", root.display()), "");
            assert_eq!(from_page.to_string(), on_disk, "{names:?}");
        }
        (on_disk, from_page) => {
            panic!("{names:?}: {:?} on disk, {:?} from a page", on_disk.err(), from_page.err())
        }
    }
}

#[test]
fn samples_open_alike() {
    for name in [
        "atop.raw",
        "big-endian.bin",
        "circular.blg",
        "counters-dst.blg",
        "damaged.blg",
        "objects.blg",
        "relog-german.csv",
        "session.pcq",
        "sysstat-be.sa",
        "sysstat-rhel6.sa",
        "sysstat.sa",
        "typeperf.tsv",
        "rcap-1/closed.rcap",
        "rcap-1/damaged.rcap",
        "rcap-1/killed.rcap",
        "rcap-1/sealing.rcap",
        "README.md",
    ] {
        match name.rsplit_once('/') {
            Some((folder, file)) => compare(&samples().join(folder), &[file]),
            None => compare(&samples(), &[name]),
        }
    }
}

#[test]
fn files_that_belong_together_are_one_capture() {
    let root = samples();
    compare(&root, &["series"]);
    compare(&root, &["pcp"]);
    compare(&root.join("pcp"), &["web1.meta", "web1.0"]);
    compare(&root.join("series"), &["1.bin", "2.bin", "3.bin"]);
    // Files of a folder that aren't captures are skipped with a note; damaged ones are left out.
    compare(&root, &["rcap-1"]);
}

#[test]
fn a_folder_of_tables_is_one_capture() {
    let directory = tempfile::tempdir().expect("a directory");
    let captures = open_all(&[samples().join("objects.blg")], &NameTable::new()).expect("a capture");
    let mut options = ConvertOptions::default();
    options.layout = recount::Layout::Objects;
    let timeline = Timeline::whole(&captures).expect("one time line");
    convert(&timeline, &Target::Path(directory.path().join("tables")), &options, &unwatched).expect("tables");
    compare(directory.path(), &["tables"]);
}

#[test]
fn compressed_files_and_packed_ones_are_unpacked() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&std::fs::read(samples().join("objects.blg")).expect("a sample")).expect("room");
    let packed = packed.finish().expect("room");
    std::fs::write(directory.path().join("objects.blg.gz"), &packed).expect("written");
    compare(directory.path(), &["objects.blg.gz"]);
    std::fs::write(directory.path().join("cut.blg.gz"), &packed[..packed.len() / 2]).expect("written");
    compare(directory.path(), &["cut.blg.gz"]);
}

#[test]
fn a_session_and_folders_below_are_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let copy = |from: &str, to: &str| {
        let to = directory.path().join(to);
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        std::fs::copy(samples().join(from), to).expect("a copy");
    };
    copy("objects.blg", "host/monday/objects.blg");
    copy("sysstat.sa", "host/tuesday/sa/sa02");
    copy("README.md", "host/tuesday/notes.md");
    copy("README.md", "host/.hidden/notes.md");
    compare(directory.path(), &["host"]);
    copy("README.md", "session/countersets.bin");
    copy("README.md", "session/notes.md");
    compare(directory.path(), &["session"]);
}

#[test]
fn bundles_open_as_on_a_disk() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut tar = tar::Builder::new(Vec::new());
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let method = |name: &str| {
        let is_packed = Path::new(name).extension().is_some_and(|extension| extension == "raw");
        if is_packed { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored }
    };
    // What is longer than the first bytes of a bundle is found by its directory and its headers.
    let mut long = std::fs::read(samples().join("objects.blg")).expect("a sample");
    long.resize(3 << 20, 0);
    let sample = |name: &str| std::fs::read(samples().join(name)).expect("a sample");
    let files = [
        ("logs/long.blg", long),
        ("logs/atop.raw", sample("atop.raw")),
        ("pcp/web1.meta", sample("pcp/web1.meta")),
        ("pcp/web1.0", sample("pcp/web1.0")),
        ("notes.txt", b"no capture".to_vec()),
    ];
    for (name, bytes) in &files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, name, &bytes[..]).expect("in memory");
        let options = zip::write::SimpleFileOptions::default().compression_method(method(name));
        zip.start_file(*name, options).expect("in memory");
        zip.write_all(bytes).expect("in memory");
    }
    let tar = tar.into_inner().expect("in memory");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&tar).expect("in memory");
    let packed = packed.finish().expect("in memory");
    let zip = zip.finish().expect("in memory").into_inner();
    for (name, bytes) in [
        ("logs.tar", &tar[..]),
        ("cut.tar", &tar[..tar.len() / 3]),
        ("logs.tgz", &packed[..]),
        ("logs.zip", &zip[..]),
        ("cut.zip", &zip[..zip.len() / 2]),
    ] {
        std::fs::write(directory.path().join(name), bytes).expect("written");
        compare(directory.path(), &[name]);
    }
}

#[test]
fn a_file_that_is_given_twice_is_an_error() {
    let file = || GivenFile::new("objects.blg", Arc::new(Vec::new()));
    assert!(matches!(
        open_given(&[file(), file()], &OpenOptions::default()),
        Err(OpenError::Twice { name }) if name == "objects.blg"
    ));
}

#[test]
fn what_is_none_says_so() {
    let file = |path: &str, bytes: &[u8]| GivenFile::new(path, Arc::new(bytes.to_vec()));
    let error = |files: &[GivenFile]| {
        open_given(files, &OpenOptions::default()).err().expect("no capture").to_string()
    };
    assert!(error(&[file("notes.txt", b"no capture")]).starts_with("notes.txt"));
    assert!(error(&[file("folder/notes.txt", b"no capture")]).starts_with("folder"));
    assert!(error(&[file(".hidden", b"no capture")]).starts_with(".hidden"));
    assert!(error(&[file("empty.blg", b"")]).starts_with("empty.blg"));
    assert!(matches!(
        open_given(&[file("folder/.hidden", b"no capture")], &OpenOptions::default()),
        Err(OpenError::EmptyDirectory { .. })
    ));
}

/// A stream that somebody else keeps.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("not poisoned").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_stream_gets_what_a_file_would() {
    let captures = open_all(&[samples().join("objects.blg")], &NameTable::new()).expect("a capture");
    let timeline = Timeline::whole(&captures).expect("one time line");
    let directory = tempfile::tempdir().expect("a directory");
    for format in [OutputFormat::Csv, OutputFormat::Tsv, OutputFormat::Parquet, OutputFormat::LineProtocol] {
        let mut options = ConvertOptions::default();
        options.format = format;
        let path = directory.path().join(format!("out.{}", format.extension()));
        convert(&timeline, &Target::Path(path.clone()), &options, &unwatched).expect("a file");
        let kept = Kept::default();
        convert_to(&timeline, Box::new(kept.clone()), &options, &unwatched).expect("a stream");
        assert!(*kept.0.lock().expect("not poisoned") == std::fs::read(path).expect("a file"), "{format:?}");
    }
}
