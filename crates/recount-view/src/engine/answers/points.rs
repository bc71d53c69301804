//! Values of series in a span, for charts: `POST api/points`.

use std::sync::Arc;
use std::time::Duration;

use recount_analysis::shown::unit_of;
use recount_analysis::stats::Extent;
use recount_model::Status;
use serde::{Deserialize, Serialize};

use super::preview::preview;
use super::{Refusal, side_of, span_of};
use crate::engine::Engine;
use crate::engine::buckets::extents;
use crate::engine::cancel::Cancel;
use crate::engine::clock::Instant;
use crate::engine::gather::Cells;
use crate::engine::index::Stretches;
use crate::engine::name::{Place, SeriesName, find};
use crate::engine::rates::{Reading, objects};
use crate::engine::side::{Side, read};
use crate::engine::store::Wanted;
use crate::engine::time::{Span, ms};
use recount_compute::Cancelled;

/// Maximum number of series in a request.
pub(crate) const MAX_SERIES: usize = 64;
/// Maximum width in pixels.
const MAX_WIDTH: usize = 16_384;
/// Up to this many samples are decoded even if the index is fine enough, so that charts of short logs show the actual
/// samples.
const FEW_SAMPLES: usize = 256;
/// Maximum expected time of an exact answer if the request doesn't ask to wait for it.
const SHORT: Duration = Duration::from_millis(60);
/// Time after which it is given up if it takes longer than expected.
const LONGEST: Duration = Duration::from_millis(100);

#[derive(Debug, Deserialize)]
pub(crate) struct PointsRequest {
    from: f64,
    to: f64,
    width: usize,
    series: Vec<SeriesAsked>,
    #[serde(default)]
    pub(crate) wait: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SeriesAsked {
    #[serde(default)]
    pub(crate) side: usize,
    pub(crate) path: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct PointsAnswer {
    series: Vec<SeriesAnswer>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum SeriesAnswer {
    Found(Points),
    Error { error: String },
}

#[derive(Clone, Debug, Serialize)]
struct Points {
    unit: &'static str,
    count: usize,
    exact: bool,
    #[serde(flatten)]
    drawn: Drawn,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Drawn {
    Buckets(Buckets),
    Samples(Samples),
}

#[derive(Clone, Debug, Default, Serialize)]
struct Buckets {
    begin_ms: f64,
    step_ms: f64,
    min: Vec<Option<f64>>,
    max: Vec<Option<f64>>,
    mean: Vec<Option<f64>>,
}

#[derive(Clone, Debug, Default, Serialize)]
struct Samples {
    t: Vec<f64>,
    v: Vec<Option<f64>>,
    raw: Vec<Option<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    base: Vec<Option<String>>,
    status: Vec<&'static str>,
    /// The process of each, where several had the name one after the other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    id: Vec<Option<String>>,
}

/// The requested series of one side.
struct Asked {
    /// Their indices in the request.
    at: Vec<usize>,
    places: Vec<Place>,
    names: Vec<Arc<SeriesName>>,
    units: Vec<&'static str>,
}

impl Engine {
    pub(crate) fn points(&self, request: &PointsRequest, cancel: &Cancel) -> Result<PointsAnswer, Refusal> {
        if request.series.len() > MAX_SERIES {
            return Err(Refusal::bad(format!("at most {MAX_SERIES} series at a time")));
        }
        if request.width == 0 || request.width > MAX_WIDTH {
            return Err(Refusal::bad(format!("a width is from 1 to {MAX_WIDTH}")));
        }
        let deadline = (!request.wait).then(|| Instant::now() + LONGEST);
        let unknown = || SeriesAnswer::Error { error: "no such series".to_owned() };
        let mut answers: Vec<SeriesAnswer> = request.series.iter().map(|_| unknown()).collect();
        for number in 0..self.sides().len() {
            let side = side_of(self, number)?;
            let span = span_of(&side, request.from, request.to)?;
            let asked = asked(&side, number, &request.series);
            let points = self.points_of(number, &side, &asked, (span, request.width), deadline, cancel)?;
            for (at, points) in asked.at.iter().zip(points) {
                answers[*at] = SeriesAnswer::Found(points);
            }
        }
        Ok(PointsAnswer { series: answers })
    }

    fn points_of(
        &self,
        number: usize,
        side: &Side,
        asked: &Asked,
        (span, width): (Span, usize),
        deadline: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<Vec<Points>, Refusal> {
        if asked.at.is_empty() {
            return Ok(Vec::new());
        }
        let counts: Vec<usize> = asked.names.iter().map(|name| num_samples(side, name, span)).collect();
        let with_raw = counts.iter().all(|count| *count <= 2 * width);
        let wanted = Wanted { number, side, names: &asked.names, span, with_raw };
        let point = |at: usize, exact: bool, drawn: Drawn| Points {
            unit: asked.units[at],
            count: counts[at],
            exact,
            drawn,
        };
        let missing = self.store.num_missing(wanted);
        let coarse = |all: &[Stretches], is_exact: bool| -> Vec<Points> {
            let drawn = all.iter().map(|one| Drawn::Buckets(buckets_of(one, side.shift))).enumerate();
            drawn.map(|(at, drawn)| point(at, is_exact, drawn)).collect()
        };
        let step = (span.len() / width as i64).max(1);
        let afar = if missing == 0 { None } else { from_index(side, &asked.places, span, step) };
        let is_much = !with_raw && missing > FEW_SAMPLES;
        if let Some(afar) = afar.as_ref().filter(|afar| is_much && afar.iter().all(|one| one.width <= step)) {
            return Ok(coarse(afar, true));
        }
        let instead = || match &afar {
            Some(afar) => Ok(coarse(afar, false)),
            None => Ok(coarse(&preview(self, (number, side), &asked.names, span, cancel)?, false)),
        };
        let cells = match deadline.filter(|_| missing > 0) {
            None => match self.decoded_in_turn(wanted, missing, cancel)? {
                Some(cells) => cells,
                None => return self.points_of(number, side, asked, (span, width), deadline, cancel),
            },
            Some(_) if self.expected(number, asked, missing) > SHORT => return instead(),
            Some(deadline) => {
                let Ok(cells) = self.decoded(wanted, missing, &cancel.until(deadline), true) else {
                    cancel.check()?;
                    return instead();
                };
                cells
            }
        };
        let exact = |(at, cells): (usize, Vec<Arc<Cells>>)| {
            let drawn = if counts[at] > 2 * width {
                let extents = extents(&cells, span, width);
                Drawn::Buckets(Buckets {
                    begin_ms: ms(span.from.saturating_add(side.shift)),
                    step_ms: span.len() as f64 / width as f64 / 1e4,
                    ..buckets(&extents)
                })
            } else {
                Drawn::Samples(samples(&cells, span, side.shift))
            };
            point(at, true, drawn)
        };
        Ok(cells.into_iter().enumerate().map(exact).collect())
    }

    /// Decodes what is missing, however long it takes. While everything is counted it may only try: `None` if it has
    /// waited for that instead.
    fn decoded_in_turn(
        &self,
        wanted: Wanted<'_>,
        missing: usize,
        cancel: &Cancel,
    ) -> Result<Option<Vec<Vec<Arc<Cells>>>>, Cancelled> {
        if missing <= FEW_SAMPLES || self.has_counted() {
            return self.decoded(wanted, missing, cancel, false).map(Some);
        }
        if let Some((_turn, end)) = self.turns.trial() {
            if let Ok(cells) = self.decoded(wanted, missing, &cancel.until(end), false) {
                return Ok(Some(cells));
            }
            cancel.check()?;
        }
        self.wait_for_counting(cancel)?;
        Ok(None)
    }

    /// Decodes what is missing, and remembers how long it took.
    fn decoded(
        &self,
        wanted: Wanted<'_>,
        missing: usize,
        cancel: &Cancel,
        is_short: bool,
    ) -> Result<Vec<Vec<Arc<Cells>>>, Cancelled> {
        let since = Instant::now();
        let work = || self.store.cells(wanted, cancel);
        let cells = if missing == 0 || is_short { self.answer(work) } else { self.answer_in_time(work) };
        let objects = objects(wanted.number, wanted.names, Reading::Stretch);
        let each = since.elapsed() / objects.len() as u32;
        for what in objects {
            match cells {
                Ok(_) => self.rates.note(what, missing, each),
                Err(Cancelled) => self.rates.note_more(what, missing, each),
            }
        }
        cells
    }

    /// How long decoding will take, judged by earlier requests.
    fn expected(&self, number: usize, asked: &Asked, missing: usize) -> Duration {
        let seconds = |what| self.rates.get(what) * missing as f64;
        let all: f64 = objects(number, &asked.names, Reading::Stretch).iter().map(seconds).sum();
        Duration::try_from_secs_f64(all * self.crowding()).unwrap_or(Duration::MAX)
    }
}

/// The requested series that exist on a side.
fn asked(side: &Side, number: usize, series: &[SeriesAsked]) -> Asked {
    let counted = read(side);
    let mut asked = Asked { at: Vec::new(), places: Vec::new(), names: Vec::new(), units: Vec::new() };
    for (at, one) in series.iter().enumerate().filter(|(_, one)| one.side == number) {
        let Some(place) = find(&counted.roster, &one.path) else { continue };
        let Some(name) = SeriesName::at(&counted.roster, place) else { continue };
        let counter = &counted.roster.objects()[place.object].counters[place.counter];
        asked.at.push(at);
        asked.places.push(place);
        asked.units.push(unit_of(&counter.name, counter.unit));
        asked.names.push(Arc::new(name));
    }
    asked
}

/// How many samples of the inputs that may have a series are in a span.
fn num_samples(side: &Side, name: &SeriesName, span: Span) -> usize {
    side.inputs_of(&name.host).map(|input| side.samples_in(input, span).len()).sum()
}

/// The series from the index; `None` if parts of the span haven't been counted yet.
fn from_index(side: &Side, places: &[Place], span: Span, step: i64) -> Option<Vec<Stretches>> {
    let counted = read(side);
    let end = side.span()?.to.min(span.to);
    if counted.index.covered()? < end {
        return None;
    }
    let none = || Stretches { begin: span.from, width: step, extents: Vec::new() };
    Some(
        places.iter().map(|place| counted.index.stretches(*place, span, step).unwrap_or_else(none)).collect(),
    )
}

fn buckets_of(stretches: &Stretches, shift: i64) -> Buckets {
    Buckets {
        begin_ms: ms(stretches.begin.saturating_add(shift)),
        step_ms: stretches.width as f64 / 1e4,
        ..buckets(&stretches.extents)
    }
}

fn buckets(extents: &[Extent]) -> Buckets {
    let any = |extent: &Extent, value: f64| extent.has_values().then_some(value);
    Buckets {
        min: extents.iter().map(|extent| any(extent, extent.min)).collect(),
        max: extents.iter().map(|extent| any(extent, extent.max)).collect(),
        mean: extents.iter().map(Extent::mean).collect(),
        ..Buckets::default()
    }
}

fn samples(cells: &[Arc<Cells>], span: Span, shift: i64) -> Samples {
    let mut samples = Samples::default();
    let text = |value: Option<&Option<u64>>| value.copied().flatten().map(|value| value.to_string());
    for cells in cells {
        for at in (0..cells.times.len()).filter(|at| span.has(cells.times[*at])) {
            samples.t.push(ms(cells.times[at].saturating_add(shift)));
            samples.v.push(cells.value_at(at));
            samples.raw.push(text(cells.raw.as_ref().and_then(|raw| raw.first.get(at))));
            samples.base.push(text(cells.raw.as_ref().and_then(|raw| raw.second.get(at))));
            samples.id.push(cells.ids[at].map(|id| id.to_string()));
            samples.status.push(match cells.status[at] {
                Status::Ok => "",
                status => status.as_str(),
            });
        }
    }
    if samples.id.windows(2).all(|pair| pair[0] == pair[1]) {
        samples.id.clear();
    }
    if samples.base.iter().all(Option::is_none) {
        samples.base.clear();
    }
    samples
}
