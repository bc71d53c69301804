//! Places in an input.

use std::fmt;

/// A place in an input: a byte offset, and the structure and field at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Byte offset from the start of the input.
    pub ofs: u64,
    /// The structure, by its documented name (`PERF_DATA_BLOCK`).
    pub structure: Option<&'static str>,
    /// Where that structure starts.
    pub ofs_structure: Option<u64>,
    /// The field (`TotalByteLength`).
    pub field: Option<&'static str>,
}

impl Place {
    /// A bare byte offset.
    pub fn at(ofs: u64) -> Place {
        Place { ofs, ..Place::default() }
    }

    /// The start of a named structure.
    pub fn structure(structure: &'static str, ofs: u64) -> Place {
        Place { ofs, structure: Some(structure), ofs_structure: Some(ofs), field: None }
    }

    /// A field of a named structure.
    pub fn field(structure: &'static str, ofs_structure: u64, field: &'static str, ofs: u64) -> Place {
        Place { ofs, structure: Some(structure), ofs_structure: Some(ofs_structure), field: Some(field) }
    }

    /// The same place with its offsets mapped, for example to a file from which the input was assembled.
    #[must_use]
    pub fn map_ofs(self, ofs: impl Fn(u64) -> u64) -> Place {
        Place { ofs: ofs(self.ofs), ofs_structure: self.ofs_structure.map(ofs), ..self }
    }
}

/// `PERF_DATA_BLOCK.TotalByteLength at byte 0x1014 (structure starts at 0x1000)`
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.structure, self.field) {
            (Some(structure), Some(field)) => write!(f, "{structure}.{field} at byte {:#x}", self.ofs)?,
            (Some(structure), None) => write!(f, "{structure} at byte {:#x}", self.ofs)?,
            (None, Some(field)) => write!(f, "{field} at byte {:#x}", self.ofs)?,
            (None, None) => write!(f, "byte {:#x}", self.ofs)?,
        }
        match self.ofs_structure {
            Some(start) if start != self.ofs => write!(f, " (structure starts at {start:#x})"),
            _ => Ok(()),
        }
    }
}
