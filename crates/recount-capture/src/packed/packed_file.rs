//! What a log says about the file that is packed in it (`formats/rcap.md#facts`).

use jiff::Timestamp;
use recount_model::Facts;

use crate::{Log, RecordKind};

const NAME: &str = "packed-name";
const LEN: &str = "packed-len";
const FORMAT: &str = "packed-format";
const CRC: &str = "packed-crc32c";
const MODIFIED: &str = "packed-modified";

/// A packed file, as the facts describe it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedFile {
    /// Its name, without directories.
    pub name: Option<String>,
    /// Its length in bytes.
    pub len: Option<u64>,
    /// Its format, for people.
    pub format: Option<String>,
    /// CRC-32C of its bytes.
    pub crc: Option<u32>,
    /// When it was changed last.
    pub modified: Option<Timestamp>,
}

impl PackedFile {
    /// The file in a log; `None`: the log holds none.
    pub fn of(log: &Log) -> Option<PackedFile> {
        let is_part = |record| matches!(log.record_info(record), Some((_, RecordKind::FILE_PART)));
        let facts = log.facts();
        // In a damaged log, the facts or the parts may be missing.
        if !facts.contains_key(LEN) && !(0..log.num_records()).any(is_part) {
            return None;
        }
        let fact = |name: &str| facts.get(name);
        Some(PackedFile {
            name: fact(NAME).cloned(),
            len: fact(LEN).and_then(|len| len.parse().ok()),
            format: fact(FORMAT).cloned(),
            crc: fact(CRC).and_then(|crc| u32::from_str_radix(crc, 16).ok()),
            modified: fact(MODIFIED).and_then(|time| time.parse().ok()),
        })
    }

    /// The log's facts that describe this file.
    pub fn facts(&self) -> Facts {
        let facts = [
            (NAME, self.name.clone()),
            (LEN, self.len.map(|len| len.to_string())),
            (FORMAT, self.format.clone()),
            (CRC, self.crc.map(|crc| format!("{crc:08x}"))),
            (MODIFIED, self.modified.map(|time| time.to_string())),
        ];
        facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?))).collect()
    }

    /// Compares length and checksum with those of the reassembled file; `None`: they are equal.
    pub fn differs(&self, len: u64, crc: u32) -> Option<String> {
        match (self.len, self.crc) {
            (Some(expected), _) if expected != len => Some(format!("expected {expected} bytes, found {len}")),
            (_, Some(expected)) if expected != crc => {
                Some(format!("CRC-32C of its bytes: expected {expected:08x}, found {crc:08x}"))
            }
            (Some(_), Some(_)) => None,
            _ => Some("the facts with its length and checksum are damaged".to_owned()),
        }
    }
}
