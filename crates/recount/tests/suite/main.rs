//! The library as its users call it.

mod batches;
#[cfg(unix)]
mod became_shorter;
mod bundles;
mod cancelled;
mod catalogue;
mod daily;
mod damage_found_late;
mod damaged_copies;
#[cfg(all(feature = "analysis", feature = "record"))]
mod examples;
mod exposition;
#[cfg(feature = "analysis")]
mod figures;
mod given;
mod ledger;
mod metrics;
mod overlapping_dumps;
mod overlapping_formats;
mod overlaps;
mod pcp_files;
mod recordings;
mod redact;
mod stored_pcp;
mod time_machine;
mod timeline;
mod windows;
