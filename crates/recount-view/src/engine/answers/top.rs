//! Who it was: the instances of an object by a counter, in a span and in the one before: `POST api/top`.

use std::collections::{BTreeMap, HashMap};

use recount_analysis::roster::{Grouping, Roster};
use recount_analysis::shown::unit_of;
use recount_compute::CookOptions;
use recount_model::{CounterPath, Pattern, Selection, Status};
use serde::{Deserialize, Serialize};

use super::{Refusal, side_of, span_of};
use crate::engine::Engine;
use crate::engine::cancel::{Cancel, Cancelled};
use crate::engine::index::Total;
use crate::engine::load::{Piece, Stretch, load};
use crate::engine::name::{Place, SeriesName};
use crate::engine::side::Side;
use crate::engine::state::read;
use crate::engine::time::{Span, ms};

#[derive(Debug, Deserialize)]
pub(crate) struct TopRequest {
    #[serde(default)]
    side: usize,
    object: String,
    counter: String,
    from: f64,
    to: f64,
    #[serde(default = "default_limit")]
    limit: usize,
}

fn default_limit() -> usize {
    20
}

/// Most rows of an answer.
const MAX_ROWS: usize = 1_000;
/// Samples that are decoded rather than taken from afar.
const FEW_SAMPLES: usize = 1_500;
/// Sums of others, and time in which nothing was done.
const NOBODY: [&str; 3] = ["_Total", "Idle", "System Idle Process"];

#[derive(Debug, Serialize)]
pub(crate) struct TopAnswer {
    unit: &'static str,
    rows: Vec<Row>,
    before: SpanText,
    /// Whether first and last values are those of samples, not means of short stretches.
    exact: bool,
}

#[derive(Debug, Serialize)]
struct SpanText {
    from: f64,
    to: f64,
}

#[derive(Debug, Serialize)]
struct Row {
    instance: String,
    id: Option<String>,
    host: Option<String>,
    path: String,
    mean: Option<f64>,
    max: Option<f64>,
    last: Option<f64>,
    growth: Option<f64>,
    before: Option<Before>,
}

#[derive(Debug, Serialize)]
struct Before {
    mean: Option<f64>,
    max: Option<f64>,
}

/// Values of the instances, by their names.
type Totals = HashMap<SeriesName, Total>;

impl Engine {
    pub(crate) fn top(&self, request: &TopRequest, cancel: &Cancel) -> Result<TopAnswer, Refusal> {
        let side = side_of(self, request.side)?;
        let span = span_of(&side, request.from, request.to)?;
        let before = Span { from: span.from.saturating_sub(span.len()), to: span.from.saturating_sub(1) };
        let names = names(&side, request)?;
        let ((now, is_exact), (earlier, is_earlier_exact)) = self.answer(|| {
            let now = totals(&side, &names, request, span, cancel)?;
            Ok::<_, Cancelled>((now, totals(&side, &names, request, before, cancel)?))
        })?;
        let mut found: Vec<(&Known, Total)> = names
            .iter()
            .filter_map(|known| Some((known, *now.get(&known.name)?)))
            .filter(|(_, total)| total.extent.has_values())
            .collect();
        let mean = |total: &Total| total.extent.mean().unwrap_or(f64::NEG_INFINITY);
        found.sort_by(|(_, a), (_, b)| mean(b).total_cmp(&mean(a)));
        found.truncate(request.limit.min(MAX_ROWS));
        let with_hosts = side.facts.hosts.len() > 1;
        let row = |(known, total): (&Known, Total)| Row {
            instance: known.name.instance.as_deref().unwrap_or_default().to_owned(),
            id: known.id.map(|id| id.to_string()),
            host: with_hosts.then(|| known.name.host.to_string()),
            path: known.name.path(),
            mean: total.extent.mean(),
            max: total.extent.has_values().then_some(total.extent.max),
            last: total.last,
            growth: total.last.zip(total.first).map(|(last, first)| last - first),
            before: earlier
                .get(&known.name)
                .filter(|total| total.extent.has_values())
                .map(|total| Before { mean: total.extent.mean(), max: Some(total.extent.max) }),
        };
        Ok(TopAnswer {
            unit: names.first().map_or("", |known| known.unit),
            rows: found.into_iter().map(row).collect(),
            before: SpanText {
                from: ms(before.from.saturating_add(side.shift)),
                to: ms(span.from.saturating_add(side.shift)),
            },
            exact: is_exact && is_earlier_exact,
        })
    }
}

/// A series that may be among the top.
struct Known {
    name: SeriesName,
    place: Place,
    id: Option<u64>,
    unit: &'static str,
}

fn names(side: &Side, request: &TopRequest) -> Result<Vec<Known>, Refusal> {
    let counted = read(side);
    let mut names = Vec::new();
    let mut has_counter = false;
    for (object, entry) in counted.roster.objects().iter().enumerate() {
        if *entry.name != *request.object {
            continue;
        }
        let Some(counter) = entry.counters.iter().position(|known| *known.name == *request.counter) else {
            continue;
        };
        has_counter = true;
        let unit = unit_of(&entry.counters[counter].name, entry.counters[counter].unit);
        for (instance, of) in entry.instances.iter().enumerate() {
            let is_nobody = of.instance.as_ref().is_some_and(|instance| {
                instance.is_total() || NOBODY.iter().any(|name| instance.name.eq_ignore_ascii_case(name))
            });
            let place = Place { object, instance, counter };
            if let Some(name) = SeriesName::at(&counted.roster, place).filter(|_| !is_nobody) {
                names.push(Known { name, place, id: of.instance.as_ref().and_then(|of| of.id), unit });
            }
        }
    }
    if !has_counter {
        let what = format!("there is no counter {:?} of an object {:?}", request.counter, request.object);
        return Err(Refusal::new(404, what));
    }
    Ok(names)
}

/// The values of a span, and whether all of it was decoded. Whole stretches of a long span are known from the counting, so
/// that only its edges are decoded.
fn totals(
    side: &Side,
    names: &[Known],
    request: &TopRequest,
    span: Span,
    cancel: &Cancel,
) -> Result<(Totals, bool), Cancelled> {
    let num_samples: usize = (0..side.inputs.len()).map(|input| side.samples_in(input, span).len()).sum();
    let counted = read(side);
    let inside = counted.index.inside(span).filter(|_| {
        let end = side.span().map_or(i64::MAX, |whole| whole.to.min(span.to));
        num_samples > FEW_SAMPLES && counted.index.covered().is_some_and(|covered| covered >= end)
    });
    let Some(inside) = inside else {
        drop(counted);
        return Ok((decoded(side, request, span, cancel)?, true));
    };
    let middle: Vec<Total> = names.iter().map(|known| counted.index.total(known.place, inside)).collect();
    // Decoding takes longer, and counting shouldn't wait for it.
    drop(counted);
    // A stretch has its end and not its begin, but for the first of all.
    let begin = side.span().map_or(0, |whole| whole.from);
    let first = if inside.from == begin { begin - 1 } else { inside.from };
    let mut totals = decoded(side, request, Span { from: span.from, to: first }, cancel)?;
    let behind = decoded(side, request, Span { from: inside.to.saturating_add(1), to: span.to }, cancel)?;
    for (known, middle) in names.iter().zip(middle) {
        let total = totals.entry(known.name.clone()).or_default();
        total.join(&middle);
        if let Some(behind) = behind.get(&known.name) {
            total.join(behind);
        }
    }
    Ok((totals, false))
}

impl Total {
    fn join(&mut self, later: &Total) {
        self.extent.join(&later.extent);
        self.first = self.first.or(later.first);
        self.last = later.last.or(self.last);
    }
}

/// The values of all instances in a span, decoded.
fn decoded(side: &Side, request: &TopRequest, span: Span, cancel: &Cancel) -> Result<Totals, Cancelled> {
    let unnumbered = request.counter.rsplit_once(" (").filter(|(_, number)| number.ends_with(')'));
    let counters = [Some(&*request.counter), unnumbered.map(|(counter, _)| counter)];
    let path = |counter: &str| Pattern::Path(CounterPath::of("", &request.object, None, counter));
    let selection = Selection { patterns: counters.into_iter().flatten().map(path).collect() };
    let cook = CookOptions { selection, ..CookOptions::default() };
    let mut all = Totals::new();
    for input in 0..side.inputs.len() {
        let samples = side.samples_in(input, span);
        if samples.is_empty() {
            continue;
        }
        let stretch = Stretch { input, samples };
        let make = || (Roster::new(Grouping::default()), BTreeMap::new());
        let (roster, found) = load(side, &stretch, &cook, cancel, make, |(roster, found), pieces| {
            add(roster, found, pieces);
        })?;
        for (place, total) in found {
            let name = SeriesName::at(&roster, place).filter(|name| *name.counter == *request.counter);
            if let Some(name) = name {
                all.entry(name).or_default().join(&total);
            }
        }
    }
    Ok(all)
}

fn add(roster: &mut Roster, found: &mut BTreeMap<Place, Total>, pieces: Vec<Piece>) {
    let (skips, batch): (Vec<usize>, Vec<_>) =
        pieces.into_iter().map(|piece| (piece.skip, piece.cooked)).unzip();
    for (placed, skip) in roster.place(&batch).into_iter().zip(skips) {
        let cooked = placed.cooked;
        for (column, counter) in cooked.columns.iter().zip(&placed.counters) {
            for (at, slot) in placed.slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
                let place =
                    Place { object: placed.object, instance: *slot as usize, counter: *counter as usize };
                let total = found.entry(place).or_default();
                for sample in skip..cooked.num_samples() {
                    let cell = sample * cooked.instances.len() + at;
                    if column.status_at(cell) == Status::Ok {
                        let value = column.values[cell];
                        total.extent.add(value, cooked.interval_of(sample, at).unwrap_or(0.0));
                        total.first = total.first.or(Some(value));
                        total.last = Some(value);
                    }
                }
            }
        }
    }
}
