//! The texts of counters of type TEXT, formats/counter-types.md#texts.

use recount_bytes::{ByteOrder, Encoding, sized_text};
use recount_model::{Size, SubType, TypeClass};

use super::{CounterBlock, CounterDefinition, Object};

/// Where the text of a counter is in a counter block, and how it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextSlot {
    ofs: usize,
    /// `None` if it ends where its own length, or the block, says.
    len: Option<usize>,
    is_sized: bool,
    encoding: Encoding,
    order: ByteOrder,
}

impl TextSlot {
    /// `None` for a counter without texts.
    pub(crate) fn of(counter: &CounterDefinition<'_>, object: &Object<'_>) -> Option<TextSlot> {
        /// The code page of UTF-8, which includes ASCII.
        const UTF_8: u32 = 65001;
        let word = counter.counter_type;
        if word.class() != TypeClass::Text {
            return None;
        }
        let order = object.order();
        let encoding = match (word.subtype(), object.header().code_page) {
            (SubType::Unicode, _) => Encoding::Utf16(order),
            (SubType::Ascii, 0) => Encoding::CodePage(UTF_8),
            (SubType::Ascii, page) => Encoding::CodePage(page),
            _ => return None,
        };
        let stated = counter.len_value as usize;
        let len = match word.size() {
            Size::Dword => Some(4),
            Size::Large => Some(8),
            Size::Zero => Some(stated),
            // A definition may state nothing, or only the DWORD.
            Size::VariableLen => Some(stated).filter(|stated| *stated > 4),
        };
        let is_sized = word.size() == Size::VariableLen;
        Some(TextSlot { ofs: counter.ofs_value as usize, len, is_sized, encoding, order })
    }

    /// The bytes that all texts of a counter block may have together, as UTF-8. Each has its own bytes in the block, and at most
    /// three for one of them: hostile definitions could let many share the same.
    pub(crate) fn allowed(block: CounterBlock<'_>) -> usize {
        block.bytes().len().saturating_mul(3)
    }

    /// The text; `None` if the block has no bytes for it. `len_left` is what is left of what is [allowed](Self::allowed); more
    /// isn't decoded.
    pub(crate) fn read(self, block: CounterBlock<'_>, len_left: &mut usize) -> Option<String> {
        let data = block.bytes().get(self.ofs..)?;
        let data = match self.len {
            Some(len) => data.get(..len)?,
            None => data,
        };
        let data = if self.is_sized { sized_text(data, self.order) } else { data };
        let within = data.get(..*len_left).unwrap_or(data);
        let text = self.encoding.decode(within);
        if text.len() > *len_left || within.len() < data.len() && !self.ends_in(within) {
            *len_left = 0;
            return None;
        }
        *len_left -= text.len();
        Some(text)
    }

    /// Whether the NUL at the end of a text is among the bytes.
    fn ends_in(self, bytes: &[u8]) -> bool {
        match self.encoding {
            Encoding::Utf16(_) => bytes.chunks_exact(2).any(|unit| unit == [0, 0]),
            Encoding::CodePage(_) => bytes.contains(&0),
        }
    }
}
