//! What a drawing shows besides its lines: gaps, spans of findings and marks, as in the page's charts (`chart/shades.js`).

use std::fmt::Write as _;

use recount_model::Timestamp;

use crate::report::observe::Observed;
use crate::report::overview::Chart;
use crate::report::points::Buckets;
use crate::rules::{Finding, Severity};
use crate::shown::short;

/// How many spans and marks a drawing has.
const MAX_SHADES: usize = 200;
/// Least width of a span, so that it is seen.
const LEAST_WIDTH: f64 = 1.5;
/// The light colours of the style sheet.
const GAP: &str = "#9aa2a8";
const MARK: &str = "#6a4a9c";
/// Of a letter of a mark's text, at most, and the longest text.
const LETTER: f64 = 5.6;
const MAX_MARK: usize = 20;

/// Where the plot of a drawing is.
#[derive(Clone, Copy)]
pub(super) struct PlotArea {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl PlotArea {
    /// Place of a time; `None` outside of the plot.
    fn x(self, buckets: Buckets, time: Timestamp) -> Option<f64> {
        let share = share_of(buckets, time);
        (0.0..=1.0).contains(&share).then_some(self.left + (self.right - self.left) * share)
    }

    /// A span within the plot: its left edge and width.
    fn span(self, buckets: Buckets, begin: Timestamp, end: Timestamp) -> Option<(f64, f64)> {
        let (from, to) = (share_of(buckets, begin).max(0.0), share_of(buckets, end).min(1.0));
        let width = ((self.right - self.left) * (to - from)).max(LEAST_WIDTH);
        let left = (self.left + (self.right - self.left) * from).min(self.right - width);
        (from <= to).then_some((left, width))
    }
}

/// How far along the time axis a time is.
fn share_of(buckets: Buckets, time: Timestamp) -> f64 {
    let length = (buckets.width * f64::from(buckets.count)).max(1.0);
    time.0.saturating_sub(buckets.begin.0) as f64 / length
}

fn colour(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "#b3201b",
        Severity::Warning => "#9a6200",
        Severity::Info => "#2d6a94",
    }
}

/// The findings about a line of a chart, the worst last: it is drawn over the others.
fn findings_of<'a>(observed: &'a Observed, chart: &Chart) -> Vec<&'a Finding> {
    let is_drawn = |finding: &&Finding| {
        finding.series.is_some_and(|(object, instance, counter)| {
            chart
                .series
                .iter()
                .any(|id| (id.object as usize, id.instance, id.counter) == (object, instance, counter))
        })
    };
    let mut found: Vec<&Finding> = observed.findings.iter().filter(is_drawn).collect();
    found.sort_by_key(|finding| finding.severity);
    found
}

/// Stretches without samples.
pub(super) fn gaps(svg: &mut String, observed: &Observed, area: PlotArea) {
    let PlotArea { top, bottom, .. } = area;
    let buckets = observed.points.buckets();
    for (begin, end) in observed.facts.gaps.iter().copied().take(MAX_SHADES) {
        let Some((left, width)) = area.span(buckets, begin.utc, end.utc) else { continue };
        let height = bottom - top;
        let _ = write!(
            svg,
            "<rect class=\"gap\" x=\"{left:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{GAP}\" fill-opacity=\"0.3\"><title>gap</title></rect>"
        );
    }
}

/// Behind the lines.
pub(super) fn behind(svg: &mut String, observed: &Observed, chart: &Chart, area: PlotArea) {
    let PlotArea { top, bottom, .. } = area;
    let buckets = observed.points.buckets();
    gaps(svg, observed, area);
    let spans = findings_of(observed, chart)
        .into_iter()
        .flat_map(|finding| finding.spans.iter().map(move |span| (finding, span)));
    for (finding, span) in spans.take(MAX_SHADES) {
        let Some((left, width)) = area.span(buckets, span.begin, span.end) else { continue };
        let (colour, severity) = (colour(finding.severity), finding.severity.as_str());
        let _ = write!(
            svg,
            "<g class=\"finding {severity}\" fill=\"{colour}\"><title>{}</title>",
            escaped(&format!("{severity}: {}", short(&observed.headline(finding))))
        );
        for (height, opacity) in [(bottom - top, 0.13), (3.0, 1.0)] {
            let _ = write!(
                svg,
                "<rect x=\"{left:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height}\" fill-opacity=\"{opacity}\"/>"
            );
        }
        svg.push_str("</g>");
    }
}

/// Over the lines. A text that another one would cover is left out; its mark says it to the pointer.
pub(super) fn marks(svg: &mut String, observed: &Observed, area: PlotArea) {
    let PlotArea { right, top, bottom, .. } = area;
    let mut free = f64::NEG_INFINITY;
    for mark in observed.facts.marks.iter().take(MAX_SHADES) {
        let Some(x) = area.x(observed.points.buckets(), mark.time) else { continue };
        let text = short(&mark.text);
        let _ = write!(
            svg,
            "<g class=\"mark\"><title>{}</title><path d=\"M{x:.1} {}V{bottom}\" stroke=\"{MARK}\" stroke-dasharray=\"3 2\"/>",
            escaped(&text),
            top - 2.0
        );
        let mut shown: String = text.chars().take(MAX_MARK).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        let width = shown.chars().count() as f64 * LETTER;
        if x >= free && x + width <= right {
            let _ = write!(
                svg,
                "<text x=\"{x:.1}\" y=\"{}\" font-size=\"9\" fill=\"{MARK}\">{}</text>",
                top - 3.0,
                escaped(&shown)
            );
            free = x + width + 6.0;
        }
        svg.push_str("</g>");
    }
}

/// What is shaded and what is dashed, if anything is.
pub(super) fn key(observed: &Observed, chart: &Chart) -> String {
    let has_gaps = !observed.facts.gaps.is_empty();
    let parts = [
        (has_gaps, "grey: gaps"),
        (!findings_of(observed, chart).is_empty(), "shaded: findings"),
        (!observed.facts.marks.is_empty(), "dashed: marks"),
    ];
    let parts: Vec<&str> =
        parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, text)| text).collect();
    parts.join(", ")
}

/// A text within markup.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: PlotArea = PlotArea { left: 100.0, right: 200.0, top: 10.0, bottom: 110.0 };
    const BUCKETS: Buckets = Buckets { begin: Timestamp(0), width: 10.0, count: 10 };

    #[test]
    fn spans_are_where_their_times_are() {
        let span = |begin, end| AREA.span(BUCKETS, Timestamp(begin), Timestamp(end));
        let near = |found: Option<(f64, f64)>, (left, width): (f64, f64)| {
            found.is_some_and(|found| (found.0 - left).abs() < 1e-9 && (found.1 - width).abs() < 1e-9)
        };
        assert!(near(span(25, 50), (125.0, 25.0)) && near(span(-50, 10), (100.0, 10.0)));
        assert_eq!(span(150, 170), None);
        // An instant is seen, at the end of the plot, too.
        assert!(near(span(50, 50), (150.0, LEAST_WIDTH)));
        assert!(near(span(100, 100), (200.0 - LEAST_WIDTH, LEAST_WIDTH)));
        let x = |time| AREA.x(BUCKETS, Timestamp(time));
        assert!(x(75).is_some_and(|x| (x - 175.0).abs() < 1e-9) && x(0).is_some() && x(101).is_none());
    }

    #[test]
    fn names_stay_names() {
        assert_eq!(escaped("<b a=\"1\" b='2'>&"), "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;");
    }
}
