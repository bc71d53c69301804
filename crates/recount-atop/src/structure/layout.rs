//! Computes the offsets of a structure's fields from their order: the structures are the recorder's memory, laid out by
//! the rules of C on x86-64, so the order of the fields determines the layout.

use std::collections::HashMap;

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A character of one byte.
    C8,
    /// A signed byte.
    I8,
    /// An unsigned byte.
    U8,
    /// 16 bits, signed.
    I16,
    /// 16 bits, unsigned.
    U16,
    /// 32 bits, signed.
    I32,
    /// 32 bits, unsigned.
    U32,
    /// 64 bits, signed.
    I64,
    /// 64 bits, unsigned.
    U64,
    /// A float of 32 bits.
    F32,
    /// Text of at most this many bytes, ended by NUL if it is shorter.
    Text(usize),
}

impl Type {
    const fn len(self) -> usize {
        match self {
            Type::C8 | Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 => 8,
            Type::Text(len) => len,
        }
    }

    const fn align(self) -> usize {
        match self {
            Type::Text(_) => 1,
            other => other.len(),
        }
    }
}

/// The meaning of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The increase in the interval; in a sample since boot, the total.
    Difference,
    /// The state at the time of the sample.
    Gauge,
    /// A name, an id, a size.
    Static,
    /// A difference or a gauge, as another field says.
    Either,
    /// Something else, such as flags.
    Other,
}

/// A line of a structure's table.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    since: u8,
    until: u8,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Fields(Type, Kind, &'static [&'static str]),
    Reserved(Type, usize),
    Block(&'static str, &'static [Item]),
    Array(&'static str, usize, &'static [Item]),
}

impl Item {
    const fn new(what: What) -> Item {
        Item { since: 0, until: u8::MAX, what }
    }

    /// Only in versions 2.`minor` and later.
    pub(super) const fn since(self, minor: u8) -> Item {
        Item { since: minor, ..self }
    }

    /// Only in versions up to 2.`minor`.
    pub(super) const fn until(self, minor: u8) -> Item {
        Item { until: minor, ..self }
    }

    fn is_in(&self, minor: u8) -> bool {
        (self.since..=self.until).contains(&minor)
    }

    fn align(&self, minor: u8) -> usize {
        match self.what {
            What::Fields(kind, ..) | What::Reserved(kind, _) => kind.align(),
            What::Block(_, items) | What::Array(_, _, items) => align_of(items, minor),
        }
    }
}

fn align_of(items: &[Item], minor: u8) -> usize {
    items.iter().filter(|item| item.is_in(minor)).map(|item| item.align(minor)).max().unwrap_or(1)
}

/// Consecutive fields of one type and kind.
pub(super) const fn fields(of: Type, kind: Kind, names: &'static [&'static str]) -> Item {
    Item::new(What::Fields(of, kind, names))
}

/// Differences of 64 bits.
pub(super) const fn diffs(names: &'static [&'static str]) -> Item {
    fields(Type::I64, Kind::Difference, names)
}

/// Gauges of 64 bits.
pub(super) const fn gauges(names: &'static [&'static str]) -> Item {
    fields(Type::I64, Kind::Gauge, names)
}

/// Names, ids and sizes.
pub(super) const fn facts(of: Type, names: &'static [&'static str]) -> Item {
    fields(of, Kind::Static, names)
}

/// Space that must not be read.
pub(super) const fn reserved(of: Type, num: usize) -> Item {
    Item::new(What::Reserved(of, num))
}

/// A structure within the structure.
pub(super) const fn block(name: &'static str, items: &'static [Item]) -> Item {
    Item::new(What::Block(name, items))
}

/// Space for this many structures.
pub(super) const fn array(name: &'static str, room: usize, items: &'static [Item]) -> Item {
    Item::new(What::Array(name, room, items))
}

/// Where a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Offset in the structure; in an array, that of the first entry.
    pub ofs: usize,
    /// Its type.
    pub of: Type,
    /// What it says.
    pub kind: Kind,
    /// Length of an entry of the array; 0 outside arrays.
    pub len_entry: usize,
    /// Capacity of the array in entries; 1 outside arrays.
    pub room: usize,
}

impl Slot {
    fn bytes<'a>(&self, structure: &'a [u8], entry: usize) -> &'a [u8] {
        let ofs = self.ofs + entry * self.len_entry;
        structure.get(ofs..ofs + self.of.len()).unwrap_or_default()
    }

    /// The field as a number; 0 for text and beyond the end. Floats are truncated to integers.
    pub fn int(&self, structure: &[u8], entry: usize) -> i64 {
        let bytes = self.bytes(structure, entry);
        let mut wide = [0; 8];
        let Some(room) = wide.get_mut(..bytes.len()) else { return 0 };
        room.copy_from_slice(bytes);
        let word = u64::from_le_bytes(wide);
        match self.of {
            Type::Text(_) => 0,
            Type::F32 => f32::from_bits(word as u32) as i64,
            Type::I8 => i64::from(word as i8),
            Type::I16 => i64::from(word as i16),
            Type::I32 => i64::from(word as i32),
            Type::U64 => i64::try_from(word).unwrap_or(i64::MAX),
            Type::C8 | Type::U8 | Type::U16 | Type::U32 | Type::I64 => word as i64,
        }
    }

    /// The field as a float: a 32-bit one becomes the decimal number from which it was made.
    pub fn float(&self, structure: &[u8], entry: usize) -> f64 {
        match (self.of, self.bytes(structure, entry).try_into()) {
            (Type::F32, Ok(bytes)) => f32::from_le_bytes(bytes).to_string().parse().unwrap_or(f64::NAN),
            _ => self.int(structure, entry) as f64,
        }
    }

    /// The field as text, up to its NUL; invalid UTF-8 is replaced.
    pub fn text<'a>(&self, structure: &'a [u8], entry: usize) -> std::borrow::Cow<'a, str> {
        let bytes = self.bytes(structure, entry);
        let len = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..len])
    }
}

/// The layout of a structure in one version.
#[derive(Debug, Default)]
pub struct Layout {
    /// Length of the structure.
    pub len: usize,
    fields: Vec<(String, Slot)>,
    index: HashMap<String, usize>,
    /// Capacities of arrays in entries.
    rooms: HashMap<String, usize>,
}

impl Layout {
    /// The layout in version 2.`minor`.
    pub fn new(items: &[Item], minor: u8) -> Layout {
        let mut layout = Layout::default();
        layout.len = layout.place(items, minor, "", 0, (0, 1));
        let names = layout.fields.iter().enumerate();
        layout.index = names.map(|(at, (name, _))| (name.clone(), at)).collect();
        layout
    }

    /// A field by its name, as in `cpu.all.idle`; `None` if the version doesn't have it.
    pub fn slot(&self, name: &str) -> Option<Slot> {
        self.index.get(name).map(|at| self.fields[*at].1)
    }

    /// Capacity of an array in entries, by its name, as in `disk.disks`; 0 if the version doesn't have it.
    pub fn room(&self, array: &str) -> usize {
        self.rooms.get(array).copied().unwrap_or(0)
    }

    /// All fields in order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, Slot)> {
        self.fields.iter().map(|(name, slot)| (name.as_str(), *slot))
    }

    /// Places the items of a structure from `start` on; returns the structure's length.
    fn place(
        &mut self,
        items: &[Item],
        minor: u8,
        prefix: &str,
        start: usize,
        entry: (usize, usize),
    ) -> usize {
        let mut ofs = start;
        for item in items.iter().filter(|item| item.is_in(minor)) {
            ofs = ofs.next_multiple_of(item.align(minor));
            match item.what {
                What::Reserved(of, num) => ofs += num * of.len(),
                What::Fields(of, kind, names) => {
                    for name in names {
                        let slot = Slot { ofs, of, kind, len_entry: entry.0, room: entry.1 };
                        self.fields.push((format!("{prefix}{name}"), slot));
                        ofs += of.len();
                    }
                }
                What::Block(name, items) => {
                    ofs += self.place(items, minor, &format!("{prefix}{name}."), ofs, entry);
                }
                What::Array(name, room, items) => {
                    let len_entry = Layout::new(items, minor).len;
                    self.place(items, minor, &format!("{prefix}{name}."), ofs, (len_entry, room));
                    self.rooms.insert(format!("{prefix}{name}"), room);
                    ofs += room * len_entry;
                }
            }
        }
        (ofs - start).next_multiple_of(align_of(items, minor))
    }
}
