//! Archives of PCP, as a source.

mod archive;
mod canonical;
mod mounted;
mod newborn;
mod stored_archives;
mod stored_canonical;
mod stored_damage;
mod support;
mod suspects;
