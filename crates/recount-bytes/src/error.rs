//! Errors of binary formats, with their place.

use recount_model::{FindingKind, Place};

/// Why bytes can't be read as a performance data block, or a block can't be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The bytes end inside a field or a structure.
    #[error("{place}: the bytes end inside this {}, {have} left", kind_of(place))]
    Truncated {
        /// Where the field or structure starts.
        place: Place,
        /// Bytes from there to the end of the enclosing structure.
        have: usize,
    },
    /// A field has an invalid value.
    #[error("{place}: expected {expected}, found {found}")]
    Unexpected {
        /// The field.
        place: Place,
        /// What is allowed.
        expected: String,
        /// What was found.
        found: String,
    },
    /// Few bytes that describe a huge number of values, because too many definitions share the same bytes.
    #[error(
        "{place}: {num_counters} counters of {num_instances} instances can't stand in an object of {len_object} \
         bytes"
    )]
    Amplified {
        /// The object.
        place: Place,
        /// Number of counter definitions.
        num_counters: usize,
        /// Number of instances.
        num_instances: usize,
        /// Length of the object in bytes.
        len_object: usize,
    },
    /// A structure to be written is larger than its length field can say, or points outside itself.
    #[error("{structure}.{field} can't be written: {value} is out of range")]
    Unwritable {
        /// The structure.
        structure: &'static str,
        /// The field.
        field: &'static str,
        /// The value that doesn't fit.
        value: u64,
    },
    /// A file without blocks.
    #[error("{file}: no performance data block: {source}")]
    NoBlock {
        /// Name of the file.
        file: String,
        /// Why its start isn't a block.
        source: Box<FormatError>,
    },
}

impl FormatError {
    /// The kind of finding that this is in a [`Health`](recount_model::Health).
    pub fn kind(&self) -> FindingKind {
        match self {
            FormatError::Truncated { .. } => FindingKind::Truncated,
            _ => FindingKind::Damaged,
        }
    }

    /// Where in the input, if the error is about input.
    pub fn place(&self) -> Option<&Place> {
        match self {
            FormatError::Truncated { place, .. }
            | FormatError::Unexpected { place, .. }
            | FormatError::Amplified { place, .. } => Some(place),
            FormatError::Unwritable { .. } => None,
            FormatError::NoBlock { source, .. } => source.place(),
        }
    }

    /// The same error with its offsets mapped ([`Place::map_ofs`]).
    #[must_use]
    pub fn map_ofs(mut self, ofs: impl Fn(u64) -> u64) -> FormatError {
        match &mut self {
            FormatError::Truncated { place, .. }
            | FormatError::Unexpected { place, .. }
            | FormatError::Amplified { place, .. } => *place = std::mem::take(place).map_ofs(ofs),
            FormatError::Unwritable { .. } => {}
            FormatError::NoBlock { source, .. } => **source = source.as_ref().clone().map_ofs(ofs),
        }
        self
    }

    /// What is wrong, without the place: for a [`recount_model::Finding`], which has a place of its own.
    pub fn what(&self) -> String {
        let text = self.to_string();
        match self.place() {
            Some(place) => text.replacen(&format!("{place}: "), "", 1),
            None => text,
        }
    }
}

fn kind_of(place: &Place) -> &'static str {
    match (place.structure, place.field) {
        (Some(_), None) => "structure",
        _ => "field",
    }
}
