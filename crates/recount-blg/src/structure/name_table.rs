//! Message 0x24, name tables: names of objects and counters by index, per machine (formats/blg.md#name-table).

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::LazyLock;

use recount_bytes::fields::Lines;
use recount_model::NameTable;
use recount_model::{Content, FindingKind, Health, Place};

use crate::message::Message;
use crate::text::{self, Utf16};

/// The name tables of all machines in a log.
#[derive(Default)]
pub(crate) struct NameTables {
    by_machine: HashMap<String, NameTable>,
}

impl NameTables {
    /// Merges all messages. A pair whose index isn't a number is reported, and reading continues one string
    /// later.
    pub(crate) fn read(messages: &[Message], content: &dyn Content, health: &mut Health) -> NameTables {
        let mut tables = NameTables::default();
        let mut scratch = Vec::new();
        for message in messages {
            let mut strings = text::strings(message.payload(content, &mut scratch)).map(Utf16::to_text);
            let machine = strings.next().unwrap_or_default();
            let table = tables.by_machine.entry(key(&machine)).or_default();
            let mut num_skipped = 0_u32;
            while let Some(index) = strings.next() {
                match index.parse::<u32>() {
                    Ok(index) => {
                        if let Some(name) = strings.next() {
                            table.insert(index, &name);
                        }
                    }
                    // Only empty strings follow the last pair.
                    Err(_) if index.is_empty() => {}
                    Err(_) => num_skipped += 1,
                }
            }
            if num_skipped > 0 {
                let place = message.extents.first().map(|extent| Place::structure("name table", extent.ofs));
                let what = format!("{num_skipped} strings outside the index: skipped");
                health.note(FindingKind::Damaged, place, what);
            }
        }
        tables
    }

    /// The tables by machine, in lower case and without backslashes.
    pub(crate) fn into_tables(self) -> BTreeMap<String, NameTable> {
        self.by_machine.into_iter().collect()
    }

    /// The table of a machine; an empty one if the log has none.
    pub(crate) fn of(&self, host: &str) -> &NameTable {
        static EMPTY: LazyLock<NameTable> = LazyLock::new(NameTable::default);
        self.by_machine.get(&key(host)).unwrap_or(&EMPTY)
    }
}

/// Machines are compared without case and leading backslashes.
fn key(machine: &str) -> String {
    machine.trim_start_matches('\\').to_lowercase()
}

/// The message of a name table. `machine` includes its backslashes.
pub fn write<'n>(machine: &str, names: impl Iterator<Item = (u32, &'n str)>) -> Vec<u8> {
    let mut out = text::encode(machine);
    for (index, name) in names {
        out.extend(text::encode(&index.to_string()));
        out.extend(text::encode(name));
    }
    out
}

pub(crate) fn show(message: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    lines.at(0).structure("name table")?;
    for (number, text) in text::strings(message).enumerate() {
        let name = match number {
            0 => "machine",
            _ if number % 2 == 1 => "index",
            _ => "name",
        };
        lines.value(name, text.0.len() + 2, format_args!("{:?}", text.to_text()))?;
    }
    Ok(())
}
