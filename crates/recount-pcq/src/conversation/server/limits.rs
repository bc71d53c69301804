//! What a server may use.

/// Bounds of what a server keeps for its clients and makes for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Query handles that are open at once; one more is `ERROR_NO_SYSTEM_RESOURCES` (MS-PCQ 3.1.4.1.4).
    pub num_handles: usize,
    /// Bytes of the state of all queries, and of the answer or request under way; more is `ERROR_OUTOFMEMORY`.
    pub len_memory: usize,
}

impl Default for ServerLimits {
    /// 1024 handles and 1 GiB.
    fn default() -> ServerLimits {
        ServerLimits { num_handles: 1024, len_memory: 1 << 30 }
    }
}

/// The bytes that are in use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    limit: usize,
    held: usize,
}

impl Memory {
    pub(super) fn new(limit: usize) -> Memory {
        Memory { limit, held: 0 }
    }

    /// Whether there is room for `len` bytes more.
    pub(super) fn has_room(&self, len: usize) -> bool {
        len <= self.limit - self.held
    }

    /// Takes `len` bytes, if there are so many.
    pub(super) fn take(&mut self, len: usize) -> bool {
        let has_room = self.has_room(len);
        if has_room {
            self.held += len;
        }
        has_room
    }

    /// Gives back what was taken.
    pub(super) fn give_back(&mut self, len: usize) {
        self.held = self.held.saturating_sub(len);
    }

    /// Bytes in use.
    pub(super) fn held(&self) -> usize {
        self.held
    }
}
