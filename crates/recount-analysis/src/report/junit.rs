//! A report that CI systems read: a test case per rule.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::observe::Observed;
use crate::rules::{Finding, Severity};
use crate::shown::visible;

/// Why the report could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the JUnit report can't be written: {0}")]
pub struct JunitError(#[from] quick_junit::SerializeError);

/// A suite per rule set, a case per rule that found something or had nothing to look at, and one for all others. Findings
/// below `fail_on` are told in cases that pass.
pub fn junit(observed: &Observed, title: &str, fail_on: Severity) -> Result<String, JunitError> {
    let mut report = Report::new(visible(title));
    for (set, num_rules) in &observed.sets {
        let mut suite = TestSuite::new(visible(set));
        let mut fired: Vec<&str> = Vec::new();
        for finding in observed.findings.iter().filter(|finding| finding.set == *set) {
            if !fired.contains(&&*finding.rule) {
                fired.push(&finding.rule);
            }
        }
        for rule in &fired {
            let of_rule =
                observed.findings.iter().filter(|finding| finding.set == *set && finding.rule == **rule);
            suite.add_test_case(case(&of_rule.collect::<Vec<_>>(), fail_on));
        }
        let unanswered = observed.unanswered.iter().filter(|rule| rule.set == *set);
        let num_unanswered = unanswered.clone().count();
        for rule in unanswered {
            let mut status = TestCaseStatus::skipped();
            status.set_message(visible(&rule.reason));
            suite.add_test_case(TestCase::new(visible(&rule.rule), status));
        }
        let quiet = num_rules - fired.len() - num_unanswered;
        if quiet > 0 {
            let name = format!("{quiet} more rules that found nothing");
            suite.add_test_case(TestCase::new(name, TestCaseStatus::success()));
        }
        report.add_test_suite(suite);
    }
    Ok(report.to_string()?)
}

fn case(findings: &[&Finding], fail_on: Severity) -> TestCase {
    let name = findings.first().map_or_else(String::new, |finding| visible(&finding.rule));
    let headlines: Vec<String> = findings
        .iter()
        .map(|finding| format!("{}: {}", finding.severity.as_str(), visible(&finding.headline)))
        .collect();
    let text = headlines.join("\n");
    let fails = findings.iter().any(|finding| finding.severity >= fail_on);
    if !fails {
        let mut case = TestCase::new(name, TestCaseStatus::success());
        case.set_system_out(text);
        return case;
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(findings.iter().map(|finding| finding.severity).max().map_or("", Severity::as_str));
    status.set_message(headlines.first().cloned().unwrap_or_default());
    status.set_description(text);
    TestCase::new(name, status)
}
