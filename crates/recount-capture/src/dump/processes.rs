//! Records about processes.

use recount_bytes::fields::Fields;

use super::cursor::{Cursor, Stop};
use crate::RecordKind;
use crate::bytes::Bytes;
use crate::processes::{DescribedFields, EndedFields, NOT_KNOWN};

/// New texts and entries. Texts are shown by their numbers, since most of them are in earlier records.
pub(super) fn processes(kind: RecordKind, fields: &mut Cursor<'_, '_, '_>) -> Result<(), Stop> {
    let (mut num_texts, mut num_entries) = (0_u32, 0_u32);
    fields.field("dictionary", &mut 0_u32)?;
    fields.field("first_text", &mut 0_u32)?;
    fields.field("num_texts", &mut num_texts)?;
    (0..num_texts).try_for_each(|_| fields.text("text"))?;
    fields.field("num_entries", &mut num_entries)?;
    fields.nested(|fields| (0..num_entries).try_for_each(|number| entry(kind, number, fields)))
}

fn entry(kind: RecordKind, number: u32, fields: &mut Cursor<'_, '_, '_>) -> Result<(), Stop> {
    if fields.bytes.is_empty() {
        // Its first field is the one that is missing.
        return fields.hidden("len_entry", &mut 0_u32);
    }
    fields.lines.structure(format_args!("entry {number}"))?;
    let mut len = 0_u32;
    fields.field("len_entry", &mut len)?;
    let inside = Bytes::new(fields.bytes.take("entry", len as usize)?);
    let mut of_entry = Cursor { bytes: inside, lines: &mut *fields.lines };
    if kind == RecordKind::PROCESSES {
        let mut described = DescribedFields::default();
        described.fields(&mut of_entry, &text)?;
        (0..described.num_words).try_for_each(|_| of_entry.text("word"))?;
    } else {
        EndedFields::default().fields(&mut of_entry, &text)?;
    }
    let rest = of_entry.bytes.rest();
    Ok(fields.lines.bytes("of a later version", rest)?)
}

fn text(number: u32) -> String {
    if number == NOT_KNOWN { "-".to_owned() } else { format!("text {number}") }
}
