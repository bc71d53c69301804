//! What stands in the messages.

pub(crate) mod catalog;
pub(crate) mod counter_list;
pub(crate) mod data_block;
pub(crate) mod name_table;
