//! What happened in captures: for `recount report`.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_analysis::baseline::{Baseline, Comparison};
use recount_analysis::changes::changes_of_report;
use recount_analysis::report::{CaptureFacts, Observed, ReportOptions, observe_with};
use recount_analysis::rules::RuleSet;
use recount_compute::{Cancelled, Cooked, OnProgress, Rhythm};
use recount_model::Timestamp;

use crate::{Capture, Timeline};

/// Reads captures once, and collects what a report shows.
pub fn report(
    timeline: &Timeline,
    sets: &[RuleSet],
    options: &ReportOptions,
    progress: OnProgress<'_>,
) -> Result<Observed, Cancelled> {
    report_against(timeline, sets, options, None, progress)
}

/// Reads captures once, and collects what a report shows, with what is unusual against a baseline.
pub fn report_against(
    timeline: &Timeline,
    sets: &[RuleSet],
    options: &ReportOptions,
    baseline: Option<&Baseline>,
    progress: OnProgress<'_>,
) -> Result<Observed, Cancelled> {
    let facts = facts(timeline);
    let mut comparison = baseline.map(|baseline| Comparison::new(baseline, &facts));
    let mut observed = observed(timeline, sets, (facts, options), progress, |batch| {
        if let Some(comparison) = &mut comparison {
            comparison.add(batch);
        }
    })?;
    let is_zone_unknown = observed.facts.is_zone_unknown;
    observed.baseline =
        comparison.map(|comparison| comparison.finish(&observed.facts).for_report(is_zone_unknown));
    Ok(observed)
}

/// What a report shows, for another consumer of the values as well.
pub(super) fn observed(
    timeline: &Timeline,
    sets: &[RuleSet],
    (facts, options): (CaptureFacts, &ReportOptions),
    progress: OnProgress<'_>,
    mut also: impl FnMut(&[Cooked]) + Send,
) -> Result<Observed, Cancelled> {
    let mut observed = observe_with(timeline.inputs(), facts, sets, options, |batch, step| {
        also(batch);
        Cancelled::check(progress(step))
    })?;
    observed.changed = changes_of_report(&observed);
    timeline.add_health(&mut observed.health);
    Ok(observed)
}

/// What captures say about themselves, restricted to the samples that are used.
pub fn facts(timeline: &Timeline) -> CaptureFacts {
    let infos = || timeline.captures().iter().map(|capture| capture.source.info());
    let hosts: Vec<String> = timeline.hosts().iter().map(ToString::to_string).collect();
    let times = timeline.times();
    let offset = times.first().map_or(0, |time| time.offset_min);
    let rhythm = Arc::new(Rhythm::of(timeline.inputs()));
    CaptureFacts {
        names: timeline.captures().iter().map(Capture::name).collect(),
        os: infos().find_map(|info| info.os.clone()),
        zone: infos().find_map(|info| info.zone.as_ref()).map(|zone| zone.name_at(offset).to_owned()),
        is_zone_unknown: timeline.is_zone_unknown(),
        boot_time: if hosts.len() > 1 { None } else { infos().find_map(|info| info.boot_time) },
        hosts,
        restarts: restarts(timeline),
        times,
        interval_s: rhythm.interval_s(),
        gaps: rhythm.gaps(timeline.inputs()),
        rhythm,
        notes: infos().flat_map(|info| notes(&info.details)).collect(),
        marks: timeline.marks(),
    }
}

/// When machines were booted between two of the samples that are used, as far as captures say in which samples a boot begins. A capture that names no machine
/// counts only if it is alone.
fn restarts(timeline: &Timeline) -> Vec<(Timestamp, String)> {
    /// The time of a boot is an estimate.
    const SLACK: i64 = 30 * Timestamp::TICKS_PER_SECOND;
    let mut restarts: Vec<(Timestamp, String)> = Vec::new();
    for (host, Samples { mut times, boots }) in samples_of_machines(timeline) {
        times.sort_unstable();
        for (first, boot) in boots {
            let before = times[..times.partition_point(|time| *time < first)].last();
            // What was sampled after it is the same boot by another clock.
            let is_between = before.is_some_and(|before| before.0 <= boot.0.saturating_add(SLACK));
            let is_known =
                |(known, of): &(Timestamp, String)| *of == host && known.0.abs_diff(boot.0) <= SLACK as u64;
            if is_between && !restarts.iter().any(is_known) {
                let to_second = boot.0 - boot.0.rem_euclid(Timestamp::TICKS_PER_SECOND);
                restarts.push((Timestamp(to_second), host.clone()));
            }
        }
    }
    restarts.sort_unstable();
    restarts
}

/// The samples of a machine.
#[derive(Default)]
struct Samples {
    times: Vec<Timestamp>,
    /// The first sample of each epoch of which it is known when the machine was booted, and when.
    boots: Vec<(Timestamp, Timestamp)>,
}

fn samples_of_machines(timeline: &Timeline) -> BTreeMap<String, Samples> {
    let mut machines: BTreeMap<String, Samples> = BTreeMap::new();
    let is_alone = timeline.captures().len() == 1;
    for input in timeline.inputs() {
        let source = &input.source;
        let host = source.info().hosts.first().map(ToString::to_string);
        let Some(host) = host.or_else(|| is_alone.then(String::new)) else { continue };
        let Samples { times, boots } = machines.entry(host).or_default();
        let mut epoch = None;
        for sample in input.samples.iter().map(|sample| *sample as usize) {
            let time = source.times()[sample].utc;
            times.push(time);
            if epoch.replace(source.epoch(sample)) != Some(source.epoch(sample)) {
                boots.extend(source.counts_since(sample).boot_time.map(|boot| (time, boot)));
            }
        }
    }
    machines
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
