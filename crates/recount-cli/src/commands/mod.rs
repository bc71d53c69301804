//! One file per subcommand.

pub(super) mod catalogue;
pub(super) mod completions;
pub(super) mod convert;
pub(super) mod diff;
pub(super) mod dump;
pub(super) mod info;
pub(super) mod list;
pub(super) mod man;
pub(super) mod mark;
pub(super) mod pack;
pub(super) mod query;
pub(super) mod record;
pub(super) mod repair;
pub(super) mod report;
pub(super) mod rules;
#[cfg(feature = "remote")]
pub(super) mod serve;
pub(super) mod show;
pub(super) mod stats;
pub(super) mod top;
pub(super) mod unpack;
pub(super) mod verify;
pub(super) mod view;
