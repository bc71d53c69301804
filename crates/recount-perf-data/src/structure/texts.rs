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

    /// The text; `None` if the block has no bytes for it.
    pub(crate) fn read(self, block: CounterBlock<'_>) -> Option<String> {
        let data = block.bytes().get(self.ofs..)?;
        let data = match self.len {
            Some(len) => data.get(..len)?,
            None => data,
        };
        Some(self.encoding.decode(if self.is_sized { sized_text(data, self.order) } else { data }))
    }
}
