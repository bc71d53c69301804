//! Files that several were joined to, as by `cat`: each of them is a capture of its own.

use std::ops::Range;
use std::sync::Arc;

use recount_model::{Content, FindingKind};

use super::Opening;
use crate::files::bundle::slice_of;
use crate::{Capture, Format, OpenError};

impl Opening<'_> {
    /// Opens the files that a content consists of. What can't be read doesn't prevent reading the others.
    pub(super) fn joined(
        &mut self,
        name: &str,
        format: &'static Format,
        content: &Arc<dyn Content>,
        files: &[Range<usize>],
    ) -> Result<(), OpenError> {
        let mut errors = Vec::new();
        for Range { start, end } in files {
            // As a member of the file, like those of a bundle.
            let name = if *start == 0 { name.to_owned() } else { format!("{name}/{start:#x}") };
            let slice = slice_of(content, *start as u64..*end as u64);
            let slice = slice.map_err(|source| OpenError::Io { name: name.clone(), source })?;
            match format.open(vec![(name.clone(), slice)], self.options) {
                Ok(source) => self.captures.push(Capture::new(vec![name], format, source)),
                Err(source) => errors.push(OpenError::format(&name, format, source)),
            }
        }
        if errors.len() == files.len() {
            return Err(errors.swap_remove(0));
        }
        for error in errors {
            self.leave_out(error);
        }
        let what = format!(
            "{} files were joined, and each is read as one. Places in {name}/{:#x}, for one, count from that byte",
            files.len(),
            files[1].start
        );
        self.notes.note_of(name, FindingKind::Odd, what);
        Ok(())
    }
}
