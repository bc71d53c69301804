//! The walk over the container: buffers, and the events in them (formats/blg.md#buffers).

pub(crate) mod buffer;
pub(crate) mod event;

pub use buffer::{Buffer, Buffers};
pub(crate) use event::events_of;
pub use event::{Event, PdhEvent, events};
