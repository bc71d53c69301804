//! Reads fields and shows them as they are read.

use std::fmt::{self, Display};

use recount_bytes::fields::{Fields, Lines, Scalar};

use crate::CaptureError;
use crate::bytes::{Bytes, Short};

/// Bytes of a structure that are shown as they are read, up to the first unreadable field.
pub(super) struct Cursor<'a, 'l, 'w> {
    pub(super) bytes: Bytes<'a>,
    pub(super) lines: &'l mut Lines<'w>,
}

/// Why showing fields ended early.
pub(super) enum Stop {
    /// A field can't be read.
    Fault(Short),
    /// Writing to the output failed.
    Write(fmt::Error),
}

impl From<Short> for Stop {
    fn from(fault: Short) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<fmt::Error> for Stop {
    fn from(error: fmt::Error) -> Stop {
        Stop::Write(error)
    }
}

/// Shows the fields of a structure that begins here, up to the first fault.
pub(super) fn read<'a, 'w>(
    structure: &'static str,
    bytes: &'a [u8],
    lines: &mut Lines<'w>,
    fields: impl FnOnce(&mut Cursor<'a, '_, 'w>) -> Result<(), Stop>,
) -> fmt::Result {
    let ofs = lines.ofs();
    match fields(&mut Cursor { bytes: Bytes::new(bytes), lines }) {
        Ok(()) => Ok(()),
        Err(Stop::Fault(fault)) => lines.fault(CaptureError::at(structure, ofs, fault)),
        Err(Stop::Write(error)) => Err(error),
    }
}

/// The same, under the name of the structure.
pub(super) fn show<'a, 'w>(
    structure: &'static str,
    bytes: &'a [u8],
    lines: &mut Lines<'w>,
    fields: impl FnOnce(&mut Cursor<'a, '_, 'w>) -> Result<(), Stop>,
) -> fmt::Result {
    lines.structure(structure)?;
    read(structure, bytes, lines, fields)
}

impl<'a, 'w> Cursor<'a, '_, 'w> {
    /// UTF-8 text with its length before it.
    pub(super) fn text(&mut self, name: &'static str) -> Result<(), Stop> {
        let text = self.bytes.text(name)?;
        Ok(self.lines.value(name, 4 + text.len(), format_args!("{text:?}"))?)
    }

    /// What is inside, indented deeper.
    pub(super) fn nested(
        &mut self,
        inside: impl FnOnce(&mut Cursor<'a, '_, 'w>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let bytes = &mut self.bytes;
        self.lines.nested(|lines| {
            let mut cursor = Cursor { bytes: bytes.clone(), lines };
            let read = inside(&mut cursor);
            *bytes = cursor.bytes;
            read
        })
    }
}

impl Fields for Cursor<'_, '_, '_> {
    type Error = Stop;

    fn shown<T: Scalar, D: Display>(
        &mut self,
        name: &'static str,
        value: &mut T,
        show: impl FnOnce(T) -> D,
    ) -> Result<(), Stop> {
        self.bytes.hidden(name, value)?;
        Ok(self.lines.shown(name, value, show)?)
    }

    fn hidden<T: Scalar>(&mut self, name: &'static str, value: &mut T) -> Result<(), Stop> {
        self.bytes.hidden(name, value)?;
        Ok(self.lines.hidden(name, value)?)
    }
}
