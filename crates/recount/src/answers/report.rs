//! What happened in captures: for `recount report`.

use recount_analysis::report::{CaptureFacts, Observed, ReportOptions, observe};
use recount_analysis::rules::RuleSet;
use recount_compute::{Cancelled, OnProgress};

use crate::{Capture, Timeline};

/// Reads captures once, and collects what a report shows.
pub fn report(
    timeline: &Timeline,
    sets: &[RuleSet],
    options: &ReportOptions,
    progress: OnProgress<'_>,
) -> Result<Observed, Cancelled> {
    let mut observed = observe(timeline.inputs(), facts(timeline), sets, options, progress)?;
    let mut health = timeline.health();
    health.absorb(std::mem::take(&mut observed.health));
    observed.health = health;
    Ok(observed)
}

/// What captures say about themselves, restricted to the samples that are used.
pub fn facts(timeline: &Timeline) -> CaptureFacts {
    let infos = || timeline.captures().iter().map(|capture| capture.source.info());
    let hosts: Vec<String> = timeline.hosts().iter().map(ToString::to_string).collect();
    let times = timeline.times();
    let offset = times.first().map_or(0, |time| time.offset_min);
    CaptureFacts {
        names: timeline.captures().iter().map(Capture::name).collect(),
        os: infos().find_map(|info| info.os.clone()),
        zone: infos().find_map(|info| info.zone.as_ref()).map(|zone| zone.name_at(offset).to_owned()),
        is_zone_unknown: timeline.is_zone_unknown(),
        boot_time: if hosts.len() > 1 { None } else { infos().find_map(|info| info.boot_time) },
        hosts,
        times,
        notes: infos().flat_map(|info| notes(&info.details)).collect(),
        marks: timeline.marks(),
    }
}

/// What a recorder says about itself and a reader has to know to trust the rest.
fn notes(details: &[(String, String)]) -> impl Iterator<Item = String> {
    const SHOWN: [&str; 4] = ["late", "missed", "suspended", "clock"];
    let is_shown = |name: &str| SHOWN.iter().any(|word| name.contains(word)) && !name.contains("ticks");
    details
        .iter()
        .filter(move |(name, value)| is_shown(name) && value != "0")
        .map(|(name, value)| format!("{name}: {value}"))
}
