//! A file in memory, which may stop to take anything.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use recount_capture::Storage;

/// A file in memory; its clones are the same file.
#[derive(Clone, Default)]
pub(super) struct Memory(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    dies_in_sealing: bool,
    is_dead: bool,
}

impl Memory {
    /// Nothing is taken any more when half of the first chunk is written over the tail: sealing is the only time that
    /// the writer writes before the end.
    pub(super) fn that_dies_in_sealing() -> Memory {
        Memory(Rc::new(RefCell::new(State { dies_in_sealing: true, ..State::default() })))
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.0.borrow().bytes.clone()
    }
}

impl Storage for Memory {
    fn write_at(&mut self, ofs: u64, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        if state.is_dead {
            return Ok(());
        }
        let ofs = ofs as usize;
        state.is_dead = state.dies_in_sealing && ofs < state.bytes.len();
        let bytes = if state.is_dead { &bytes[..bytes.len() / 2] } else { bytes };
        let end = state.bytes.len().max(ofs + bytes.len());
        state.bytes.resize(end, 0);
        state.bytes[ofs..ofs + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        if !state.is_dead {
            state.bytes.resize(len as usize, 0);
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
