//! The page of a report.

use recount_page::{PageError, render};
use serde::Serialize;

use super::drawing::{MAX_DRAWINGS, drawing, figure};
use super::programs::pictures;
use super::stock::{ChartText, FindingText, ObjectText, Stock};
use super::{CaptureText, Frame};
use crate::report::ViewFile;
use crate::report::days::Days;
use crate::report::health::{HealthText, health, ms};
use crate::report::noted::{MAX_CHANGED, Noted};
use crate::report::observe::Observed;
use crate::report::overview::{Chart, charts_of, overview};
use crate::rules::Severity;
use crate::shown::short;

/// How many findings are listed individually.
const MAX_FINDINGS: usize = 60;

#[derive(Serialize)]
struct Page {
    #[serde(flatten)]
    frame: Frame,
    capture: CaptureText,
    is_part: bool,
    findings: Vec<FindingText>,
    findings_more: usize,
    num_critical: usize,
    num_warning: usize,
    num_info: usize,
    rules: RulesText,
    health: HealthText,
    marks: Vec<MarkText>,
    /// What changed for good.
    changed: Vec<MarkText>,
    days: Option<DaysText>,
    baseline: Option<BaselineText>,
    overview: Vec<ChartText>,
    /// Who used the processors, as HTML with SVG.
    programs: Option<String>,
    objects: Vec<ObjectText>,
}

#[derive(Serialize)]
struct RulesText {
    num_rules: usize,
    num_evaluated: usize,
    is_checked: bool,
    in_words: String,
    not_evaluated: Vec<UnansweredText>,
    sets: Vec<String>,
}

#[derive(Serialize)]
struct UnansweredText {
    rule_id: String,
    title: String,
    reason: String,
}

#[derive(Serialize)]
struct MarkText {
    time: String,
    time_ms: f64,
    text: String,
}

/// The worst hour of each day.
#[derive(Serialize)]
struct DaysText {
    title: &'static str,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// How the capture compares with a baseline.
#[derive(Serialize)]
struct BaselineText {
    unusual: Vec<MarkText>,
    against: String,
    notes: Vec<String>,
}

/// A report for a page that has its own frame.
#[derive(Clone, Debug)]
pub struct ReportParts {
    /// The sections: findings, objects, marks, health, rules. Without the head and the first charts, which such a page
    /// has itself.
    pub html: String,
    /// Their values, in the form that the page unpacks.
    pub blob: String,
}

/// The page, as one self-contained file.
pub fn html(observed: &Observed, title: &str) -> Result<String, PageError> {
    render("page.html", &page(observed, title, &overview(observed)))
}

/// The page with the charts of a saved view in place of the first ones.
pub fn html_of_view(observed: &Observed, title: &str, view: &ViewFile) -> Result<String, PageError> {
    render("page.html", &page(observed, title, &charts_of(observed, view)))
}

/// The charts of a saved view alone, each as an SVG file: its lines, axes and legend.
pub fn figures_of_view(observed: &Observed, view: &ViewFile) -> Vec<String> {
    charts_of(observed, view).iter().map(|chart| figure(observed, chart, &short(&chart.title))).collect()
}

/// The sections of the page and their values.
pub fn parts(observed: &Observed, title: &str) -> Result<ReportParts, PageError> {
    let page = Page { is_part: true, ..page(observed, title, &[]) };
    let html = render("sections.html", &page)?;
    Ok(ReportParts { html, blob: page.frame.into_data() })
}

fn page(observed: &Observed, title: &str, charts: &[Chart]) -> Page {
    let shown = &observed.findings[..observed.findings.len().min(MAX_FINDINGS)];
    let stock = Stock::new(observed, charts, shown);
    let objects = stock.objects(observed);
    let findings: Vec<FindingText> = shown.iter().map(|finding| stock.finding(observed, finding)).collect();
    let overview = charts.iter().enumerate().map(|(at, chart)| {
        let text = stock.chart(observed, chart);
        let drawing = (at < MAX_DRAWINGS).then(|| drawing(observed, chart, &text.title));
        ChartText { drawing, ..text }
    });
    let overview = overview.collect();
    let facts = &observed.facts;
    let mark = |mark: &recount_model::Mark| MarkText {
        time: facts.shown(mark.time),
        time_ms: ms(mark.time),
        text: short(&mark.text),
    };
    let noted = |noted: &Noted| MarkText {
        time: facts.shown(noted.time),
        time_ms: ms(noted.time),
        text: short(&noted.text),
    };
    let mut health = health(observed);
    if stock.num_left_out > 0 {
        health.notes.push(format!(
            "{} series are left out of this page, those that were there shortest; recount stats has all",
            stock.num_left_out
        ));
    }
    Page {
        capture: CaptureText::new(facts, observed.figures.len(), observed.roster.objects().len()),
        is_part: false,
        findings_more: observed.findings.len() - shown.len(),
        num_critical: observed.count(Severity::Critical),
        num_warning: observed.count(Severity::Warning),
        num_info: observed.count(Severity::Info),
        rules: rules(observed),
        health,
        marks: facts.marks.iter().map(mark).collect(),
        changed: observed.changed.iter().take(MAX_CHANGED).map(noted).collect(),
        days: observed.days.as_ref().map(|days| DaysText {
            title: Days::TITLE,
            header: days.header(),
            rows: days.rows().collect(),
        }),
        baseline: observed.baseline.as_ref().map(|baseline| BaselineText {
            unusual: baseline.unusual.iter().take(MAX_CHANGED).map(noted).collect(),
            against: short(&baseline.against),
            notes: baseline.notes.iter().map(|note| short(note)).collect(),
        }),
        overview,
        programs: pictures(observed),
        objects,
        findings,
        frame: Frame::new(title, stock.blob(observed, shown)),
    }
}

fn rules(observed: &Observed) -> RulesText {
    let num_rules = observed.num_rules();
    let unanswered = observed.unanswered.iter().map(|rule| UnansweredText {
        rule_id: format!("{}/{}", rule.set, rule.rule),
        title: short(&rule.title),
        reason: rule.reason.clone(),
    });
    RulesText {
        num_rules,
        num_evaluated: observed.num_evaluated(),
        is_checked: observed.is_checked(),
        in_words: observed.checked_in_words(),
        not_evaluated: unanswered.collect(),
        sets: observed
            .sets
            .iter()
            .map(|(name, rules)| format!("{} ({})", short(name), rules.len()))
            .collect(),
    }
}
