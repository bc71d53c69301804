//! Further bases: what differs between captures of the same doesn't tell the new one apart.

use std::collections::{HashMap, HashSet};

use recount_model::CounterPath;

use super::changes::{Change, Difference, Verdict, by_importance};
use super::side::Side;
use crate::shown::short;

/// A base beside the first one, and what changed from it to the new capture.
pub(super) struct FurtherBase {
    pub(super) side: Side,
    changes: HashMap<CounterPath, Change>,
    /// How many changes from the first base aren't the same kind of change from this one.
    num_unconfirmed: usize,
    /// What tells its machine from that of the new capture.
    machines: Option<String>,
}

impl FurtherBase {
    pub(super) fn name(&self) -> String {
        short(&self.side.facts.names.join(", "))
    }

    /// How a counter changed from this base; `None` if it lacks it, or has too few values to say.
    pub(super) fn change(&self, path: &CounterPath) -> Option<&Change> {
        self.changes.get(path)
    }
}

impl Difference {
    /// Adds a base, by what changed from it to the same new capture. A counter has the mildest verdict of all bases that have enough values of it,
    /// and the largest probability; its other figures are those of the first of these bases.
    pub fn add_base(&mut self, other: Difference) {
        let machines = other.machines();
        let Difference { base: side, changes, programs_only_base, programs_only_new, .. } = other;
        let number = self.further_bases.len() + 1;
        let places: HashMap<CounterPath, usize> =
            self.changes.iter().enumerate().map(|(at, change)| (change.path.clone(), at)).collect();
        let mut num_unconfirmed = 0;
        let mut known: HashMap<CounterPath, Change> = HashMap::new();
        for other in changes {
            let of_this = || Change { base_number: number, ..other.clone() };
            match places.get(&other.path).map(|at| &mut self.changes[*at]) {
                None => {
                    self.num_only_new = self.num_only_new.saturating_sub(1);
                    self.changes.push(of_this());
                }
                Some(_) if !other.is_judged() => continue,
                Some(change) if !change.is_judged() => *change = of_this(),
                Some(change) => {
                    let is_confirmed = milder(change.verdict_of_first, change, &other) <= Verdict::Change;
                    num_unconfirmed +=
                        usize::from(change.verdict_of_first <= Verdict::Change && !is_confirmed);
                    change.verdict = milder(change.verdict, change, &other);
                    change.probability =
                        change.probability.zip(other.probability).map(|(own, other)| own.max(other));
                }
            }
            if other.is_judged() {
                known.insert(other.path.clone(), other);
            }
        }
        by_importance(&mut self.changes);
        for (own, others) in [
            (&mut self.programs_only_base, programs_only_base),
            (&mut self.programs_only_new, programs_only_new),
        ] {
            let others: HashSet<String> = others.into_iter().map(|(name, _)| name).collect();
            own.retain(|(name, _)| others.contains(name));
        }
        self.further_bases.push(FurtherBase { side, changes: known, num_unconfirmed, machines });
    }

    /// The base of which a change has the figures.
    pub(super) fn base_of(&self, change: &Change) -> &Side {
        let further = change.base_number.checked_sub(1).and_then(|at| self.further_bases.get(at));
        further.map_or(&self.base, |further| &further.side)
    }

    /// The names of the bases beside the first one.
    pub fn further_bases(&self) -> impl Iterator<Item = &[String]> {
        self.further_bases.iter().map(|base| base.side.facts.names.as_slice())
    }

    /// What the further bases say of the changes.
    pub fn of_further_bases(&self) -> Vec<String> {
        let said = |base: &FurtherBase| {
            let name = base.name();
            let confirmed = match base.num_unconfirmed {
                0 => format!("also compared with {name}"),
                1 => format!("1 change from the first base isn't confirmed by {name}"),
                num => format!("{num} changes from the first base aren't confirmed by {name}"),
            };
            let machines = base.machines.as_ref().map(|machines| format!("{name}: {machines}"));
            std::iter::once(confirmed).chain(machines)
        };
        self.further_bases.iter().flat_map(said).collect()
    }
}

/// The milder of a verdict on a change and that on the other one of the same counter. What is between the two bases hasn't changed.
fn milder(verdict: Verdict, one: &Change, other: &Change) -> Verdict {
    let are_changes = verdict <= Verdict::Change && other.verdict <= Verdict::Change;
    if are_changes && (one.effect > 0.0) != (other.effect > 0.0) {
        return Verdict::Same;
    }
    verdict.max(other.verdict)
}
