//! Objects that go by two names.

use recount_tables::processes::PROCESSORS;

use super::rule::Subject;

/// The subjects, and behind them the same by other names of their objects.
pub(super) fn with_aliases(mut subjects: Vec<Subject>) -> Vec<Subject> {
    let [object, other] = PROCESSORS;
    let alias = |subject: &Subject| {
        let expression = subject.expression.with_object(object, other)?;
        let text = subject.text.replace(&format!("{object}("), &format!("{other}("));
        Some(Subject { text, expression, is_alias: true })
    };
    let is_new = |alias: &Subject| subjects.iter().all(|known| known.expression != alias.expression);
    let aliases: Vec<Subject> = subjects.iter().filter_map(alias).filter(is_new).collect();
    subjects.extend(aliases);
    subjects
}
