//! Whether two captures are of machines that can be compared.

use std::collections::HashSet;

use recount_tables::processes::PROCESSORS;

use super::changes::Difference;
use super::side::Side;
use crate::shown::{plural, short};

impl Difference {
    /// What tells the machines of the two captures apart: their names, and how many processors they have.
    pub fn machines(&self) -> Option<String> {
        let (base, new) = (Machine::of(&self.base), Machine::of(&self.new));
        if base.hosts != new.hosts && !base.hosts.is_empty() && !new.hosts.is_empty() {
            return Some(format!(
                "the captures aren't of the same machines: {base} in the base, {new} in the new one"
            ));
        }
        let (before, now) = (base.num_processors?, new.num_processors?);
        let processors = plural(before, "processor");
        (before != now).then(|| format!("the base has values of {processors}, the new capture of {now}"))
    }
}

struct Machine {
    /// In the order of their names, which are in upper case.
    hosts: Vec<String>,
    /// `None` if nobody knows, or of several machines.
    num_processors: Option<usize>,
}

impl Machine {
    fn of(side: &Side) -> Machine {
        let mut hosts: Vec<String> = side.facts.hosts.iter().map(|host| host.to_uppercase()).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let processors = |object: &str| {
            let objects =
                side.roster.objects().iter().filter(|entry| entry.name.eq_ignore_ascii_case(object));
            let instances = objects.flat_map(|entry| &entry.instances);
            let single = instances.filter(|entry| entry.instance.as_ref().is_some_and(|one| !one.is_total()));
            let names: HashSet<&str> = single.filter_map(|entry| entry.shown.as_deref()).collect();
            Some(names.len()).filter(|num| *num > 0)
        };
        let num = || PROCESSORS.into_iter().find_map(processors);
        Machine { num_processors: if hosts.len() > 1 { None } else { num() }, hosts }
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&short(&self.hosts.join(", ")))?;
        self.num_processors.map_or(Ok(()), |num| write!(f, " ({})", plural(num, "processor")))
    }
}
