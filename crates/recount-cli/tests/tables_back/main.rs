//! Tables as an input: what was made of a capture is made again of its tables, to the bit and in the same order.

mod captures;
mod inputs;
mod rows;
