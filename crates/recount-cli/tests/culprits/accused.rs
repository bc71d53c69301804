//! A report's findings about a process.

use jiff::Timestamp;
use serde_json::Value;

use crate::loads::Done;

/// A finding about a process.
#[derive(Debug)]
pub(crate) struct Accused<'a>(&'a Value);

/// Findings about the process of an id.
pub(crate) fn of_process(report: &Value, pid: u32) -> Vec<&Value> {
    let findings = report["findings"].as_array().expect("findings").iter();
    findings.filter(|finding| finding["object"] == "Process" && finding["instance_id"] == pid).collect()
}

impl<'a> Accused<'a> {
    /// The finding of the first of these rules that names the load, by name and id.
    pub(crate) fn of(report: &'a Value, load: &Done, rules: &[&str]) -> Accused<'a> {
        let all = of_process(report, load.pid);
        let finding = rules.iter().find_map(|rule| all.iter().find(|finding| finding["rule"] == *rule));
        let finding = finding.unwrap_or_else(|| panic!("no {rules:?} of {load:?}: {:#}", report["findings"]));
        assert_eq!(finding["instance"], load.name);
        let (headline, place) = (finding["headline"].as_str(), format!("{} (pid {}): ", load.name, load.pid));
        assert!(headline.is_some_and(|headline| headline.starts_with(&place)), "{headline:?}");
        Accused(finding)
    }

    pub(crate) fn rule(&self) -> &str {
        self.0["rule"].as_str().expect("a rule")
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        self.0[name].as_f64().expect(name)
    }

    /// A number of the longest span.
    pub(crate) fn longest(&self, name: &str) -> f64 {
        let spans = self.0["spans"].as_array().expect("spans").iter();
        let seconds = |span: &&Value| span["seconds"].as_f64().expect("seconds");
        let longest = spans.max_by(|a, b| seconds(a).total_cmp(&seconds(b))).expect("a span");
        longest[name].as_f64().expect(name)
    }

    /// `mean` is that of the longest span.
    pub(crate) fn is_near(&self, name: &str, expected: f64, share: f64) {
        let found = if name == "mean" { self.longest(name) } else { self.number(name) };
        assert!((found / expected - 1.0).abs() < share, "{self:?}: {name} is {found}, not {expected}");
    }

    /// Checks that a text contains who, what, when and how much, in this order.
    pub(crate) fn is_told_in(&self, screen: &str) {
        let text = |name: &str| self.0[name].as_str().expect(name);
        let (place, how_much) = text("headline").split_once(": ").expect("a place");
        let what = format!("{place} {}", text("title"));
        let when = screen.split_once(&what).and_then(|(_, rest)| rest.split_once(how_much));
        let (when, _) = when.unwrap_or_else(|| panic!("neither {what} nor {how_much} in: {screen}"));
        // 17:15:49 to 17:16:31, and days, if it is of two.
        let is_span = when.contains(" to ") && when.matches(':').count() == 4 && when.len() < 50;
        assert!(is_span, "{what}: {when}");
    }

    /// No span is outside the load's time, and together they cover this share of it.
    pub(crate) fn overlaps(&self, load: &Done, share: f64) {
        let mut covered = 0.0;
        for span in self.0["spans"].as_array().expect("spans") {
            let time =
                |name: &str| -> Timestamp { span[name].as_str().expect(name).parse().expect("a time") };
            let (begin, end) = (time("begin"), time("end"));
            // Values cover whole intervals of a second; samples are late on a busy machine.
            let early = load.begin.duration_since(begin).as_secs_f64();
            let late = end.duration_since(load.end).as_secs_f64();
            assert!(early < 3.0 && late < 3.0, "{span} is outside of {load:?}");
            covered += end.duration_since(begin).as_secs_f64();
        }
        assert!(covered > share * load.seconds, "{covered} s of {load:?}: {self:?}");
    }
}
