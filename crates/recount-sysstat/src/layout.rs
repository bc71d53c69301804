//! Where the fields of an item are in this file.

use recount_bytes::FormatError;

use crate::names::{Activity, Kind, List, Shape};
use crate::structure::activity::{self, FileActivity};
use crate::structure::number::{Numbers, Triple, unexpected};

/// A field of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) ofs: usize,
}

/// The fields that the items of an activity have in this file.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) activity: &'static str,
    pub(crate) list: List,
    pub(crate) fields: Vec<Field>,
}

impl Layout {
    /// The layout of an activity that is known.
    ///
    /// Groups are split by the numbers of fields stated in the file: fields that the file lacks are left out, and
    /// fields unknown to us are skipped. A layout with more fields in one group and fewer in another can't belong to
    /// this magic.
    pub(crate) fn of(activity: &Activity, shape: Shape, file: &FileActivity) -> Result<Layout, FormatError> {
        let mut fields = Vec::new();
        let mut add = |name, kind, ofs: usize, len: usize| {
            // A text may be cut off by the end of the item.
            let is_inside = ofs + if matches!(kind, Kind::Text(_)) { 1 } else { len } <= file.len_item;
            if is_inside {
                fields.push(Field { name, kind, ofs });
            }
        };
        match shape {
            Shape::Groups(groups) => {
                let [quads, longs, words] =
                    [groups.quads, groups.longs, groups.words].map(|names| names.split_whitespace());
                let count = |names: &str| names.split_whitespace().count() as u32;
                let ours = Triple::new(count(groups.quads), count(groups.longs), count(groups.words));
                if !file.types.covers(ours) && !ours.covers(file.types) {
                    let expected =
                        format!("{ours}, or all numbers as high or all as low, for {}", activity.name);
                    return Err(unexpected(activity::NAME, "types", file.ofs, expected, file.types));
                }
                for (index, name) in quads.enumerate() {
                    file.types.quad(index as u32).into_iter().for_each(|ofs| add(name, Kind::Quad, ofs, 8));
                }
                for (index, name) in longs.enumerate() {
                    file.types.long(index as u32).into_iter().for_each(|ofs| add(name, Kind::Long, ofs, 8));
                }
                for (index, name) in words.enumerate() {
                    file.types.word(index as u32).into_iter().for_each(|ofs| add(name, Kind::Word, ofs, 4));
                }
                let mut ofs = file.types.len() as usize;
                for &(name, len) in groups.tail {
                    add(name, if len == 1 { Kind::Byte } else { Kind::Text(len) }, ofs, len);
                    ofs += len;
                }
            }
            Shape::Spans(spans) => {
                for span in spans {
                    let len = match span.kind {
                        Kind::Quad | Kind::Long | Kind::NarrowLong | Kind::NarrowQuad => 8,
                        Kind::Word => 4,
                        Kind::Byte | Kind::Text(_) => 1,
                    };
                    for (index, name) in span.names.split_whitespace().enumerate() {
                        add(name, span.kind, span.at + index * span.step, len);
                    }
                }
            }
        }
        Ok(Layout { activity: activity.name, list: activity.list, fields })
    }

    /// The field of that name.
    pub(crate) fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|field| field.name == name).copied()
    }

    /// Whether the layout has all of these fields.
    pub(crate) fn has_all(&self, names: &str) -> bool {
        names.split_whitespace().all(|name| self.field(name).is_some())
    }
}

impl Field {
    /// The number, if the field is numeric and the item contains it.
    #[inline]
    pub(crate) fn number(self, numbers: Numbers, item: &[u8]) -> Option<u64> {
        match self.kind {
            Kind::Quad => numbers.get(item, self.ofs),
            Kind::Long | Kind::NarrowLong => numbers.long(item, self.ofs),
            Kind::NarrowQuad => numbers.narrow_quad(item, self.ofs),
            Kind::Word => numbers.get::<u32>(item, self.ofs).map(u64::from),
            Kind::Byte => numbers.get::<u8>(item, self.ofs).map(u64::from),
            Kind::Text(_) => None,
        }
    }

    /// The bytes of a text, up to its NUL.
    pub(crate) fn text(self, item: &[u8]) -> &[u8] {
        let Kind::Text(len) = self.kind else { return &[] };
        let bytes = item.get(self.ofs..).unwrap_or_default();
        crate::structure::number::until_nul(&bytes[..bytes.len().min(len)])
    }

    /// Whether its values are below 2^32 and wrap around there.
    pub(crate) fn is_narrow(self, numbers: Numbers) -> bool {
        match self.kind {
            Kind::Quad => false,
            Kind::Long => numbers.len_long == 4,
            Kind::Word | Kind::NarrowLong | Kind::NarrowQuad | Kind::Byte | Kind::Text(_) => true,
        }
    }
}
