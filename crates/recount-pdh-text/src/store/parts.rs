//! The parts of a file: each begins with a header, and files are appended to each other.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::Health;

use crate::error::PdhTextError;
use crate::header::{Header, HeaderZone};
use crate::names::{HeaderLayout, HostNames};
use crate::structure::mark::Dialect;
use crate::text::Text;

/// The columns of a part. Parts with the same columns share them.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) separator: u8,
    /// Whether the header lacks separators, so that rows may lack them as well.
    pub(crate) is_glued: bool,
    pub(crate) layout: HeaderLayout,
}

/// A header and its rows.
#[derive(Debug)]
pub(crate) struct FilePart {
    /// Offset of the header in the text.
    pub(crate) ofs: usize,
    /// Index of its section.
    pub(crate) section: usize,
    pub(crate) zone: Option<HeaderZone>,
}

/// What a header has that the one before it hasn't.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    Nothing,
    Zone,
    Columns,
}

/// All parts of a file, in its order.
#[derive(Debug, Default)]
pub(crate) struct FileParts {
    pub(crate) sections: Vec<Arc<Section>>,
    pub(crate) all: Vec<FilePart>,
    pub(crate) dialect: Option<Dialect>,
    /// The sections by their separators and columns: for look-up only.
    section_at: HashMap<String, usize>,
    hosts: HostNames,
}

impl FileParts {
    /// Adds the part whose header begins at an offset. Returns where its rows begin, and what is new in it.
    pub(crate) fn add(
        &mut self,
        ofs: usize,
        text: &Text,
        health: &mut Health,
    ) -> Result<(usize, News), PdhTextError> {
        let header = Header::read(text, ofs)?;
        let key = key_of(&header);
        let section = if let Some(&section) = self.section_at.get(&key) {
            section
        } else {
            let layout = HeaderLayout::of(&header, &mut self.hosts, text, health)?;
            header.note(text, health);
            let (separator, is_glued) = (header.separator, header.is_glued);
            self.sections.push(Arc::new(Section { separator, is_glued, layout }));
            self.section_at.insert(key, self.sections.len() - 1);
            self.sections.len() - 1
        };
        let news = match self.all.last() {
            Some(before) if before.section != section => News::Columns,
            Some(before) if before.zone != header.zone => News::Zone,
            _ => News::Nothing,
        };
        self.dialect.get_or_insert(header.dialect);
        self.all.push(FilePart { ofs, section, zone: header.zone });
        Ok((header.ofs_rows, news))
    }

    /// The last part, and its columns.
    pub(crate) fn current(&self) -> Option<(usize, Arc<Section>)> {
        let part = self.all.last()?;
        Some((self.all.len() - 1, Arc::clone(&self.sections[part.section])))
    }
}

fn key_of(header: &Header) -> String {
    let mut key = String::from(char::from(header.separator));
    for cell in &header.cells {
        key.push('\n');
        key.push_str(&without_case(&cell.text));
    }
    key
}

/// A path as names compare: machines, objects and counters without case, instances as they are.
fn without_case(path: &str) -> String {
    match (path.find('('), path.rfind(')')) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{}{}", path[..start].to_lowercase(), &path[start..end], path[end..].to_lowercase())
        }
        _ => path.to_lowercase(),
    }
}
