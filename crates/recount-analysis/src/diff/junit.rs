//! A comparison for CI systems.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::changes::{Difference, Verdict};
use super::tolerance::{Breach, Tolerance, ToleranceSet, WhyUnjudged};
use crate::report::{JunitError, unread};
use crate::shown::{quantity, visible};

/// One case per tolerance, with its notes. Without tolerances: one per regression, and one for everything else.
pub fn diff_junit(
    difference: &Difference,
    sets: &[ToleranceSet],
    (breaches, notes): (&[Breach], &[String]),
    title: &str,
) -> Result<String, JunitError> {
    let mut report = Report::new(visible(title));
    for set in sets {
        let mut suite = TestSuite::new(visible(&set.name));
        for tolerance in &set.tolerances {
            let of_this = breaches.iter().filter(|b| b.set == set.name && b.tolerance == tolerance.id);
            let texts: Vec<String> = of_this.map(|breach| visible(&breach.text)).collect();
            let mut case = match status_unjudged(tolerance, difference) {
                Some(status) => TestCase::new(visible(&tolerance.id), status),
                None => case(&tolerance.id, &texts),
            };
            let name = format!("{}/{}: ", set.name, tolerance.id);
            let notes: Vec<String> =
                notes.iter().filter_map(|note| note.strip_prefix(&name)).map(visible).collect();
            if !notes.is_empty() {
                case.set_system_out(notes.join("\n"));
            }
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    if sets.is_empty() {
        let mut suite = TestSuite::new("regressions");
        let regressions = difference.changes.iter().filter(|change| change.verdict == Verdict::Regression);
        let mut num_others = difference.changes.len();
        for change in regressions {
            num_others -= 1;
            let (base, new) =
                (quantity(change.mean.base, change.unit), quantity(change.mean.new, change.unit));
            suite.add_test_case(case(
                &change.path.to_string(),
                &[format!("the mean went from {base} to {new}")],
            ));
        }
        suite.add_test_case(case(&format!("{num_others} more counters"), &[]));
        report.add_test_suite(suite);
    }
    let further = difference.further_bases.iter().map(|base| (base.name(), &base.side.health));
    let (base, new) = (&difference.base.health, &difference.new.health);
    let inputs = [("base".to_owned(), base)].into_iter().chain(further).chain([("new".to_owned(), new)]);
    report.add_test_suites(unread(inputs));
    Ok(report.to_string()?)
}

/// What nobody has checked hasn't passed.
fn status_unjudged(tolerance: &Tolerance, difference: &Difference) -> Option<TestCaseStatus> {
    let (mut status, why) = match tolerance.why_unjudged(difference) {
        Some(why) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type("unjudged");
            (status, why)
        }
        None if tolerance.has_counter(difference) => return None,
        None => (TestCaseStatus::skipped(), WhyUnjudged::NoCounter),
    };
    status.set_message(visible(&format!("{}: {}", why.text(), tolerance.path)));
    Some(status)
}

fn case(name: &str, texts: &[String]) -> TestCase {
    let Some(first) = texts.first() else { return TestCase::new(visible(name), TestCaseStatus::success()) };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type("regression");
    status.set_message(first.clone());
    status.set_description(texts.join("\n"));
    TestCase::new(visible(name), status)
}
