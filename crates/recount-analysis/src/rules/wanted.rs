//! Which counters rules want to see in a capture, so that a recorder can be asked for them.

use std::collections::BTreeMap;

use recount_model::CounterPath;

use super::measures::counters_of;
use super::rule::{Rule, RuleSet, Subject};
use super::who::who_of;

/// What identifies a process and its parent on Windows.
const IDS: [&str; 2] = ["ID Process", "Creating Process ID"];

/// Every counter that the rules look at, each once, in alphabetical order: those that they judge, those that they need,
/// those that their sentences show, and those by which processes are named. Where a rule judges some instances only, such as
/// `_Total`, all of them are wanted, since the instance is what differs between machines.
///
/// ```
/// use recount_analysis::rules::{builtin, parse_rules, wanted_counters};
///
/// let disk = parse_rules(builtin("disk").expect("a set")).expect("sound rules");
/// let wanted: Vec<String> = wanted_counters(&[disk]).iter().map(ToString::to_string).collect();
/// assert!(wanted.contains(&r"\LogicalDisk(*)\% Free Space".to_owned()));
/// assert!(wanted.contains(&r"\Process(*)\ID Process".to_owned()));
/// ```
pub fn wanted_counters(sets: &[RuleSet]) -> Vec<CounterPath> {
    let mut wanted = BTreeMap::new();
    for rule in sets.iter().flat_map(|set| &set.rules) {
        for path in rule.counters() {
            let mut path = path.clone();
            path.host = None;
            if path.instance.is_some() {
                (path.parent, path.instance, path.index) = (None, Some("*".to_owned()), None);
            }
            wanted.insert(path.to_string().to_lowercase(), path);
        }
        for counter in rule.counters_of_processes() {
            let path = CounterPath {
                object: "Process".to_owned(),
                instance: Some("*".to_owned()),
                counter: counter.to_owned(),
                ..CounterPath::default()
            };
            wanted.insert(path.to_string().to_lowercase(), path);
        }
    }
    wanted.into_values().collect()
}

impl Rule {
    fn counters(&self) -> impl Iterator<Item = &CounterPath> {
        let says = self.says.iter().flat_map(|says| &says.quantities);
        let said = says.flat_map(|quantity| &quantity.expression.operands);
        let own = self.subjects.iter().filter(|subject| !subject.is_alias);
        let judged = own.flat_map(|subject| &subject.expression.operands);
        judged.chain(said).chain(&self.needs)
    }

    /// The counters of processes by which a finding names them.
    fn counters_of_processes(&self) -> Vec<&'static str> {
        let judged = self.subjects.iter().flat_map(|Subject { expression, .. }| &expression.operands);
        let mut counters: Vec<&str> = judged
            .clone()
            .filter_map(|path| who_of(self, &path.object, &path.counter))
            .flat_map(counters_of)
            .collect();
        if !counters.is_empty() || judged.map(|path| &path.object).any(|object| object == "Process") {
            counters.extend(IDS);
        }
        counters
    }
}
