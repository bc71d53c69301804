//! What a log says about itself.

use std::sync::Arc;

use recount_model::{CaptureInfo, Timestamp};

use crate::index::Index;
use crate::local_time::model_zone;
use crate::plan::Role;
use crate::structure::counter_list::Entry;
use crate::structure::trace_header::TraceHeader;

pub(crate) fn capture_info(index: &Index) -> CaptureInfo {
    let header = index.header.as_ref();
    let known = |time: Timestamp| (time.0 > 0).then_some(time);
    CaptureInfo {
        format: format!("Windows performance log (.blg), {}", flavour(index)),
        hosts: hosts(index),
        os: header.and_then(os),
        zone: header.map(|header| model_zone(&header.zone)),
        boot_time: header.and_then(|header| known(header.boot_time)),
        started: header.and_then(|header| known(header.start_time)),
        ended: header.and_then(|header| known(header.end_time)),
        details: header.map(|header| details(index, header)).unwrap_or_default(),
        ..CaptureInfo::default()
    }
}

fn flavour(index: &Index) -> &'static str {
    let mut roles = index.plans.iter().flat_map(|plan| &plan.roles);
    let (objects, all) = roles
        .by_ref()
        .fold((0, 0), |(objects, all), role| (objects + usize::from(*role == Role::Object), all + 1));
    match (objects, all) {
        (0, 0) => "without a counter list",
        (0, _) => "counter list",
        (objects, all) if objects == all => "whole objects",
        _ => "whole objects and counter list",
    }
}

fn hosts(index: &Index) -> Vec<Arc<str>> {
    let mut hosts: Vec<Arc<str>> = Vec::new();
    let named = |entry: &&Entry| !entry.host.is_empty();
    for entry in index.plans.iter().flat_map(|plan| &plan.entries).filter(named) {
        if !hosts.iter().any(|host| host.eq_ignore_ascii_case(&entry.host)) {
            hosts.push(entry.host.as_str().into());
        }
    }
    hosts
}

/// `None` for a log from another system, which has zeros there.
fn os(header: &TraceHeader) -> Option<String> {
    let [major, minor, ..] = header.os_version;
    if (major, header.os_build) == (0, 0) {
        return None;
    }
    let width = if header.len_pointer == 8 { "64-bit" } else { "32-bit" };
    Some(format!("Windows {major}.{minor} build {} {width}", header.os_build))
}

fn details(index: &Index, header: &TraceHeader) -> Vec<(String, String)> {
    let mut details = vec![
        ("log file".to_owned(), header.file_name.clone()),
        ("session".to_owned(), header.logger_name.clone()),
        ("buffers".to_owned(), format!("{} of {} bytes", index.num_buffers, header.len_buffer)),
        ("performance frequency".to_owned(), format!("{} Hz", header.perf_freq)),
    ];
    if header.cpu_mhz > 0 {
        details.push(("processor clock".to_owned(), format!("{} MHz", header.cpu_mhz)));
    }
    if header.is_circular() {
        details.push(("mode".to_owned(), format!("circular, at most {} MB", header.max_size_mb)));
    }
    details
}
