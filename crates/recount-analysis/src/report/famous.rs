//! First charts of counters that no list has: by fame, and by how much they move.

use super::candidate::{Candidate, Charted, MAX_SERIES};

/// Words in names of objects and counters, by what people look for first. Each class has a chart before one has two.
const CLASSES: [&[&str]; 5] = [
    &["% processor time", "cpu", "% used", "utili", "load average", "% run"],
    &["available", "working set", "life expectancy", "hit ratio", "swap", "balloon", "heap", "memory"],
    &["sec/", "latency", "response time", "await", "duration", "millisec"],
    &["bytes", "batch requests", "transactions", "requests/sec", "packets", "throughput"],
    &["queue", "wait", "blocked", "error", "deadlock", "retrans", "fail"],
];

/// A counter with its instances.
struct Group {
    /// Places of the candidates.
    places: Vec<usize>,
    class: usize,
    /// The largest share of its height over which an instance moves.
    spread: f64,
}

/// Up to `most` charts of counters other than those of `charted`. Constant ones are drawn only if nothing moves.
pub(super) fn other_charts(candidates: &[Candidate<'_>], charted: &[Charted], most: usize) -> Vec<Charted> {
    let mut groups = groups(candidates, charted);
    if charted.is_empty() && groups.iter().all(|group| group.spread == 0.0) {
        groups.truncate(most);
    } else {
        groups.retain(|group| group.spread > 0.0);
        groups = ranked(groups, most);
    }
    groups.into_iter().map(|group| chart(candidates, group.places)).collect()
}

fn groups(candidates: &[Candidate<'_>], charted: &[Charted]) -> Vec<Group> {
    let is_charted = |at: usize| {
        let firsts = charted.iter().flat_map(|chart| &chart.series);
        firsts.into_iter().any(|other| candidates[*other].is_of_counter(&candidates[at]))
    };
    let mut groups: Vec<Group> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let key = (candidate.host, candidate.object, candidate.counter);
        let group = *known.entry(key).or_insert_with(|| {
            groups.push(Group { places: Vec::new(), class: class(candidate), spread: 0.0 });
            groups.len() - 1
        });
        groups[group].places.push(at);
        groups[group].spread = groups[group].spread.max(candidate.spread());
    }
    groups.retain(|group| !is_charted(group.places[0]));
    groups
}

/// The number of the class of a counter; that of the counters without fame comes last.
fn class(candidate: &Candidate<'_>) -> usize {
    let name = format!("{} {}", candidate.object, candidate.counter).to_lowercase();
    let is_in = |class: &&[&str]| class.iter().any(|word| name.contains(word));
    CLASSES.iter().position(is_in).unwrap_or(CLASSES.len())
}

/// The best of each class, then the second best.
fn ranked(mut groups: Vec<Group>, most: usize) -> Vec<Group> {
    // Stable: of those that move alike, the first of the capture.
    groups.sort_by(|a, b| b.spread.total_cmp(&a.spread));
    let mut ranks = [0_usize; CLASSES.len() + 1];
    let mut placed: Vec<((usize, usize), Group)> = Vec::with_capacity(groups.len());
    for group in groups {
        placed.push(((ranks[group.class], group.class), group));
        ranks[placed[placed.len() - 1].1.class] += 1;
    }
    placed.sort_by_key(|(rank, _)| *rank);
    placed.into_iter().take(most).map(|(_, group)| group).collect()
}

/// The instances that have most of it.
fn chart(candidates: &[Candidate<'_>], mut places: Vec<usize>) -> Charted {
    let unit = candidates[places[0]].shown_unit();
    let num_found = places.len();
    if num_found > MAX_SERIES {
        places.sort_by(|a, b| candidates[*b].weight.total_cmp(&candidates[*a].weight));
        places.truncate(MAX_SERIES);
    }
    let note = (num_found > MAX_SERIES).then(|| format!("top {MAX_SERIES} of {num_found}"));
    Charted { title: "", unit, series: places, note }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(object: &'static str, counter: &'static str, min: f64, max: f64) -> Candidate<'static> {
        Candidate {
            host: "",
            object,
            instance: None,
            counter,
            unit: "",
            weight: max,
            min: Some(min),
            max: Some(max),
        }
    }

    fn names<'a>(candidates: &[Candidate<'a>], charts: &[Charted]) -> Vec<&'a str> {
        charts.iter().map(|chart| candidates[chart.series[0]].counter).collect()
    }

    #[test]
    fn what_is_known_and_moves_comes_first() {
        let all = [
            candidate("App", "Version", 3.0, 3.0),
            candidate("App", "Widgets", 0.0, 9.0),
            candidate("App", "CPU ready", 4.0, 5.0),
            candidate("App", "CPU used", 1.0, 5.0),
            candidate("App", "Queue length", 0.0, 2.0),
        ];
        let charts = other_charts(&all, &[], 3);
        assert_eq!(names(&all, &charts), ["CPU used", "Queue length", "Widgets"]);
        let more = other_charts(&all, &charts[..1], 6);
        assert_eq!(names(&all, &more), ["CPU ready", "Queue length", "Widgets"]);
    }

    #[test]
    fn constant_counters_are_drawn_only_if_there_is_nothing_else() {
        let all = [candidate("App", "Version", 3.0, 3.0), candidate("App", "Size", 5.0, 5.0)];
        assert_eq!(names(&all, &other_charts(&all, &[], 6)), ["Version", "Size"]);
    }

    #[test]
    fn of_many_instances_those_with_most_are_drawn() {
        let all: Vec<Candidate<'_>> =
            (0..20).map(|at| candidate("App", "Queue", 0.0, f64::from(at))).collect();
        let charts = other_charts(&all, &[], 6);
        assert_eq!(
            (charts[0].series.clone(), charts[0].note.as_deref()),
            ((12..20).rev().collect(), Some("top 8 of 20"))
        );
    }
}
