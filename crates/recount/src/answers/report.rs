//! What happened in captures: for `recount report`.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_analysis::baseline::{Baseline, Comparison};
use recount_analysis::changes::changes_of_report;
use recount_analysis::report::{CaptureFacts, HostGaps, Observed, ReportOptions, observe_with};
use recount_analysis::rules::RuleSet;
use recount_compute::{Cancelled, Cooked, Input, OnProgress, Rhythm};
use recount_model::{SampleTime, Timestamp};

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
    let gaps = rhythm.gaps(timeline.inputs(), None);
    CaptureFacts {
        names: timeline.captures().iter().map(Capture::name).collect(),
        os: infos().find_map(|info| info.os.clone()),
        zone: infos().find_map(|info| info.zone.as_ref()).map(|zone| zone.name_at(offset).to_owned()),
        is_zone_unknown: timeline.is_zone_unknown(),
        boot_time: if hosts.len() > 1 { None } else { infos().find_map(|info| info.boot_time) },
        hosts,
        restarts: restarts(timeline),
        has_several_offsets: times.windows(2).any(|pair| pair[0].offset_min != pair[1].offset_min),
        times,
        interval_s: rhythm.interval_s(),
        gaps_of_hosts: gaps_of_hosts(&rhythm, timeline, &gaps),
        gaps,
        rhythm,
        notes: infos().flat_map(|info| notes(&info.details)).collect(),
        marks: timeline.marks(),
    }
}

/// Of several machines: the gaps that aren't gaps of all. Those that the same captures are about have the same.
fn gaps_of_hosts(rhythm: &Rhythm, timeline: &Timeline, of_all: &[(SampleTime, SampleTime)]) -> Vec<HostGaps> {
    /// Of a gap: as much is one of all.
    const MOST_OF_IT: f64 = 0.9;
    let hosts = timeline.hosts();
    if hosts.len() < 2 {
        return Vec::new();
    }
    let mut by_inputs: BTreeMap<Vec<usize>, Vec<String>> = BTreeMap::new();
    for host in &hosts {
        let inputs = timeline.inputs().iter().enumerate();
        let own = inputs.filter(|(_, input)| input.source.info().may_be_of(host)).map(|(at, _)| at).collect();
        by_inputs.entry(own).or_default().push(host.to_string());
    }
    let is_own = |(from, to): &(SampleTime, SampleTime)| {
        let common_s = |(begin, end): &(SampleTime, SampleTime)| {
            end.utc.min(to.utc).seconds_since(begin.utc.max(from.utc)).max(0.0)
        };
        of_all.iter().map(common_s).sum::<f64>() < MOST_OF_IT * to.utc.seconds_since(from.utc)
    };
    let of_hosts = by_inputs.into_values().map(|hosts| {
        let gaps = rhythm.gaps(timeline.inputs(), hosts.first().map(String::as_str));
        HostGaps { hosts, gaps: gaps.into_iter().filter(is_own).collect() }
    });
    of_hosts.filter(|of| !of.gaps.is_empty()).collect()
}

/// When machines were booted between two of the samples that are used, as far as captures say in which samples a boot begins. A capture that names no machine
/// counts only if it is alone.
fn restarts(timeline: &Timeline) -> Vec<(Timestamp, String)> {
    let is_alone = timeline.captures().len() == 1;
    let mut machines: BTreeMap<String, (String, Vec<&Input>)> = BTreeMap::new();
    for input in timeline.inputs() {
        let host = input.source.info().hosts.first().map(ToString::to_string);
        let Some(host) = host.or_else(|| is_alone.then(String::new)) else { continue };
        machines.entry(host.to_ascii_lowercase()).or_insert((host, Vec::new())).1.push(input);
    }
    let restarts = machines
        .into_values()
        .flat_map(|(host, inputs)| restarts_of(&inputs).into_iter().map(move |boot| (boot, host.clone())));
    let mut restarts: Vec<(Timestamp, String)> = restarts.collect();
    restarts.sort_unstable();
    restarts
}

/// When a machine was booted between two samples, to the second.
fn restarts_of(inputs: &[&Input]) -> Vec<Timestamp> {
    /// The time of a boot is an estimate.
    const SLACK: i64 = 30 * Timestamp::TICKS_PER_SECOND;
    let mut boots: Vec<(Timestamp, Timestamp)> = inputs.iter().flat_map(|input| boots(input)).collect();
    boots.sort_unstable();
    let is_between = |(first, boot): (Timestamp, Timestamp)| {
        let before = inputs.iter().filter_map(|input| last_before(input, first)).max();
        // What was sampled after it is of the same boot by another clock.
        before.is_some_and(|before| before.0 <= boot.0.saturating_add(SLACK))
    };
    let mut known: Vec<Timestamp> = Vec::new();
    let mut restarts = Vec::new();
    for (first, boot) in boots {
        let is_near = |known: &Timestamp, slack: i64| known.0.abs_diff(boot.0) <= slack as u64;
        let is_known = known.iter().rev().any(|known| is_near(known, SLACK));
        // Estimates of one boot drift.
        if !known.last().is_some_and(|last| is_near(last, Timestamp::TICKS_PER_SECOND)) {
            known.push(boot);
        }
        if !is_known && is_between((first, boot)) {
            restarts.push(Timestamp(boot.0 - boot.0.rem_euclid(Timestamp::TICKS_PER_SECOND)));
        }
    }
    restarts
}

/// The first sample of each epoch of which it is known when the machine was booted, and when.
fn boots(input: &Input) -> Vec<(Timestamp, Timestamp)> {
    let source = &input.source;
    let mut boots = Vec::new();
    let mut epoch = None;
    for sample in input.samples.iter().map(|sample| *sample as usize) {
        if epoch.replace(source.epoch(sample)) != Some(source.epoch(sample)) {
            let boot = source.counts_since(sample).boot_time;
            boots.extend(boot.map(|boot| (source.times()[sample].utc, boot)));
        }
    }
    boots
}

/// The last sample of an input that is used before a time.
fn last_before(input: &Input, time: Timestamp) -> Option<Timestamp> {
    let times = input.source.times();
    let past = input.samples.partition_point(|sample| times[*sample as usize].utc < time);
    Some(times[*input.samples.get(past.checked_sub(1)?)? as usize].utc)
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
