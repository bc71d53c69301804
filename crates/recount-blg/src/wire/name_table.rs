//! Name tables (formats/blg.md#name-table).

use super::fields::{Fields, Found};
use crate::text;

/// Message 0x24: names of one machine by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameTable {
    /// The machine, with its backslashes.
    pub machine: String,
    /// Indexes and names, in order.
    pub names: Vec<(u32, String)>,
    /// Bytes behind the last name.
    pub tail: Vec<u8>,
}

impl NameTable {
    pub(super) fn parse(bytes: &[u8]) -> Found<NameTable> {
        let fields = Fields::new("name table", bytes, 0);
        let (machine, mut at) = fields.text_at("machine", 0)?;
        let mut names = Vec::new();
        while at + 1 < bytes.len() {
            let (index, behind_index) = fields.text_at("index", at)?;
            if index.is_empty() {
                break;
            }
            let Ok(index) = index.parse() else {
                return Err(fields.fault("index", format!("{index:?} at {at:#x} where digits were expected")));
            };
            let (name, behind) = fields.text_at("name", behind_index)?;
            names.push((index, name));
            at = behind;
        }
        Ok(NameTable { machine, names, tail: bytes[at..].to_vec() })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out =
            write_name_table(&self.machine, self.names.iter().map(|(index, name)| (*index, &**name)));
        out.extend_from_slice(&self.tail);
        out
    }
}

/// The message of a name table.
pub(crate) fn write_name_table<'n>(machine: &str, names: impl Iterator<Item = (u32, &'n str)>) -> Vec<u8> {
    let mut out = text::encode(machine);
    for (index, name) in names {
        out.extend(text::encode(&index.to_string()));
        out.extend(text::encode(name));
    }
    out
}
