//! A report for CI systems: one test case per rule.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::observe::Observed;
use recount_model::{FindingKind, Health};

use crate::rules::{Finding, Severity};
use crate::shown::visible;

/// Why the report could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the JUnit report can't be written: {0}")]
pub struct JunitError(#[from] quick_junit::SerializeError);

/// One suite per rule set, one case per rule; rules that were not evaluated are skipped. Findings below `fail_on`
/// become the output of passing cases; `None`: nobody asked, and warnings fail.
pub fn junit(observed: &Observed, title: &str, fail_on: Option<Severity>) -> Result<String, JunitError> {
    let must_judge = fail_on.is_some();
    let fail_on = fail_on.unwrap_or(Severity::Warning);
    let mut report = Report::new(visible(title));
    for (set, rules) in &observed.sets {
        let mut suite = TestSuite::new(visible(set));
        for rule in rules {
            let of_rule = |finding: &&Finding| finding.set == *set && finding.rule == *rule;
            let findings: Vec<&Finding> = observed.findings.iter().filter(of_rule).collect();
            let unanswered =
                observed.unanswered.iter().find(|other| other.set == *set && other.rule == *rule);
            suite.add_test_case(match unanswered {
                None => case(observed, rule, &findings, fail_on),
                Some(unanswered) => {
                    let mut status = TestCaseStatus::skipped();
                    status.set_message(visible(&unanswered.reason));
                    TestCase::new(visible(rule), status)
                }
            });
        }
        report.add_test_suite(suite);
    }
    // What nobody has checked hasn't passed.
    if must_judge && observed.num_evaluated() == 0 {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("unjudged");
        status.set_message(visible(&observed.checked_in_words()));
        let mut suite = TestSuite::new("all rules");
        suite.add_test_case(TestCase::new("something to judge", status));
        report.add_test_suite(suite);
    }
    report.add_test_suites(unread([("capture", &observed.health)]));
    Ok(report.to_string()?)
}

/// A suite with an error for each input of which parts could not be read.
pub(crate) fn unread<'a>(
    inputs: impl IntoIterator<Item = (impl AsRef<str>, &'a Health)>,
) -> Option<TestSuite> {
    let mut suite = TestSuite::new("inputs");
    for (name, health) in inputs {
        let is_unread = |finding: &&recount_model::Finding| !FindingKind::HARMLESS.contains(&finding.kind);
        let unread: Vec<String> =
            health.findings().iter().filter(is_unread).map(|finding| visible(&finding.to_string())).collect();
        let Some(first) = unread.first() else { continue };
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("unread");
        status.set_message(first.clone());
        status.set_description(unread.join("\n"));
        suite.add_test_case(TestCase::new(visible(name.as_ref()), status));
    }
    (suite.tests > 0).then_some(suite)
}

fn case(observed: &Observed, rule: &str, findings: &[&Finding], fail_on: Severity) -> TestCase {
    let name = visible(rule);
    let headlines: Vec<String> = findings
        .iter()
        .map(|finding| format!("{}: {}", finding.severity.as_str(), visible(&observed.headline(finding))))
        .collect();
    let text = headlines.join("\n");
    let fails = findings.iter().any(|finding| finding.severity >= fail_on);
    if !fails {
        let mut case = TestCase::new(name, TestCaseStatus::success());
        if !findings.is_empty() {
            case.set_system_out(text);
        }
        return case;
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(findings.iter().map(|finding| finding.severity).max().map_or("", Severity::as_str));
    status.set_message(headlines.first().cloned().unwrap_or_default());
    status.set_description(text);
    TestCase::new(name, status)
}
