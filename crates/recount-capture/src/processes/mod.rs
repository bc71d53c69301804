//! Records about processes: who they are, and how they ended (`formats/rcap.md#processes`).

mod dictionary;
mod entries;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use dictionary::Known;
pub(crate) use entries::{DescribedFields, EndedFields, NOT_KNOWN};
pub(crate) use read::{check_notes, read_notes, visit};
pub(crate) use write::NoteWriter;
