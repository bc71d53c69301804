//! What happened in captures: for `recount report`.

use recount_analysis::report::{CaptureFacts, Observed, ReportOptions, observe};
use recount_analysis::rules::RuleSet;
use recount_compute::{Input, Progress};
use recount_model::SampleTime;

use crate::{Capture, Span, inputs, is_zone_unknown};

/// Reads captures once, and collects what a report shows. Several captures become one time line.
pub fn report(
    captures: &[Capture],
    span: &Span,
    sets: &[RuleSet],
    options: &ReportOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Observed {
    let inputs = inputs(captures, span);
    let mut observed = observe(&inputs, facts(captures, &inputs), sets, options, progress);
    let mut health = crate::health_of(captures);
    health.absorb(std::mem::take(&mut observed.health));
    observed.health = health;
    observed
}

/// What captures say about themselves, restricted to the samples that are used.
pub fn facts(captures: &[Capture], inputs: &[Input]) -> CaptureFacts {
    let mut times: Vec<SampleTime> = inputs
        .iter()
        .flat_map(|input| {
            input.samples.iter().filter_map(|sample| input.source.times().get(*sample as usize))
        })
        .copied()
        .collect();
    times.sort_unstable();
    times.dedup_by_key(|time| time.utc);
    let infos = || captures.iter().map(|capture| capture.source.info());
    let mut hosts: Vec<String> = Vec::new();
    for host in infos().flat_map(|info| &info.hosts) {
        if !hosts.iter().any(|known| **known == **host) {
            hosts.push(host.to_string());
        }
    }
    let mut marks: Vec<_> = captures.iter().flat_map(Capture::marks).cloned().collect();
    marks.sort();
    let offset = times.first().map_or(0, |time| time.offset_min);
    CaptureFacts {
        names: captures.iter().map(Capture::name).collect(),
        os: infos().find_map(|info| info.os.clone()),
        zone: infos().find_map(|info| info.zone.as_ref()).map(|zone| zone.name_at(offset).to_owned()),
        is_zone_unknown: is_zone_unknown(captures),
        boot_time: if hosts.len() > 1 { None } else { infos().find_map(|info| info.boot_time) },
        hosts,
        times,
        notes: infos().flat_map(|info| notes(&info.details)).collect(),
        marks,
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
