//! Processes that are named together, as they have something in common.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::finding::Culprit;
use crate::attribution::num_processes;
use crate::shown::short;

/// Of what processes have used together, the part that one of them has used if it is named alone.
const NEARLY_ALL: f64 = 0.9;
/// The part of everything that is most of it.
const MOST: f64 = 0.5;
/// Units of a system that hold whatever a person runs, and so say nothing of it.
const OF_ANYTHING: [&str; 2] = ["user@", "init.scope"];

/// A process that may be named.
pub(super) struct Suspect {
    /// What it executes.
    pub(super) program: String,
    /// Its container or unit, if the capture says so.
    pub(super) place: Option<String>,
    /// The group by which the question names them.
    pub(super) group: Option<Arc<str>>,
    pub(super) one: Culprit,
}

/// Which processes a group has, besides those that have used something.
pub(super) struct Counts<'a> {
    /// How many processes of a group there were, as far as it is known otherwise.
    pub(super) of_group: &'a dyn Fn(&str) -> Option<u64>,
    /// What those that have used something are said to have, if fewer are: `with CPU`. `None`: it isn't said.
    pub(super) active: Option<&'static str>,
}

/// The processes of each group together, and those without one by themselves.
pub(super) fn by_group(all: Vec<Suspect>, counts: &Counts<'_>) -> Vec<Culprit> {
    let mut groups: BTreeMap<Arc<str>, Vec<Culprit>> = BTreeMap::new();
    let mut found = Vec::new();
    for suspect in all {
        match suspect.group {
            Some(group) => groups.entry(group).or_default().push(suspect.one),
            None => found.push(suspect.one),
        }
    }
    found.extend(groups.into_iter().map(|(group, processes)| together(&group, &processes, counts)));
    found.retain(|one| one.value > 0.0);
    found
}

/// The processes of each program together, unless one of them has used nearly all of it. If the processes of no program have used most of
/// everything, but those of a unit or of a container have, these are together.
pub(super) fn by_program(all: Vec<Suspect>, counts: &Counts<'_>) -> Vec<Culprit> {
    let whole: f64 = all.iter().map(|suspect| suspect.one.value).sum();
    let has_most = |processes: &Vec<Culprit>| sum(processes) >= MOST * whole;
    let programs = parted(&all, |suspect| Some(suspect.program.clone()));
    let place = if programs.values().any(has_most) {
        None
    } else {
        let places = parted(&all, |suspect| suspect.place.clone().filter(|place| says_something(place)));
        places.into_iter().find(|(_, processes)| has_most(processes))
    };
    let Some((place, processes)) = place else {
        let joined = |(program, processes): (String, _)| joined(&program, processes, counts);
        return programs.into_iter().flat_map(joined).collect();
    };
    let others: Vec<Suspect> =
        all.into_iter().filter(|suspect| suspect.place.as_deref() != Some(&*place)).collect();
    let others = parted(&others, |suspect| Some(suspect.program.clone()));
    let others = others.into_iter().flat_map(|(program, processes)| joined(&program, processes, counts));
    std::iter::once(together(&place, &processes, counts)).chain(others).collect()
}

fn says_something(place: &str) -> bool {
    let is_session = place.starts_with("session-") && place.strip_suffix(".scope").is_some();
    !is_session && !OF_ANYTHING.iter().any(|other| place.starts_with(other))
}

fn parted(all: &[Suspect], key: impl Fn(&Suspect) -> Option<String>) -> BTreeMap<String, Vec<Culprit>> {
    let mut parts: BTreeMap<String, Vec<Culprit>> = BTreeMap::new();
    for suspect in all {
        if let Some(key) = key(suspect) {
            parts.entry(key).or_default().push(suspect.one.clone());
        }
    }
    parts
}

fn sum(processes: &[Culprit]) -> f64 {
    processes.iter().map(|one| one.value).sum()
}

/// The processes of a program: as one, unless one of them has used nearly all of it.
fn joined(program: &str, mut processes: Vec<Culprit>, counts: &Counts<'_>) -> Vec<Culprit> {
    let least = NEARLY_ALL * sum(&processes);
    if processes.iter().any(|one| one.value >= least) {
        processes.retain(|one| one.value > 0.0);
        return processes;
    }
    vec![together(program, &processes, counts)]
}

/// Several processes under one name.
fn together(name: &str, processes: &[Culprit], counts: &Counts<'_>) -> Culprit {
    let num = |processes: &mut dyn Iterator<Item = &Culprit>| processes.map(|one| one.num).sum::<u64>();
    let seen = num(&mut processes.iter());
    let active = num(&mut processes.iter().filter(|one| one.value > 0.0));
    let num = (counts.of_group)(name).unwrap_or(0).max(seen);
    let shown = shown_group(name, num, counts.active.map(|what| (active, what)));
    Culprit { name: name.to_owned(), pid: None, shown, num, value: sum(processes) }
}

/// `ci.service (12 processes, 9 with CPU)`.
pub(super) fn shown_group(name: &str, num: u64, active: Option<(u64, &str)>) -> String {
    format!("{} ({})", short(name), num_processes(num, active))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Counts<'_> = Counts { of_group: &|_| None, active: None };

    fn suspect(program: &str, place: &str, pid: u64, value: f64) -> Suspect {
        let shown = format!("{program} (pid {pid})");
        Suspect {
            program: program.to_owned(),
            place: (!place.is_empty()).then(|| place.to_owned()),
            group: (!place.is_empty()).then(|| place.into()),
            one: Culprit { name: program.to_owned(), pid: Some(pid), shown, num: 1, value },
        }
    }

    fn named(mut found: Vec<Culprit>) -> Vec<(String, f64)> {
        found.sort_by(|a, b| b.value.total_cmp(&a.value));
        found.into_iter().map(|one| (one.shown, one.value)).collect()
    }

    fn of(name: &str, value: f64) -> (String, f64) {
        (name.to_owned(), value)
    }

    /// What others of its program have used isn't its own.
    #[test]
    fn one_that_has_used_nearly_all_is_named_alone() {
        let all = vec![suspect("dd", "", 1, 95.0), suspect("dd", "", 2, 5.0), suspect("cp", "", 3, 0.0)];
        assert_eq!(named(by_program(all, &NOTHING)), [of("dd (pid 1)", 95.0), of("dd (pid 2)", 5.0)]);
        let all = vec![suspect("dd", "", 1, 55.0), suspect("dd", "", 2, 45.0)];
        assert_eq!(named(by_program(all, &NOTHING)), [of("dd (2 processes)", 100.0)]);
    }

    #[test]
    fn a_unit_is_named_if_no_program_has_used_most() {
        let build = |place: &str| {
            let programs = ["cc1plus", "as", "ld"].into_iter().zip([30.0, 25.0, 20.0]);
            let of_build =
                programs.enumerate().map(|(at, (name, value))| suspect(name, place, at as u64, value));
            of_build.chain([suspect("python3", "ml.service", 9, 25.0)]).collect::<Vec<_>>()
        };
        let found = named(by_program(build("ci.service"), &NOTHING));
        assert_eq!(found, [of("ci.service (3 processes)", 75.0), of("python3 (pid 9)", 25.0)]);
        // Whatever a person runs is in such a one.
        for place in ["session-4.scope", "user@1000.service", "init.scope", ""] {
            assert_eq!(named(by_program(build(place), &NOTHING))[0], of("cc1plus (pid 0)", 30.0), "{place}");
        }
        let mut most = build("ci.service");
        most.push(suspect("cc1plus", "ci.service", 10, 80.0));
        assert_eq!(named(by_program(most, &NOTHING))[0], of("cc1plus (2 processes)", 110.0));
    }

    #[test]
    fn groups_that_are_asked_for_are_named_and_others_stay_alone() {
        let all =
            vec![suspect("cc1", "ci.service", 1, 5.0), suspect("as", "", 2, 4.0), suspect("ld", "", 3, 0.0)];
        let counts =
            Counts { of_group: &|name| (name == "ci.service").then_some(12), active: Some("with CPU") };
        let found = named(by_group(all, &counts));
        assert_eq!(found, [of("ci.service (12 processes, 1 with CPU)", 5.0), of("as (pid 2)", 4.0)]);
    }

    /// As in `recount top --by command`.
    #[test]
    fn all_processes_of_a_program_are_counted() {
        let mut all: Vec<Suspect> =
            (0..4).map(|pid| suspect("cc1", "", pid, [5.0, 4.0, 0.0, 0.0][pid as usize])).collect();
        // Many that ended, as one instance.
        all[3].one.num = 40;
        let counts = Counts { active: Some("with CPU"), ..NOTHING };
        let found = by_program(all, &counts);
        assert_eq!((found.len(), &*found[0].shown, found[0].num), (1, "cc1 (43 processes, 2 with CPU)", 43));
    }
}
