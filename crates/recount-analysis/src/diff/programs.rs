//! Programs of which only one of the captures has processes.

use std::collections::{BTreeMap, HashSet};

use recount_tables::processes::is_process;

use super::side::Side;
use crate::shown::{quantity, short};
use crate::stats::Tallied;

/// Processor time in percent of one processor, over the whole capture, by the names of programs.
pub(super) type Programs = BTreeMap<String, f64>;

/// What uses less isn't named, in percent of one processor.
const LEAST: f64 = 1.0;
/// So many are named.
const MOST: usize = 3;

/// The programs of a capture.
pub(super) fn programs(side: &Side, series: &[Tallied]) -> Programs {
    let observed_s = series.iter().map(|tallied| tallied.series.moments.weight()).fold(0.0, f64::max);
    let mut programs = Programs::new();
    for tallied in series.iter().filter(|_| observed_s > 0.0) {
        let object = &side.roster.objects()[tallied.id.object as usize];
        let counter = &object.counters[tallied.id.counter as usize].name;
        let instance = &object.instances[tallied.id.instance as usize].instance;
        let has_values = object.name.eq_ignore_ascii_case("Process") && tallied.series.moments.count > 0;
        if let Some(instance) = instance.as_ref().filter(|one| has_values && is_process(one)) {
            let is_used_time = counter.eq_ignore_ascii_case("% Processor Time");
            let used = if is_used_time { tallied.series.moments.weighted() / observed_s } else { 0.0 };
            *programs.entry(instance.name.to_string()).or_default() += used;
        }
    }
    programs
}

/// Those that the other capture lacks, the busiest first. If the other has no processes at all, nothing is known.
pub(super) fn only_in(programs: &Programs, other: &Programs) -> Vec<(String, f64)> {
    let known: HashSet<String> = other.keys().map(|name| name.to_lowercase()).collect();
    let is_new = |(name, used): &(&String, &f64)| !known.contains(&name.to_lowercase()) && **used >= LEAST;
    let mut only: Vec<(String, f64)> =
        programs.iter().filter(is_new).map(|(name, used)| (name.clone(), *used)).collect();
    only.sort_by(|a, b| b.1.total_cmp(&a.1));
    if other.is_empty() { Vec::new() } else { only }
}

/// A sentence about the programs that only one side has: `programs only in the base: cc1 (96 % of a processor)`.
pub(super) fn only_in_words(side: &str, programs: &[(String, f64)]) -> String {
    let named = programs.iter().take(MOST).enumerate().map(|(at, (name, used))| {
        let unit = if at == 0 { " of a processor" } else { "" };
        format!("{} ({}{unit})", short(name), quantity(*used, "%"))
    });
    let named = named.collect::<Vec<_>>().join(", ");
    let more = match programs.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("programs only in the {side}: {named}{more}")
}
