//! The ETL container: buffers, events, and the trace header in the first of them.

pub(crate) mod buffer;
pub(crate) mod event;
pub(crate) mod trace_header;

pub use buffer::Buffer;
pub use event::{Event, PdhEvent};
pub use trace_header::TraceHeader;
