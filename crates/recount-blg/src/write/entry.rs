//! The counter list, to be written (formats/blg.md#counter-list).

use crate::records::counter_list::{Entry, LEN_ENTRY_HEAD, NO_STRING};
use crate::text;

/// What every file seen has in the head of its list: version, and binary log with write access.
const LIST_VERSION: u32 = 0x0000_06FF;
const LIST_LOG_TYPE: u32 = 0x0002_0008;

/// The message of a counter list.
pub(super) fn counter_list(entries: &[Entry]) -> Vec<u8> {
    let mut message = Vec::new();
    message.extend(LIST_VERSION.to_le_bytes());
    message.extend(LIST_LOG_TYPE.to_le_bytes());
    message.extend(entries.iter().flat_map(encode));
    message
}

fn encode(entry: &Entry) -> Vec<u8> {
    // Entries of whole objects with an instance begin their strings with four zero bytes.
    let mut strings = if entry.is_object() && entry.instance.is_some() { vec![0; 4] } else { Vec::new() };
    let mut add = |text: &str| {
        let ofs = strings.len() as u32;
        strings.extend(text::encode(text));
        ofs
    };
    let machine = add(&format!(r"\\{}", entry.host));
    let object = add(&entry.object);
    let parent = entry.parent.as_deref().map_or(NO_STRING, &mut add);
    let instance = entry.instance.as_deref().map_or(NO_STRING, &mut add);
    let counter = add(&entry.counter);

    let len = (LEN_ENTRY_HEAD + strings.len()).next_multiple_of(8);
    let mut bytes = Vec::with_capacity(len);
    bytes.extend((len as u32).to_le_bytes());
    bytes.extend(entry.kind.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(entry.counter_type.0.to_le_bytes());
    bytes.extend(entry.time_base.to_le_bytes());
    bytes.extend(entry.default_scale.to_le_bytes());
    for ofs in [machine, object, instance, parent, entry.index, counter] {
        bytes.extend(ofs.to_le_bytes());
    }
    bytes.extend(strings);
    bytes.resize(len, 0);
    bytes
}
