//! Rules: what to look for in a capture (`formats/rules.md`).

mod aliases;
mod cell;
mod composing;
mod evaluate;
mod expression;
mod file;
mod finding;
mod headline;
mod judge;
mod level;
mod measures;
mod mistakes;
mod rule;
mod says;
mod sets;
mod spell;
mod stacked;
mod sums;
mod suspects;
mod threshold;
mod unit;
mod verdict;
mod view;
mod wanted;
mod who;
mod whole;
mod window;

pub use evaluate::Evaluation;
pub use file::{RuleFault, parse_rules};
pub use finding::{Culprit, Culprits, Finding, Shown, Unanswered, Why};
pub use rule::{Aggregate, Rule, RuleSet, Severity};
pub use sets::{SETS, builtin, has_list};
pub use threshold::{Comparison, Threshold};
pub use verdict::Span;
pub use wanted::wanted_counters;

pub(crate) use expression::path_of;
pub(crate) use file::place_in;
pub(crate) use measures::who_by_object;
pub(crate) use rule::Who;
pub(crate) use sets::is_builtin;
pub(crate) use stacked::DISKS;
pub(crate) use view::groups_of_rules;
pub(crate) use who::{Asked, Known, name_them, named_in_spans};
