//! Blocks written sample by sample.

mod stream;
mod template;

pub use stream::{BlockClocks, BlockStream, InstanceName, ObjectStream, Values};
pub use template::ObjectTemplate;
