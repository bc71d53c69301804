//! Resource limits of a server.

/// Limits on the state that a server keeps for its clients, and on its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Maximum number of open query handles; one more is `ERROR_NO_SYSTEM_RESOURCES` (MS-PCQ 3.1.4.1.4).
    pub num_handles: usize,
    /// Maximum bytes of the state of all queries plus the current answer or request; more is
    /// `ERROR_OUTOFMEMORY`.
    pub len_memory: usize,
}

impl Default for ServerLimits {
    /// 1024 handles and 1 GiB.
    fn default() -> ServerLimits {
        ServerLimits { num_handles: 1024, len_memory: 1 << 30 }
    }
}

/// The bytes in use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    limit: usize,
    held: usize,
}

impl Memory {
    pub(super) fn new(limit: usize) -> Memory {
        Memory { limit, held: 0 }
    }

    /// Whether there is room for `len` more bytes.
    pub(super) fn has_room(&self, len: usize) -> bool {
        len <= self.limit - self.held
    }

    /// Takes `len` bytes, if available.
    pub(super) fn take(&mut self, len: usize) -> bool {
        let has_room = self.has_room(len);
        if has_room {
            self.held += len;
        }
        has_room
    }

    /// Returns taken bytes.
    pub(super) fn give_back(&mut self, len: usize) {
        self.held = self.held.saturating_sub(len);
    }

    /// Bytes in use.
    pub(super) fn held(&self) -> usize {
        self.held
    }
}
