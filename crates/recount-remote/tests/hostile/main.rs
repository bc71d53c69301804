//! Peers that don't keep to the protocol, and PDUs with changed bytes.

mod client;
mod mutated;
mod pdus;
mod registry;
mod server;
mod smb;
