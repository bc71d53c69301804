//! Tables as an input: outputs made from tables equal those made from the capture, to the bit and in the same
//! order.

mod captures;
mod inputs;
mod rows;
