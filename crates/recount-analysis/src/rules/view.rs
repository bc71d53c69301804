//! What rules about groups of processes judge: the values of groups in the place of those of processes.

use recount_compute::Input;
use recount_model::{Cooked, Pattern, Selection};
use recount_tables::processes::read_processes_with;

use super::rule::{Rule, RuleSet};
use crate::attribution::GroupNames;
use crate::roster::{Grouping, InstanceGrouping, Placed, Roster};

/// The groups that rules ask for. If there are such rules, the processes of the captures are read; `step` is called after each batch.
pub(crate) fn groups_of_rules<E: Send>(
    sets: &[RuleSet],
    inputs: &[Input],
    mut step: impl FnMut() -> Result<(), E> + Send,
) -> Result<Vec<GroupNames>, E> {
    let mut asked = Vec::new();
    for by in sets.iter().flat_map(|set| &set.rules).filter_map(|rule| rule.group_by) {
        if !asked.contains(&by) {
            asked.push(by);
        }
    }
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let rows = read_processes_with(inputs, |_| step())?.rows;
    Ok(asked.into_iter().map(|by| GroupNames::of(&rows, by).without_unknown()).collect())
}

/// The objects of a capture that some rules judge, with groups of processes in the place of processes.
#[derive(Debug)]
pub(super) struct GroupView<'a> {
    pub(super) groups: &'a GroupNames,
    pub(super) roster: Roster,
    selection: Selection,
}

impl<'a> GroupView<'a> {
    /// For those of the rules that judge these groups.
    pub(super) fn new(groups: &'a GroupNames, rules: &[&Rule]) -> GroupView<'a> {
        let grouping = Grouping { by_host: true, instances: InstanceGrouping::Identity };
        let judging = rules.iter().filter(|rule| rule.judges_groups() == Some(groups.by()));
        let subjects = judging.flat_map(|rule| &rule.subjects);
        let operands = subjects.flat_map(|subject| &subject.expression.operands);
        let selection = operands.cloned().map(Pattern::Path).collect();
        GroupView { groups, roster: Roster::new(grouping), selection }
    }

    /// The values of a batch that the rules judge.
    pub(super) fn values(&self, batch: &[Placed<'_>]) -> Vec<Cooked> {
        let is_asked = |cooked: &&Cooked| self.selection.may_match_object(&cooked.host, &cooked.object.name);
        let all = batch.iter().map(|placed| placed.cooked).filter(is_asked);
        all.map(|cooked| self.groups.grouped(cooked).unwrap_or_else(|| cooked.clone())).collect()
    }
}
