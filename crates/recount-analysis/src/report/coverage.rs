//! What the rules could not check: no finding means little if there was nothing to judge.

use serde::Serialize;

use crate::rules::{RuleSet, Unanswered, Why, is_builtin};

/// What everybody expects rules to have looked at.
struct Area {
    name: &'static str,
    /// Groups of the rules about it.
    groups: &'static [&'static str],
    /// A counter by which a rule judges it, on every system.
    counter: &'static str,
}

const AREAS: [Area; 4] = [
    Area { name: "processors", groups: &["cpu"], counter: r"\Processor(_Total)\% Processor Time" },
    Area { name: "memory", groups: &["memory"], counter: r"\Memory\Available Bytes" },
    Area {
        name: "disks",
        groups: &["disk", "latency", "load", "space", "storage"],
        counter: r"\PhysicalDisk(*)\Disk Read Bytes/sec",
    },
    Area {
        name: "network",
        groups: &["interface", "ip", "tcp", "udp"],
        counter: r"\Network Interface(*)\Bytes Total/sec",
    },
];

/// Something about which no rule could be checked, although rules about it were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unchecked {
    /// What it is: an area such as `memory`, or the name of a rule set.
    pub about: String,
    /// Why, as a word.
    pub why: Why,
    /// Why, in words: usually the counter that the capture lacks.
    pub reason: String,
}

impl Unchecked {
    fn new(about: &str, closest: &Unanswered) -> Unchecked {
        Unchecked { about: about.to_owned(), why: closest.why, reason: closest.reason.clone() }
    }
}

/// The groups of the rules about an area.
pub(crate) fn groups_of_area(name: &str) -> &'static [&'static str] {
    AREAS.iter().find(|area| area.name == name).map_or(&[], |area| area.groups)
}

/// What the rules leave open: areas of which they say nothing. Of a set that doesn't come with recount, which was written for
/// such captures, half of the rules that apply have to be checked.
pub(super) fn unchecked(sets: &[RuleSet], unanswered: &[Unanswered]) -> Vec<Unchecked> {
    let of_area = |area: &'static Area| {
        let is_of_area = |group: &str| area.groups.contains(&group);
        let rules = sets.iter().flat_map(|set| &set.rules);
        let num_rules = rules.filter(|rule| is_of_area(&rule.group)).count();
        let left: Vec<&Unanswered> = unanswered.iter().filter(|rule| is_of_area(&rule.group)).collect();
        let first = left.iter().min_by_key(|rule| precedence(rule, area.counter))?;
        (left.len() == num_rules).then(|| Unchecked::new(area.name, first))
    };
    let of_set = |set: &RuleSet| {
        let left: Vec<&Unanswered> = unanswered.iter().filter(|rule| rule.set == set.name).collect();
        let lacking: Vec<&&Unanswered> = left.iter().filter(|rule| is_lack(rule.why)).collect();
        let num_that_apply = set.rules.len() - (left.len() - lacking.len());
        let is_thin = 2 * lacking.len() > num_that_apply;
        let first = lacking.iter().min_by_key(|rule| precedence(rule, ""))?;
        is_thin.then(|| Unchecked::new(&set.name, first))
    };
    let own = sets.iter().filter(|set| !is_builtin(&set.name)).filter_map(of_set);
    AREAS.iter().filter_map(of_area).chain(own).collect()
}

/// Whether something is missing that another capture may have.
fn is_lack(why: Why) -> bool {
    matches!(why, Why::NoCounters | Why::NoValues | Why::TooShort)
}

/// The reason of the rule that is closest to being checked comes first.
fn precedence(rule: &Unanswered, counter: &str) -> (usize, bool) {
    let rank = match rule.why {
        Why::TooShort => 0,
        Why::NoValues => 1,
        // What it is about is there.
        Why::Excluded => 2,
        Why::NoCounters => 3,
        Why::Unless => 4,
    };
    (rank, !rule.reason.contains(counter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{SETS, builtin, parse_rules};

    fn builtin_sets() -> Vec<RuleSet> {
        SETS.iter().map(|(_, text)| parse_rules(text).expect("sound")).collect()
    }

    fn network() -> RuleSet {
        parse_rules(builtin("network").expect("a set")).expect("sound")
    }

    /// All rules but those of these counters lack something.
    fn open(sets: &[RuleSet], judged: &[&str]) -> Vec<String> {
        let all = sets.iter().flat_map(|set| set.rules.iter().map(move |rule| (set, rule)));
        let left: Vec<Unanswered> = all
            .filter(|(_, rule)| !judged.contains(&rule.id.as_str()))
            .map(|(set, rule)| Unanswered {
                set: set.name.clone(),
                rule: rule.id.clone(),
                title: String::new(),
                group: rule.group.clone(),
                why: Why::NoCounters,
                reason: format!("no {}", rule.id),
            })
            .collect();
        unchecked(sets, &left).into_iter().map(|open| open.about).collect()
    }

    #[test]
    fn one_rule_of_all_is_not_enough() {
        let sets = builtin_sets();
        assert_eq!(open(&sets, &[]), ["processors", "memory", "disks", "network"]);
        assert_eq!(open(&sets, &["cpu-load"]), ["memory", "disks", "network"]);
        let of_each = ["cpu-load", "memory-steps", "disk-reads-much", "network-traffic"];
        assert_eq!(open(&sets, &of_each), [""; 0]);
        // What wasn't asked for isn't missing.
        assert_eq!(open(&[network()], &["receive-drops"]), [""; 0]);
    }

    #[test]
    fn half_of_ones_own_rules_have_to_be_checked() {
        let mut set = network();
        "ours".clone_into(&mut set.name);
        set.rules.truncate(4);
        for rule in &mut set.rules {
            "g".clone_into(&mut rule.group);
        }
        let ids: Vec<String> = set.rules.iter().map(|rule| rule.id.clone()).collect();
        let sets = [set];
        assert_eq!(open(&sets, &[&ids[0]]), ["ours"]);
        assert_eq!(open(&sets, &[&ids[0], &ids[1]]), [""; 0]);
    }

    /// A rule of each area judges by its counter alone.
    #[test]
    fn areas_are_known_by_counters_of_rules() {
        for area in &AREAS {
            let is_of_area = |(_, text): &(&str, &str)| text.contains(&format!("'{}'", area.counter));
            assert!(SETS.iter().any(is_of_area), "{}", area.counter);
        }
    }
}
