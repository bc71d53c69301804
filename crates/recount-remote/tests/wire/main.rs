//! Client and server over TCP on this machine.

mod access;
mod methods;
mod outage;
mod registry;
mod rig;
mod sessions;
