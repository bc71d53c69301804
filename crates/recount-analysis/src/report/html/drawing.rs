//! The first charts as drawings in the page, for paper, previews of mail, and browsers without scripts. Where the
//! script runs, its charts take their place.

use std::fmt::Write as _;

use super::hundred::{hundred_of, hundred_text};
use super::shading::{PlotArea, behind, escaped, key, marks};
use super::ticks::ticks;
use crate::report::observe::Observed;
use crate::report::overview::Chart;
use crate::report::points::{Buckets, Point, Sample};
use crate::shown::{quantity, short, task_id, unit_of};
use crate::stats::SeriesId;

/// How many charts are drawn.
pub(super) const MAX_DRAWINGS: usize = 6;
/// Size of a drawing without its legend, and its plot.
const WIDTH: f64 = 640.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 628.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 156.0;
const AXIS: f64 = 172.0;
const AREA: PlotArea = PlotArea { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM };
/// Of a line of the legend.
const LINE: f64 = 16.0;
/// Places along the time axis: stretches in between are joined.
const COLUMNS: usize = 276;
/// Samples are joined by a line up to this many times the typical interval.
const FAR: i64 = 3;
/// Longest name in a legend, and that of a line which says what 100 % is.
const MAX_NAME: usize = 64;
const MAX_NAME_OF_HUNDRED: usize = 40;
/// Room for the dot of a sample: where there is less, the line alone is drawn.
const DOT: f64 = 9.0;
/// The light colours of the style sheet, which rules where it is understood.
const COLOURS: [&str; 8] =
    ["#0069b4", "#d1590a", "#00875f", "#a44a8f", "#8a6d00", "#2499c9", "#7b4a2b", "#565e64"];
const MUTED: &str = "#5b646b";
const GRID: &str = "#dcdfe1";

/// Values in a stretch of time, along the axis from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spot {
    x: f64,
    low: f64,
    mean: f64,
    high: f64,
}

/// A line in pieces: nothing is drawn between them.
type Pieces = Vec<Vec<Spot>>;

/// A chart as SVG. All names are escaped.
pub(super) fn drawing(observed: &Observed, chart: &Chart, title: &str) -> String {
    let lines: Vec<Pieces> = chart.series.iter().map(|id| pieces(observed, *id)).collect();
    let spots = || lines.iter().flatten().flatten();
    let low = spots().map(|spot| spot.low).fold(f64::INFINITY, f64::min);
    let high = spots().map(|spot| spot.high).fold(f64::NEG_INFINITY, f64::max);
    let range = value_range(chart.unit, low, high);
    let height = AXIS + 8.0 + LINE * chart.series.len() as f64;
    let mut svg = format!(
        "<svg class=\"still\" role=\"img\" aria-label=\"Chart of {}\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">",
        escaped(title)
    );
    let hundreds = hundreds(observed, chart);
    behind(&mut svg, observed, chart, AREA);
    axes(&mut svg, observed, chart.unit, range);
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{AXIS}\" text-anchor=\"middle\" font-size=\"10\" fill=\"{MUTED}\">{}</text>",
        LEFT.midpoint(RIGHT),
        key(observed, chart)
    );
    if let Some(text) = hundred_text(&hundreds) {
        let middle = BOTTOM.midpoint(TOP);
        let _ = write!(
            svg,
            "<text transform=\"rotate(-90 12 {middle})\" x=\"12\" y=\"{middle}\" text-anchor=\"middle\" font-size=\"10\" fill=\"{MUTED}\">{}</text>",
            escaped(&text)
        );
    }
    let is_told_by_lines = hundreds.iter().any(|hundred| *hundred != hundreds[0]);
    for (at, pieces) in lines.iter().enumerate() {
        let number = at % COLOURS.len();
        let colour = COLOURS[number];
        // Writing to a text doesn't fail.
        let _ = write!(svg, "<g class=\"series-{}\" color=\"{colour}\">", number + 1);
        line(&mut svg, pieces, range, at >= 4);
        legend(
            &mut svg,
            observed,
            chart,
            (at, hundreds.get(at).copied().flatten().filter(|_| is_told_by_lines)),
        );
        svg.push_str("</g>");
    }
    marks(&mut svg, observed, AREA);
    svg.push_str("</svg>");
    svg
}

/// What 100 % of each line is; nothing on an axis of another unit.
fn hundreds(observed: &Observed, chart: &Chart) -> Vec<Option<&'static str>> {
    let of_line = |id: &SeriesId| {
        let entry = &observed.roster.objects()[id.object as usize];
        let instance = entry.instances[id.instance as usize].shown.as_deref();
        hundred_of(&entry.name, &entry.counters[id.counter as usize].name, instance)
    };
    let is_share = chart.unit == "%";
    chart.series.iter().filter(|_| is_share).map(of_line).collect()
}

fn pieces(observed: &Observed, id: SeriesId) -> Pieces {
    let course = observed.points.of(id.object as usize, id.instance as usize, id.counter as usize);
    let buckets = observed.points.buckets();
    match course.samples(usize::MAX) {
        Some(samples) => of_samples(&samples, buckets),
        None => of_stretches(&course.stretches(), buckets),
    }
}

fn of_samples(samples: &[Sample], buckets: Buckets) -> Pieces {
    let length = (buckets.width * f64::from(buckets.count)).max(1.0);
    let mut intervals: Vec<i64> = samples.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    intervals.sort_unstable();
    let far = intervals.get(intervals.len() / 2).map_or(i64::MAX, |median| median.saturating_mul(FAR));
    let mut pieces: Pieces = vec![Vec::new()];
    let mut before: Option<i64> = None;
    for sample in samples {
        let is_apart = before.is_some_and(|before| sample.at - before > far);
        before = Some(sample.at);
        if (is_apart || !sample.value.is_finite()) && pieces.last().is_some_and(|piece| !piece.is_empty()) {
            pieces.push(Vec::new());
        }
        if let Some(piece) = pieces.last_mut().filter(|_| sample.value.is_finite()) {
            let value = sample.value;
            piece.push(Spot { x: sample.at as f64 / length, low: value, mean: value, high: value });
        }
    }
    pieces
}

fn of_stretches(points: &[Point], buckets: Buckets) -> Pieces {
    let width = (buckets.count as usize).div_ceil(COLUMNS).max(1) as u32;
    let mut pieces: Pieces = vec![Vec::new()];
    let mut last: Option<u32> = None;
    for joined in points.chunk_by(|a, b| a.bucket / width == b.bucket / width) {
        let known = || joined.iter().filter(|point| point.min.is_finite() && point.max.is_finite());
        let column = joined[0].bucket / width;
        let num: f64 = known().map(|point| f64::from(point.count.max(1))).sum();
        if num == 0.0 {
            continue;
        }
        if last.is_some_and(|last| column > last + 1) {
            pieces.push(Vec::new());
        }
        last = Some(column);
        let spot = Spot {
            x: (f64::from(column) + 0.5) * f64::from(width) / f64::from(buckets.count.max(1)),
            low: known().map(|point| point.min).fold(f64::INFINITY, f64::min),
            mean: known().map(|point| point.sum).sum::<f64>() / num,
            high: known().map(|point| point.max).fold(f64::NEG_INFINITY, f64::max),
        };
        if let Some(piece) = pieces.last_mut() {
            piece.push(Spot { x: spot.x.min(1.0), ..spot });
        }
    }
    pieces
}

/// As the page's charts have it (`chart/scales.js`).
fn value_range(unit: &str, low: f64, high: f64) -> (f64, f64) {
    if low > high {
        return (0.0, 1.0);
    }
    if unit == "%" && low >= 0.0 && high > 40.0 && high <= 100.0 {
        return (0.0, 100.0);
    }
    if low >= high {
        return match low {
            0.0 => (0.0, 1.0),
            low if low > 0.0 => (0.0, low * 1.3),
            low => (low * 1.3, 0.0),
        };
    }
    let room = (high - low) * 0.06;
    if low >= 0.0 && high - low > 0.12 * high {
        (0.0, high + room)
    } else if high <= 0.0 && high - low > -0.12 * low {
        (low - room, 0.0)
    } else {
        (low - room, high + room)
    }
}

fn axes(svg: &mut String, observed: &Observed, unit: &str, (low, high): (f64, f64)) {
    for (value, text) in ticks(unit, (low, high)) {
        let (y, text) = (height((low, high), value), escaped(&text));
        let _ = write!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"{GRID}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{MUTED}\">{text}</text>",
            LEFT - 6.0,
            y + 4.0
        );
    }
    let Some((begin, end)) = observed.facts.span() else { return };
    for (x, anchor, time) in [(LEFT, "start", begin), (RIGHT, "end", end)] {
        let text = escaped(&observed.facts.shown(time.utc));
        let _ = write!(
            svg,
            "<text x=\"{x}\" y=\"{AXIS}\" text-anchor=\"{anchor}\" fill=\"{MUTED}\">{text}</text>"
        );
    }
}

fn line(svg: &mut String, pieces: &Pieces, (low, high): (f64, f64), is_dashed: bool) {
    let x = |spot: &Spot| LEFT + (RIGHT - LEFT) * spot.x;
    let y = |value: f64| height((low, high), value);
    let has_dots = has_room_for_dots(pieces);
    let (mut middle, mut band, mut dots) = (String::new(), String::new(), String::new());
    for piece in pieces {
        for spot in piece.iter().filter(|_| has_dots || piece.len() == 1) {
            let _ = write!(dots, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2\"/>", x(spot), y(spot.mean));
        }
        for (at, spot) in piece.iter().enumerate() {
            let step = if at == 0 { 'M' } else { 'L' };
            let _ = write!(middle, "{step}{:.1} {:.1}", x(spot), y(spot.mean));
        }
        if piece.iter().all(|spot| spot.low >= spot.high) {
            continue;
        }
        for (at, spot) in piece.iter().enumerate() {
            let _ = write!(band, "{}{:.1} {:.1}", if at == 0 { 'M' } else { 'L' }, x(spot), y(spot.high));
        }
        for spot in piece.iter().rev() {
            let _ = write!(band, "L{:.1} {:.1}", x(spot), y(spot.low));
        }
        band.push('Z');
    }
    if !band.is_empty() {
        let _ = write!(svg, "<path d=\"{band}\" fill=\"currentColor\" fill-opacity=\"0.2\"/>");
    }
    let dash = if is_dashed { " stroke-dasharray=\"6 3\"" } else { "" };
    let _ = write!(
        svg,
        "<path d=\"{middle}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.4\"{dash}/>"
    );
    let _ = write!(svg, "<g fill=\"currentColor\">{dots}</g>");
}

/// Whether the values of a line are samples, and so few that each is seen.
fn has_room_for_dots(pieces: &Pieces) -> bool {
    let spots = || pieces.iter().flatten();
    spots().count() as f64 * DOT <= RIGHT - LEFT && spots().all(|spot| spot.low >= spot.high)
}

/// Where a value is in the plot.
fn height((low, high): (f64, f64), value: f64) -> f64 {
    // Halves: the difference of two large numbers may be infinite.
    let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
    BOTTOM - (BOTTOM - TOP) * share.clamp(0.0, 1.0)
}

/// The name of a line, with what its 100 % are if it has to say that, and its figures, of which nothing is cut.
fn legend(svg: &mut String, observed: &Observed, chart: &Chart, (at, hundred): (usize, Option<&str>)) {
    let id = chart.series[at];
    let entry = &observed.roster.objects()[id.object as usize];
    let counter = &entry.counters[id.counter as usize];
    let instance = &entry.instances[id.instance as usize];
    let pid = task_id(&entry.name, instance.instance.as_ref());
    let instance = instance.shown.as_deref().map(|name| match pid {
        Some(id) => format!("{name} ({id}) "),
        None => format!("{name} "),
    });
    let host = if observed.facts.hosts.len() > 1 { format!("{}: ", entry.host) } else { String::new() };
    let name = short(&format!("{host}{}{}", instance.unwrap_or_default(), counter.name));
    let most = if hundred.is_some() { MAX_NAME_OF_HUNDRED } else { MAX_NAME };
    let hundred = hundred.map(|hundred| format!(" (100 % = {hundred})")).unwrap_or_default();
    let name = cut_in_middle(&name, most) + &hundred;
    let unit = unit_of(&counter.name, counter.unit);
    let figures = observed.figures.iter().find(|(other, _)| *other == id).map(|(_, figures)| figures);
    let text = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| quantity(value, unit));
    let figures_text =
        figures.map(|figures| format!("mean {}  max {}", text(figures.mean), text(figures.max)));
    let y = AXIS + 8.0 + LINE * (at as f64 + 0.5);
    let _ = write!(
        svg,
        "<path d=\"M{LEFT} {y}h18\" stroke=\"currentColor\" stroke-width=\"2.5\"/><text x=\"{}\" y=\"{}\" fill=\"{MUTED}\">{}</text><text x=\"{RIGHT}\" y=\"{}\" text-anchor=\"end\" fill=\"{MUTED}\">{}</text>",
        LEFT + 24.0,
        y + 4.0,
        escaped(&name),
        y + 4.0,
        escaped(&figures_text.unwrap_or_default())
    );
}

/// Names often differ at their ends, so it is the middle of a long one that is left out.
fn cut_in_middle(name: &str, most: usize) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= most {
        return name.to_owned();
    }
    let end = (most - 1) / 2;
    let (begin, end) = (&chars[..most - 1 - end], &chars[chars.len() - end..]);
    begin.iter().chain(&['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use recount_model::Timestamp;

    use super::*;
    use crate::report::points::Course;

    const BUCKETS: Buckets = Buckets { begin: Timestamp(0), width: 10.0, count: 10 };

    #[test]
    fn three_samples_are_three_places() {
        let mut course = Course::default();
        for (at, value) in [(0, 1.0), (30, 9.0), (75, 4.0)] {
            course.add(Sample::at(at, value), 600);
        }
        let samples = course.samples(600).expect("samples");
        let pieces = of_samples(&samples, BUCKETS);
        let places: Vec<(f64, f64)> = pieces[0].iter().map(|spot| (spot.x, spot.mean)).collect();
        assert_eq!((pieces.len(), places), (1, vec![(0.0, 1.0), (0.3, 9.0), (0.75, 4.0)]));
    }

    #[test]
    fn missing_values_and_gaps_end_a_piece() {
        let mut course = Course::default();
        for (at, value) in [(0, 1.0), (10, 2.0), (20, f64::NAN), (30, 3.0), (40, 4.0), (90, 5.0)] {
            course.add(Sample::at(at, value), 600);
        }
        let lengths = of_samples(&course.samples(600).expect("samples"), BUCKETS)
            .iter()
            .map(Vec::len)
            .collect::<Vec<_>>();
        assert_eq!(lengths, [2, 2, 1]);
        let point = |bucket| Point { bucket, count: 2, min: 1.0, max: 3.0, sum: 4.0 };
        let pieces = of_stretches(&[point(0), point(1), point(7)], BUCKETS);
        assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        assert_eq!((pieces[0][1].x, pieces[0][1].mean), (0.15, 2.0));
    }

    #[test]
    fn few_samples_are_dots() {
        let spots = |num: usize| -> Pieces {
            vec![(0..num).map(|at| Spot { x: at as f64 / 100.0, low: 1.0, mean: 1.0, high: 1.0 }).collect()]
        };
        let circles = |pieces: &Pieces| {
            let mut svg = String::new();
            line(&mut svg, pieces, (0.0, 2.0), false);
            svg.matches("<circle").count()
        };
        assert_eq!((circles(&spots(3)), circles(&spots(61)), circles(&spots(62))), (3, 61, 0));
        // Stretches aren't samples.
        let stretch = Spot { x: 0.5, low: 1.0, mean: 1.5, high: 2.0 };
        assert_eq!((circles(&vec![vec![stretch, stretch]]), circles(&vec![vec![stretch]])), (0, 1));
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(cut_in_middle("worker-process-1", 16), "worker-process-1");
        assert_eq!(cut_in_middle("a-very-long-worker-process-1", 11), "a-ver…ess-1");
    }

    #[test]
    fn axes_begin_at_zero_unless_the_line_would_be_a_thread() {
        assert_eq!(value_range("%", 3.0, 90.0), (0.0, 100.0));
        assert_eq!(value_range("", 5.0, 5.0), (0.0, 6.5));
        assert_eq!(value_range("", f64::INFINITY, f64::NEG_INFINITY), (0.0, 1.0));
        assert_eq!(value_range("", 100.0, 101.0), (99.94, 101.06));
    }
}
