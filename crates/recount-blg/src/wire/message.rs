//! Messages (formats/blg.md#messages).

use super::fields::Found;
use super::{Catalog, CounterList, DataBlock, NameTable, WireError};
use crate::message;

/// A message: what one or more events carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// 0x24
    NameTable(NameTable),
    /// 0x20
    CounterList(CounterList),
    /// 0x22
    DataBlock(DataBlock),
    /// 0x23
    Catalog(Catalog),
    /// Any other.
    Unknown {
        /// Message type.
        message_type: u8,
        /// All of it.
        payload: Vec<u8>,
    },
}

impl Message {
    /// The message type that events state.
    pub fn message_type(&self) -> u8 {
        match self {
            Message::NameTable(_) => message::NAME_TABLE,
            Message::CounterList(_) => message::COUNTER_LIST,
            Message::DataBlock(_) => message::DATA_BLOCK,
            Message::Catalog(_) => message::CATALOG,
            Message::Unknown { message_type, .. } => *message_type,
        }
    }

    pub(super) fn parse(message_type: u8, payload: &[u8]) -> Found<Message> {
        Ok(match message_type {
            message::NAME_TABLE => Message::NameTable(NameTable::parse(payload)?),
            message::COUNTER_LIST => Message::CounterList(CounterList::parse(payload)?),
            message::DATA_BLOCK => Message::DataBlock(DataBlock::parse(payload)?),
            message::CATALOG => Message::Catalog(Catalog::parse(payload)?),
            _ => Message::Unknown { message_type, payload: payload.to_vec() },
        })
    }

    /// The payload, before it is cut in fragments.
    pub(super) fn encode(&self) -> Result<Vec<u8>, WireError> {
        match self {
            Message::NameTable(table) => Ok(table.encode()),
            Message::CounterList(list) => Ok(list.encode()),
            Message::DataBlock(block) => block.encode(),
            Message::Catalog(catalog) => catalog.encode(),
            Message::Unknown { payload, .. } => Ok(payload.clone()),
        }
    }
}
