//! Looks for names in every byte of a result, unpacked and decompressed too.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use recount::{Capture, UnpackOptions, unpack};
use recount_capture::{CaptureError, Log, PackedFile};

use super::given::{names_of, texts_of_processes};

/// The name of the input's file.
pub(crate) const FILE_NAME: &str = "acme-payroll-server";
/// Shorter names are in compressed bytes by chance.
const MIN_LEN: usize = 4;

/// Fails if a name of the input, unless it is one of the result, is in any byte of it.
pub(crate) fn assert_gone(before: &Capture, after: &Capture, output: &Path) {
    let stays = names_of(after);
    let kept = kept_text(after);
    let mut names = names_of(before);
    names.extend(texts_of_processes(before));
    names.extend(before.marks().iter().map(|mark| mark.text.clone()));
    names.insert(FILE_NAME.to_owned());
    let facts = before.source.info().details.iter();
    names.extend(facts.filter(|(name, _)| is_of_owner(name)).map(|(_, value)| value.clone()));
    let names: Vec<String> = names
        .into_iter()
        .filter(|name| name.len() >= MIN_LEN && !stays.contains(name) && !kept.contains(&name.to_lowercase()))
        .collect();
    for bytes in bytes_of(output) {
        let bytes = bytes.to_ascii_lowercase();
        for name in &names {
            for needle in encoded(name) {
                let is_there = memchr::memmem::find(&bytes, &needle).is_some();
                assert!(!is_there, "{}: {name} is there: {needle:?}", output.display());
            }
        }
    }
}

fn is_of_owner(fact: &str) -> bool {
    matches!(fact, "command" | "settings" | "boot-id" | "log file" | "session" | "source")
}

/// Names of objects and counters, and what else stays.
fn kept_text(capture: &Capture) -> String {
    // The last is a fact of tables.
    let mut kept = format!("recount {} redacted recount.findings", env!("CARGO_PKG_VERSION"));
    for (_, object) in capture.source.objects() {
        let texts = object.counters.iter().flat_map(|counter| [Some(&counter.name), counter.help.as_ref()]);
        for text in texts.chain([Some(&object.name), object.help.as_ref()]).flatten() {
            kept.push_str(text);
            kept.push('\n');
        }
    }
    let info = capture.source.info();
    kept.push_str(&format!("{:?} {:?} {:?} {}", info.os, info.zone, info.details, info.format));
    kept.to_lowercase()
}

/// In UTF-8, UTF-16 of both orders and code page 1252, in lower case.
fn encoded(name: &str) -> BTreeSet<Vec<u8>> {
    let utf_16 = |bytes: fn(u16) -> [u8; 2]| name.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let code_page: Option<Vec<u8>> = name.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    let all = [
        Some(name.as_bytes().to_vec()),
        Some(utf_16(u16::to_le_bytes)),
        Some(utf_16(u16::to_be_bytes)),
        code_page,
    ];
    all.into_iter().flatten().map(|bytes| bytes.to_ascii_lowercase()).collect()
}

/// The bytes of the files of a capture, and what they hold.
fn bytes_of(path: &Path) -> Vec<Vec<u8>> {
    if path.is_dir() {
        let files =
            std::fs::read_dir(path).expect("a directory").map(|entry| entry.expect("an entry").path());
        return files.flat_map(|file| bytes_of(&file)).collect();
    }
    let bytes = std::fs::read(path).expect("a file");
    let mut all = vec![bytes.clone()];
    if bytes.starts_with(b"PAR1") {
        all.push(table_text(path).into_bytes());
    }
    if Log::recognise(&bytes) {
        let log = Log::open(Box::new(bytes)).expect("a log");
        all.push(format!("{:?}{:?}{:?}", log.facts(), log.writer(), log.texts()).into_bytes());
        log.for_each_record(|_, record| {
            all.extend(record.ok().map(<[u8]>::to_vec));
            Ok::<(), CaptureError>(())
        })
        .expect("records");
        if PackedFile::of(&log).is_some() {
            let unpacked = path.with_extension("unpacked");
            let mut options = UnpackOptions::default();
            (options.output, options.force) = (Some(unpacked.clone()), true);
            unpack(path, &options).expect("unpacked");
            all.extend(bytes_of(&unpacked));
        }
    }
    all
}

/// The metadata and all texts of a table.
fn table_text(path: &Path) -> String {
    let reader = SerializedFileReader::new(File::open(path).expect("a file")).expect("Parquet");
    let mut texts = BTreeSet::new();
    for row in reader.get_row_iter(None).expect("rows") {
        texts.extend(row.expect("a row").get_column_iter().filter_map(|(_, field)| match field {
            Field::Str(text) => Some(text.clone()),
            _ => None,
        }));
    }
    format!("{:?}{texts:?}", reader.metadata().file_metadata().key_value_metadata())
}
