//! The values of the charts and tables of a page: `html/README.md`, "The blob".

use std::collections::{HashMap, HashSet};
use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use super::points::{Buckets, Course, Point, Sample};
use crate::stats::Figures;

/// The word for a missing value.
const NOTHING: u16 = u16::MAX;
/// The word for the largest value of a series.
const TOP: f64 = 65_534.0;

/// The JSON part.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Data {
    pub(crate) begin_ms: f64,
    pub(crate) step_ms: f64,
    pub(crate) num_buckets: u32,
    /// Unit of the times of single samples, in milliseconds.
    pub(crate) tick_ms: f64,
    pub(crate) offset_min: i64,
    pub(crate) zone: String,
    pub(crate) elapsed: bool,
    pub(crate) hosts: usize,
    pub(crate) objects: Vec<ObjectData>,
    pub(crate) series: Columns,
    pub(crate) gaps: Vec<[f64; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) base_gaps: Vec<[f64; 2]>,
    pub(crate) marks: Vec<MarkData>,
    pub(crate) findings: Vec<FindingData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pairs: Option<Pairs>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ObjectData {
    pub(crate) name: String,
    pub(crate) counters: Vec<CounterData>,
    pub(crate) instances: Vec<InstanceData>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CounterData {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct InstanceData {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) host: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct MarkData {
    pub(crate) ms: f64,
    pub(crate) text: String,
    /// Whether it is a change that was found, and no mark of the capture.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) change: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct FindingData {
    pub(crate) series: Option<usize>,
    pub(crate) severity: &'static str,
    pub(crate) spans: Vec<[f64; 2]>,
}

/// Pairs of series that are compared.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Pairs {
    pub(crate) base: Vec<Option<usize>>,
    pub(crate) new: Vec<Option<usize>>,
    pub(crate) v: Vec<u8>,
    pub(crate) p: Vec<Option<f64>>,
    pub(crate) e: Vec<Option<f64>>,
    pub(crate) note: Vec<String>,
}

/// The series, by column.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Columns {
    o: Vec<usize>,
    c: Vec<usize>,
    i: Vec<Option<usize>>,
    n: Vec<u64>,
    x: Vec<u64>,
    min: Vec<Option<f64>>,
    mean: Vec<Option<f64>>,
    p50: Vec<Option<f64>>,
    p95: Vec<Option<f64>>,
    p99: Vec<Option<f64>>,
    max: Vec<Option<f64>>,
    sd: Vec<Option<f64>>,
    trend: Vec<Option<f64>>,
    first: Vec<Option<f64>>,
    last: Vec<Option<f64>>,
    lo: Vec<f64>,
    hi: Vec<f64>,
    at: Vec<i64>,
    b: Vec<u32>,
    m: Vec<u8>,
    t: Vec<i64>,
}

/// A series to be stored: the indexes of its object, counter and instance in the data, its figures and its
/// points.
pub(crate) struct Stored<'a> {
    pub(crate) object: usize,
    pub(crate) counter: usize,
    pub(crate) instance: Option<usize>,
    pub(crate) figures: &'a Figures,
    pub(crate) course: &'a Course,
    /// Whether it is drawn large and therefore keeps every point.
    pub(crate) is_shown: bool,
}

/// Builds the blob with as many points as fit in `max_len` bytes of base64.
pub(crate) fn blob(data: &mut Data, series: &[Stored<'_>], buckets: Buckets, max_len: usize) -> String {
    const NUM_BUCKETS: [u32; 8] = [600, 300, 160, 96, 48, 24, 12, 1];
    /// More words aren't worth trying: 24 MB also take long to unpack.
    const MAX_WORDS: usize = 12 << 20;
    let mut text = String::new();
    let tick = Tick::for_span(buckets);
    data.tick_ms = tick.ms();
    for most in NUM_BUCKETS {
        let (columns, words) = columns_of(series, buckets, most, tick);
        if words.len() > MAX_WORDS && most > 1 {
            continue;
        }
        data.series = columns;
        text = packed(data, &words);
        if text.len() <= max_len || most <= 1 {
            break;
        }
    }
    text
}

fn packed(data: &Data, words: &[u16]) -> String {
    // Can't fail: JSON can express everything in it.
    let mut json = serde_json::to_vec(data).unwrap_or_default();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(7));
    let words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let len = (json.len() as u32).to_le_bytes();
    // Writing to memory doesn't fail.
    let written = [&len[..], &json, &words].iter().try_for_each(|part| encoder.write_all(part));
    let bytes = written.and_then(|()| encoder.finish()).unwrap_or_default();
    STANDARD.encode(bytes)
}

fn columns_of(series: &[Stored<'_>], buckets: Buckets, most: u32, tick: Tick) -> (Columns, Vec<u16>) {
    let mut columns = Columns::default();
    let mut packed = Packed::default();
    for one in series {
        let num = if one.is_shown { buckets.count } else { most.min(buckets.count) };
        let most_samples = if one.is_shown { usize::MAX } else { most as usize };
        if one.course.is_empty() {
            columns.push(one, (0.0, 0.0), Place { at: -1, num, has_means: false, times: -1 });
        } else if let Some(samples) = one.course.samples(most_samples) {
            let (lo, hi, values) = quantised_samples(&samples);
            let times = samples.iter().flat_map(|sample| tick.words(sample.at)).collect();
            let place = Place {
                at: packed.place(values),
                num: samples.len() as u32,
                has_means: false,
                times: packed.place(times),
            };
            columns.push(one, (lo, hi), place);
        } else {
            let (lo, hi, own) = quantised(&one.course.stretches(), buckets.count, num, one.is_shown);
            let place = Place { at: packed.place(own), num, has_means: one.is_shown, times: -1 };
            columns.push(one, (lo, hi), place);
        }
    }
    (columns, packed.words)
}

/// Words of all series. Many are constant, or equal to others (a disk and its only partition), and most have the same
/// times.
#[derive(Default)]
struct Packed {
    words: Vec<u16>,
    known: HashMap<Vec<u16>, usize>,
}

impl Packed {
    /// The offset of words, which are added unless they are there.
    fn place(&mut self, own: Vec<u16>) -> i64 {
        let words = &mut self.words;
        *self.known.entry(own).or_insert_with_key(|own| {
            words.extend_from_slice(own);
            words.len() - own.len()
        }) as i64
    }
}

/// The unit of the times of samples: three words reach far enough.
#[derive(Clone, Copy)]
struct Tick {
    /// 100 ns.
    len: i64,
}

impl Tick {
    const WORDS: usize = 3;

    /// Microseconds, which reach for almost nine years; else milliseconds.
    fn for_span(buckets: Buckets) -> Tick {
        let num_us = buckets.width * f64::from(buckets.count) / 10.0;
        let is_short = num_us + 1.0 < 2_f64.powi(16 * Tick::WORDS as i32);
        Tick { len: if is_short { 10 } else { 10_000 } }
    }

    fn ms(self) -> f64 {
        self.len as f64 / 1e4
    }

    /// A time since the begin, lowest word first.
    fn words(self, at: i64) -> [u16; Tick::WORDS] {
        let ticks = (at.max(0) + self.len / 2) / self.len;
        [ticks, ticks >> 16, ticks >> 32].map(|part| (part & 0xffff) as u16)
    }
}

/// Where the points of a series are.
#[derive(Clone, Copy)]
struct Place {
    at: i64,
    num: u32,
    has_means: bool,
    times: i64,
}

impl Columns {
    fn push(&mut self, one: &Stored<'_>, (lo, hi): (f64, f64), place: Place) {
        let figures = one.figures;
        let round = |value: Option<f64>| value.and_then(rounded);
        self.o.push(one.object);
        self.c.push(one.counter);
        self.i.push(one.instance);
        self.n.push(figures.count);
        self.x.push(figures.nulls.iter().sum());
        self.min.push(round(figures.min));
        self.mean.push(round(figures.mean));
        let [p50, _, p95, p99] = figures.quantiles;
        self.p50.push(round(p50));
        self.p95.push(round(p95));
        self.p99.push(round(p99));
        self.max.push(round(figures.max));
        self.sd.push(round(figures.std));
        self.trend.push(round(figures.trend_per_hour));
        self.first.push(round(figures.first));
        self.last.push(round(figures.last));
        self.lo.push(lo);
        self.hi.push(hi);
        self.at.push(place.at);
        self.b.push(place.num);
        self.m.push(u8::from(place.has_means));
        self.t.push(place.times);
    }
}

/// Rounded to six digits, more than a page shows, and to a value that JSON can express.
pub(crate) fn rounded(value: f64) -> Option<f64> {
    value.is_finite().then(|| format!("{value:.5e}").parse().unwrap_or(value))
}

/// Minima, maxima and, optionally, means of `num` stretches of time, made from `count`.
fn quantised(points: &[Point], count: u32, num: u32, with_means: bool) -> (f64, f64, Vec<u16>) {
    let finite = || points.iter().filter(|point| point.min.is_finite() && point.max.is_finite());
    let lo = finite().map(|point| point.min).fold(f64::INFINITY, f64::min);
    let hi = finite().map(|point| point.max).fold(f64::NEG_INFINITY, f64::max);
    if lo > hi {
        return (0.0, 0.0, vec![NOTHING; num as usize * if with_means { 3 } else { 2 }]);
    }
    let mut merged: Vec<Option<Point>> = vec![None; num as usize];
    for point in finite() {
        let at = (u64::from(point.bucket) * u64::from(num) / u64::from(count.max(1))) as usize;
        let Some(place) = merged.get_mut(at) else { continue };
        let point = &Point { count: point.count.max(1), ..*point };
        *place = Some(place.map_or(*point, |other| Point {
            count: other.count + point.count,
            min: other.min.min(point.min),
            max: other.max.max(point.max),
            sum: other.sum + point.sum,
            ..other
        }));
    }
    let word = |value: f64| word_of(value, lo, hi);
    let row = |of: &dyn Fn(&Point) -> f64| {
        merged.iter().map(|p| p.as_ref().map_or(NOTHING, |p| word(of(p)))).collect()
    };
    let mut words: Vec<u16> = row(&|point| point.min);
    words.extend::<Vec<u16>>(row(&|point| point.max));
    if with_means {
        words.extend::<Vec<u16>>(row(&|point| point.sum / f64::from(point.count)));
    }
    (lo, hi, words)
}

/// The values of single samples.
fn quantised_samples(samples: &[Sample]) -> (f64, f64, Vec<u16>) {
    let finite = || samples.iter().map(|sample| sample.value).filter(|value| value.is_finite());
    let lo = finite().fold(f64::INFINITY, f64::min);
    let hi = finite().fold(f64::NEG_INFINITY, f64::max);
    if lo > hi {
        return (0.0, 0.0, vec![NOTHING; samples.len()]);
    }
    let word =
        |sample: &Sample| if sample.value.is_finite() { word_of(sample.value, lo, hi) } else { NOTHING };
    (lo, hi, samples.iter().map(word).collect())
}

fn word_of(value: f64, lo: f64, hi: f64) -> u16 {
    // The span of two large numbers of opposite signs may be infinite.
    let share = if hi > lo { (value / 2.0 - lo / 2.0) / (hi / 2.0 - lo / 2.0) } else { 0.0 };
    (share * TOP).round().clamp(0.0, TOP) as u16
}

/// Which series are kept if there are more than a page can hold: first those that are shown, then those that
/// existed longest.
pub(crate) fn kept(all: &[(bool, u64)], most: usize) -> HashSet<usize> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(all[*at]), *at));
    order.truncate(most);
    order.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use recount_model::Timestamp;

    use super::*;

    fn point(bucket: u32, min: f64, max: f64) -> Point {
        Point { bucket, count: 2, min, max, sum: min + max }
    }

    #[test]
    fn peaks_survive_fewer_buckets() {
        let points = [point(0, 1.0, 2.0), point(1, 0.0, 9.0), point(7, 5.0, 5.0)];
        let (lo, hi, words) = quantised(&points, 8, 4, true);
        assert_eq!((lo, hi), (0.0, 9.0));
        let shown: Vec<Option<f64>> = words
            .iter()
            .map(|word| {
                (*word != NOTHING).then(|| ((lo + (hi - lo) * f64::from(*word) / TOP) * 1e3).round() / 1e3)
            })
            .collect();
        assert_eq!(
            shown,
            [
                Some(0.0),
                None,
                None,
                Some(5.0),
                Some(9.0),
                None,
                None,
                Some(5.0),
                Some(3.0),
                None,
                None,
                Some(5.0)
            ]
        );
    }

    #[test]
    fn one_value_and_huge_values_are_no_trouble() {
        assert_eq!(quantised(&[point(0, 7.0, 7.0)], 2, 2, false), (7.0, 7.0, vec![0, NOTHING, 0, NOTHING]));
        let (lo, hi, words) = quantised(&[point(0, -1e308, 1e308)], 1, 1, false);
        assert_eq!((lo, hi, words), (-1e308, 1e308, vec![0, 65_534]));
        assert_eq!(quantised(&[point(0, f64::NAN, f64::NAN)], 1, 1, false).2, [NOTHING, NOTHING]);
        assert_eq!(rounded(1234.56789), Some(1234.57));
        assert_eq!(rounded(f64::NAN), None);
    }

    #[test]
    fn few_samples_have_their_own_times() {
        let buckets = Buckets { begin: Timestamp(0), width: 375_000_000.0, count: 2 };
        let mut course = Course::default();
        for (at, value) in [(0, 10.0), (300_000_000, 90.0), (450_000_000, f64::NAN), (750_000_000, 50.0)] {
            course.add(Sample::at(at, value), 600);
        }
        let figures = Figures::default();
        let one = || Stored {
            object: 0,
            counter: 0,
            instance: None,
            figures: &figures,
            course: &course,
            is_shown: false,
        };
        let (columns, words) = columns_of(&[one(), one()], buckets, 600, Tick::for_span(buckets));
        assert_eq!(
            (&columns.b[..], &columns.m[..], &columns.at[..], &columns.t[..]),
            (&[4, 4][..], &[0, 0][..], &[0, 0][..], &[4, 4][..])
        );
        assert_eq!(words[..4], [0, 65_534, NOTHING, 32_767]);
        let times = words[4..]
            .chunks_exact(3)
            .map(|time| u64::from(time[0]) + (u64::from(time[1]) << 16) + (u64::from(time[2]) << 32));
        assert_eq!(times.collect::<Vec<_>>(), [0, 30_000_000, 45_000_000, 75_000_000]);
        // With no room for them they are joined, as buckets.
        let (columns, words) = columns_of(&[one()], buckets, 1, Tick::for_span(buckets));
        assert_eq!((columns.b[0], columns.t[0], words), (1, -1, vec![0, 65_534]));
    }

    #[test]
    fn times_of_samples_reach_far() {
        let day = 864_000_000_000.0;
        let tick = |days: f64| Tick::for_span(Buckets { begin: Timestamp(0), width: days * day, count: 1 });
        let [days, years] = [tick(30.0), tick(4_000.0)];
        assert_eq!((days.ms(), years.ms()), (0.001, 1.0));
        let back = |tick: Tick, at: i64| {
            tick.words(at).iter().rev().fold(0, |sum, word| (sum << 16) + i64::from(*word)) * tick.len
        };
        for at in [0, 20, 300_000_000, 864_000_000_010 * 29] {
            assert_eq!(back(days, at), at);
        }
        assert_eq!(back(years, 3_999 * 864_000_000_000), 3_999 * 864_000_000_000);
        assert_eq!(back(days, -5), 0);
    }

    #[test]
    fn what_is_shown_is_kept() {
        let all = [(false, 9), (true, 1), (false, 3), (false, 9)];
        assert_eq!(kept(&all, 2), HashSet::from([0, 1]));
    }
}
