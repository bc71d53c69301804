//! The first charts as drawings in the page, for paper, previews of mail, and browsers without scripts. Where the
//! script runs, its charts take their place.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::hundred::{hundred_of, hundred_text};
use super::shading::{PlotArea, behind, escaped, key, marks};
use super::value_axis::{MAX_AXES, ValueAxis};
use crate::report::observe::Observed;
use crate::report::overview::Chart;
use crate::report::points::{Buckets, Point, Sample};
use crate::shown::{quantity, short, task_id, unit_of};
use crate::stats::SeriesId;

/// How many charts are drawn.
pub(super) const MAX_DRAWINGS: usize = 6;
/// Size of a drawing without its legend, and its plot.
pub(super) const WIDTH: f64 = 640.0;
pub(super) const LEFT: f64 = 76.0;
pub(super) const RIGHT: f64 = 628.0;
/// Where the plot ends if there is an axis to its right.
const RIGHT_OF_TWO: f64 = 544.0;
pub(super) const TOP: f64 = 12.0;
const BOTTOM: f64 = 156.0;
const AXIS: f64 = 172.0;
const AREA: PlotArea = PlotArea { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM };
/// Of a line of the legend.
pub(super) const LINE: f64 = 16.0;
/// Places along the time axis: stretches in between are joined.
const COLUMNS: usize = 276;
/// Samples are joined by a line up to this many times the typical interval.
const FAR: i64 = 3;
/// Longest name in a legend, and that of a line which says what 100 % is.
const MAX_NAME: usize = 64;
const MAX_NAME_OF_HUNDRED: usize = 40;
/// Programs that draw a file of its own may not know what sans-serif is.
const FONTS: &str = "Helvetica, Arial, Liberation Sans, DejaVu Sans, Noto Sans, sans-serif";
/// Longest title above a drawing.
const MAX_TITLE: usize = 90;
/// Room for the dot of a sample: where there is less, the line alone is drawn.
const DOT: f64 = 9.0;
/// The light colours of the style sheet, which rules where it is understood.
pub(super) const COLOURS: [&str; 8] =
    ["#0069b4", "#d1590a", "#00875f", "#a44a8f", "#8a6d00", "#2499c9", "#7b4a2b", "#565e64"];
const TEXT: &str = "#1c2023";
pub(super) const MUTED: &str = "#5b646b";
pub(super) const GRID: &str = "#dcdfe1";

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
    let units = units_of(observed, chart);
    let mut lines: Vec<Line> = lines_of(observed, chart, &units);
    if chart.stacked {
        stack(&mut lines);
    }
    let axes: Vec<ValueAxis> = units
        .iter()
        .enumerate()
        .map(|(at, unit)| axis_of(unit, lines.iter().filter(|line| line.axis == at), chart.logarithmic))
        .collect();
    let area = PlotArea { right: if axes.len() > 1 { RIGHT_OF_TWO } else { RIGHT }, ..AREA };
    let height = AXIS + 8.0 + LINE * chart.series.len() as f64;
    let mut svg = format!(
        "<svg class=\"still\" role=\"img\" aria-label=\"Chart of {}\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">",
        escaped(title)
    );
    let hundreds = hundreds(observed, chart);
    behind(&mut svg, observed, chart, area);
    draw_axes(&mut svg, observed, &axes, area);
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{AXIS}\" text-anchor=\"middle\" font-size=\"10\" fill=\"{MUTED}\">{}</text>",
        LEFT.midpoint(area.right),
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
    for (at, line) in lines.iter().enumerate() {
        let number = at % COLOURS.len();
        let colour = COLOURS[number];
        // Writing to a text doesn't fail.
        let _ = write!(svg, "<g class=\"series-{}\" color=\"{colour}\">", number + 1);
        if let Some(axis) = axes.get(line.axis) {
            draw_line(&mut svg, line, axis, area, dash_of(at));
        }
        legend(
            &mut svg,
            observed,
            chart,
            (at, hundreds.get(at).copied().flatten().filter(|_| is_told_by_lines)),
            line.axis < axes.len(),
        );
        svg.push_str("</g>");
    }
    marks(&mut svg, observed, area);
    svg.push_str("</svg>");
    svg
}

/// A drawing as a file of its own: with its title above it, on white.
pub(super) fn figure(observed: &Observed, chart: &Chart, title: &str) -> String {
    const HEAD: f64 = 22.0;
    let drawing = drawing(observed, chart, title);
    let height = AXIS + 8.0 + LINE * chart.series.len() as f64 + HEAD;
    let body = drawing.split_once('>').map_or("", |(_, body)| body);
    let note = chart.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    let title = escaped(&cut_in_middle(&format!("{title}{note}"), MAX_TITLE));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"Chart of {title}\" viewBox=\"0 -{HEAD} {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" font-family=\"{FONTS}\" font-size=\"11\"><rect x=\"0\" y=\"-{HEAD}\" width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/><text x=\"12\" y=\"-6\" font-size=\"13\" font-weight=\"bold\" fill=\"{TEXT}\">{title}</text>{body}"
    )
}

/// A line of a chart.
struct Line {
    pieces: Pieces,
    /// Its axis, by index; beyond all axes: its unit has none, and it isn't drawn.
    axis: usize,
    /// In a stack, the values below it, by the bits of their places.
    below: HashMap<u64, f64>,
}

fn unit_of_line(observed: &Observed, id: SeriesId) -> &'static str {
    let counter = &observed.roster.objects()[id.object as usize].counters[id.counter as usize];
    unit_of(&counter.name, counter.unit)
}

/// The units that have an axis.
fn units_of(observed: &Observed, chart: &Chart) -> Vec<&'static str> {
    let mut units = Vec::new();
    for id in &chart.series {
        let unit = unit_of_line(observed, *id);
        if !units.contains(&unit) && units.len() < MAX_AXES {
            units.push(unit);
        }
    }
    units
}

fn lines_of(observed: &Observed, chart: &Chart, units: &[&str]) -> Vec<Line> {
    let line = |id: &SeriesId| {
        let axis = units.iter().position(|unit| *unit == unit_of_line(observed, *id));
        Line { pieces: pieces(observed, *id), axis: axis.unwrap_or(units.len()), below: HashMap::new() }
    };
    chart.series.iter().map(line).collect()
}

/// Puts each line upon the means of those before it that have its axis.
fn stack(lines: &mut [Line]) {
    let mut sums: Vec<HashMap<u64, f64>> = vec![HashMap::new(); MAX_AXES + 1];
    for line in lines {
        let sums = &mut sums[line.axis];
        for spot in line.pieces.iter_mut().flatten() {
            let sum = sums.entry(spot.x.to_bits()).or_default();
            line.below.insert(spot.x.to_bits(), *sum);
            *spot = Spot { low: *sum + spot.low, mean: *sum + spot.mean, high: *sum + spot.high, ..*spot };
            *sum = spot.mean;
        }
    }
}

fn axis_of<'l>(unit: &'static str, lines: impl Iterator<Item = &'l Line>, is_logarithmic: bool) -> ValueAxis {
    let (mut low, mut high, mut least) = (f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY);
    for line in lines {
        for spot in line.pieces.iter().flatten() {
            let below = line.below.get(&spot.x.to_bits());
            low = low.min(spot.low).min(below.copied().unwrap_or(f64::INFINITY));
            high = high.max(spot.high);
            let positive = [spot.low, spot.mean, spot.high].into_iter().filter(|value| *value > 0.0);
            least = positive.fold(least, f64::min);
        }
    }
    ValueAxis::new(unit, (low, high), Some(least).filter(|least| is_logarithmic && least.is_finite()))
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

fn draw_axes(svg: &mut String, observed: &Observed, axes: &[ValueAxis], area: PlotArea) {
    for (at, axis) in axes.iter().enumerate() {
        for (value, text) in axis.ticks() {
            let (y, text) = (height(axis, value), escaped(&text));
            // The lines of the first axis are enough.
            let (line, x, anchor) = match at {
                0 => (
                    format!("<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"{GRID}\"/>", area.right),
                    LEFT - 6.0,
                    "end",
                ),
                _ => (String::new(), area.right + 6.0, "start"),
            };
            let _ = write!(
                svg,
                "{line}<text x=\"{x}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"{MUTED}\">{text}</text>",
                y + 4.0
            );
        }
    }
    let Some((begin, end)) = observed.facts.span() else { return };
    for (x, anchor, time) in [(LEFT, "start", begin), (area.right, "end", end)] {
        let text = escaped(&observed.facts.shown(time.utc));
        let _ = write!(
            svg,
            "<text x=\"{x}\" y=\"{AXIS}\" text-anchor=\"{anchor}\" fill=\"{MUTED}\">{text}</text>"
        );
    }
}

/// Colours alone aren't enough for many lines: those from the fifth on are dashed.
fn dash_of(at: usize) -> &'static str {
    if at >= 4 { " stroke-dasharray=\"6 3\"" } else { "" }
}

fn draw_line(svg: &mut String, line: &Line, axis: &ValueAxis, area: PlotArea, dash: &str) {
    let x = |spot: &Spot| LEFT + (area.right - LEFT) * spot.x;
    let y = |value: f64| height(axis, value);
    let has_dots = has_room_for_dots(&line.pieces);
    let below = |spot: &Spot| line.below.get(&spot.x.to_bits()).copied();
    let (mut middle, mut band, mut dots) = (String::new(), String::new(), String::new());
    for piece in &line.pieces {
        for spot in piece.iter().filter(|_| has_dots || piece.len() == 1) {
            let _ = write!(dots, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2\"/>", x(spot), y(spot.mean));
        }
        for (at, spot) in piece.iter().enumerate() {
            let step = if at == 0 { 'M' } else { 'L' };
            let _ = write!(middle, "{step}{:.1} {:.1}", x(spot), y(spot.mean));
        }
        let is_stacked = piece.iter().any(|spot| below(spot).is_some());
        if !is_stacked && piece.iter().all(|spot| spot.low >= spot.high) {
            continue;
        }
        // In a stack what is filled is the part of the line, else the values from the lowest to the highest.
        let top = |spot: &Spot| if is_stacked { spot.mean } else { spot.high };
        let bottom = |spot: &Spot| below(spot).unwrap_or(spot.low);
        for (at, spot) in piece.iter().enumerate() {
            let _ = write!(band, "{}{:.1} {:.1}", if at == 0 { 'M' } else { 'L' }, x(spot), y(top(spot)));
        }
        for spot in piece.iter().rev() {
            let _ = write!(band, "L{:.1} {:.1}", x(spot), y(bottom(spot)));
        }
        band.push('Z');
    }
    if !band.is_empty() {
        let _ = write!(svg, "<path d=\"{band}\" fill=\"currentColor\" fill-opacity=\"0.2\"/>");
    }
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
fn height(axis: &ValueAxis, value: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * axis.share(value)
}

/// The name of a line, with what its 100 % are if it has to say that, and its figures, of which nothing is cut.
fn legend(
    svg: &mut String,
    observed: &Observed,
    chart: &Chart,
    (at, hundred): (usize, Option<&str>),
    is_drawn: bool,
) {
    let id = chart.series[at];
    let entry = &observed.roster.objects()[id.object as usize];
    let counter = &entry.counters[id.counter as usize];
    let instance = &entry.instances[id.instance as usize];
    let pid = task_id(&entry.name, instance.instance.as_ref());
    let instance = instance.shown.as_deref().map(|name| match pid {
        Some(id) => format!("{name} ({id}) "),
        None => format!("{name} "),
    });
    let name = format!("{}{}", instance.unwrap_or_default(), counter.name);
    let name = short(&observed.facts.of_host(&entry.host, name));
    let most = if hundred.is_some() { MAX_NAME_OF_HUNDRED } else { MAX_NAME };
    let hundred = hundred.map(|hundred| format!(" (100 % = {hundred})")).unwrap_or_default();
    let name = cut_in_middle(&name, most) + &hundred;
    let unit = unit_of(&counter.name, counter.unit);
    let figures = observed.figures.iter().find(|(other, _)| *other == id).map(|(_, figures)| figures);
    let text = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| quantity(value, unit));
    let figures_text = match figures {
        _ if !is_drawn => "not drawn: a third unit".to_owned(),
        Some(figures) => format!("mean {}  max {}", text(figures.mean), text(figures.max)),
        None => String::new(),
    };
    let y = AXIS + 8.0 + LINE * (at as f64 + 0.5);
    let _ = write!(
        svg,
        "<path d=\"M{LEFT} {y}h18\" stroke=\"currentColor\" stroke-width=\"2.5\"{}/><text x=\"{}\" y=\"{}\" fill=\"{MUTED}\">{}</text><text x=\"{RIGHT}\" y=\"{}\" text-anchor=\"end\" fill=\"{MUTED}\">{}</text>",
        dash_of(at),
        LEFT + 24.0,
        y + 4.0,
        escaped(&name),
        y + 4.0,
        escaped(&figures_text)
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
            let line = Line { pieces: pieces.clone(), axis: 0, below: HashMap::new() };
            draw_line(&mut svg, &line, &ValueAxis::new("", (0.0, 2.0), None), AREA, "");
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
    fn a_stack_adds_means() {
        let line = |means: [f64; 2]| {
            let spot = |(at, mean): (usize, f64)| Spot { x: at as f64, low: mean, mean, high: mean };
            Line {
                pieces: vec![means.into_iter().enumerate().map(spot).collect()],
                axis: 0,
                below: HashMap::new(),
            }
        };
        let mut lines = [line([1.0, 2.0]), line([3.0, 4.0]), line([5.0, 6.0])];
        stack(&mut lines);
        let means: Vec<Vec<f64>> =
            lines.iter().map(|line| line.pieces[0].iter().map(|spot| spot.mean).collect()).collect();
        assert_eq!(means, [[1.0, 2.0], [4.0, 6.0], [9.0, 12.0]]);
        assert_eq!(lines[1].below.get(&0f64.to_bits()), Some(&1.0));
    }
}
