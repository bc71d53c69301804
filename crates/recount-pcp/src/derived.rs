//! Counters made from several metrics: those of `canonical.rs` that an archive has, as streams.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use recount_model::{CounterDef, CounterReading, FieldSum, ObjectDef, Second, Timer, Width};

use crate::canonical::{CANONICAL, Counter, MOUNTED, PrefixCounters, Who};
use crate::meta::{Meta, Metric};
use crate::objects::{ColumnPlan, Numbers, Stream, Streams, ValueSource};
use crate::rounds::Rounds;
use crate::spaces::Space;
use crate::starts::{has_starts, num_processors};
use crate::sum::{Sum, Term};
use crate::units::Factor;
use crate::value::ValueType;

/// Ticks per second of the records' clock.
const NANOS: u64 = 1_000_000_000;
const TIME: (i8, i8, i8) = (0, 1, 0);

/// A sum whose metrics don't have positions in a stream yet.
struct UnplacedSum {
    /// Metrics with their factors.
    terms: Vec<(usize, i128)>,
    factor: Factor,
    is_time: bool,
    is_counter: bool,
}

/// A counter that the archive has.
struct FoundCounter {
    def: CounterDef,
    sum: (Vec<(usize, i128)>, i128, i128),
    limit: Option<u64>,
    second: Second,
    base: Option<(Vec<(usize, i128)>, i128)>,
}

/// The numeric metrics of an archive, by all their names.
struct NumericMetrics<'a> {
    meta: &'a Meta,
    by_name: HashMap<&'a str, usize>,
}

impl Streams {
    /// These streams, and those with canonical names.
    pub(crate) fn with_canonical(&self, meta: &Meta, rounds: &Rounds) -> Streams {
        let mut all = self.clone();
        let has_numbers = |metric: &usize| !self.places[*metric].is_empty();
        let names = (0..meta.metrics.len()).filter(has_numbers);
        let names = names
            .flat_map(|metric| meta.metrics[metric].names.iter().map(move |name| (name.as_str(), metric)));
        let known = NumericMetrics { meta, by_name: names.collect() };
        let mut numbers = Numbers::default();
        let mut taken: BTreeSet<(&str, Who, &str)> = BTreeSet::new();
        for row in CANONICAL {
            let mut by_kinds: BTreeMap<(Option<u32>, Vec<usize>), Vec<FoundCounter>> = BTreeMap::new();
            for counter in row.counters {
                if taken.contains(&(row.object, row.who, counter.name)) {
                    continue;
                }
                let Some(found) = known.counter(row, counter) else { continue };
                let mut metrics = found.metrics();
                if row.who == Who::Mounted {
                    let Some(mounted) = known.mounted(metrics[0]) else { continue };
                    metrics.push(mounted);
                }
                let kinds: Vec<usize> = rounds.having(&metrics).collect();
                if !kinds.is_empty() {
                    taken.insert((row.object, row.who, counter.name));
                    let domain = meta.metrics[metrics[0]].domain;
                    by_kinds.entry((domain, kinds)).or_default().push(found);
                }
            }
            for ((domain, kinds), counters) in by_kinds {
                let digests: Vec<u64> = rounds.digests(&kinds).collect();
                let number = numbers.of(row.object, (row.prefix, row.who, domain, digests));
                all.add(stream(row, domain, number, counters, meta));
            }
        }
        all
    }
}

impl FoundCounter {
    fn metrics(&self) -> Vec<usize> {
        let base = self.base.iter().flat_map(|(terms, _)| terms);
        self.sum.0.iter().chain(base).map(|(metric, _)| *metric).collect()
    }
}

impl<'a> NumericMetrics<'a> {
    fn metric(&self, metric: usize) -> &'a Metric {
        &self.meta.metrics[metric]
    }

    /// The metric with the mount points for a metric of file systems.
    fn mounted(&self, of: usize) -> Option<usize> {
        metric_named(self.meta, MOUNTED).filter(|at| self.metric(*at).domain == self.metric(of).domain)
    }

    fn counter(&self, row: &PrefixCounters, counter: &Counter) -> Option<FoundCounter> {
        let is_whole = counter.reading != CounterReading::Hundredths;
        let sum = self.sum(row.prefix, counter.of, is_whole)?;
        let base = match counter.reading.base() {
            None => None,
            Some(of) => Some((of, self.sum(row.prefix, of, is_whole)?)),
        };
        let is_difference = !counter.reading.is_current();
        let domain = |draft: &UnplacedSum| draft.terms.first().map(|(metric, _)| self.metric(*metric).domain);
        let bases_fit = base
            .as_ref()
            .is_none_or(|(_, base)| base.is_counter == is_difference && domain(base) == domain(&sum));
        if sum.is_counter != is_difference || !bases_fit {
            return None;
        }
        if counter.reading.is_of_time() && !sum.is_time {
            return None;
        }
        let (factor, divisor, time_base) = scale(counter.reading, &sum, base.as_ref().map(|(_, base)| base))?;
        let def = CounterDef {
            name: counter.name.into(),
            counter_type: Some(counter.reading.counter_type(true)),
            len_value: 8,
            unit: Some(counter.reading.unit()),
            time_base,
            width: Some(Width::Large),
            base: base.as_ref().map(|(of, _)| of.text().into()),
            ..CounterDef::default()
        };
        let is_over_time = counter.reading.is_over_time();
        let second = if is_over_time { Second::Clock(Timer::Tick) } else { Second::None };
        let base_scale = |base: &UnplacedSum| match counter.reading {
            CounterReading::Share(_) => time_scale(base),
            _ => Some(1),
        };
        let base = match base {
            Some((_, base)) => {
                let factor = base_scale(&base)?;
                Some((base.terms, factor))
            }
            None => None,
        };
        let limit = if let CounterReading::Below(limit) = counter.reading { Some(limit) } else { None };
        Some(FoundCounter { def, sum: (sum.terms, factor, divisor), limit, second, base })
    }

    /// A sum of the table; `None` if the archive lacks one of its metrics, or they are of different kinds.
    fn sum(&self, prefix: &str, of: FieldSum, is_whole: bool) -> Option<UnplacedSum> {
        let mut draft: Option<UnplacedSum> = None;
        for term in of.terms() {
            match self.by_name.get(format!("{prefix}.{}", term.field?).as_str()) {
                Some(&metric) => {
                    let times = i128::from(term.factor);
                    self.add(&mut draft, metric, if term.is_minus { -times } else { times }, is_whole)?;
                }
                None if term.is_optional => {}
                None => return None,
            }
        }
        draft
    }

    fn add(&self, draft: &mut Option<UnplacedSum>, metric: usize, times: i128, is_whole: bool) -> Option<()> {
        let found = self.metric(metric);
        let is_integer = !matches!(found.value_type, ValueType::Float | ValueType::Double);
        let factor = found.units.factor().filter(|_| is_integer == is_whole)?;
        let is_time = found.units.dimensions() == TIME;
        let is_counter = found.is_counter;
        let draft =
            draft.get_or_insert_with(|| UnplacedSum { terms: Vec::new(), factor, is_time, is_counter });
        let domain_of = |at: usize| self.metric(at).domain;
        let is_alike = draft.terms.first().is_none_or(|(first, _)| domain_of(*first) == found.domain);
        let same = (draft.factor, draft.is_time, draft.is_counter) == (factor, is_time, is_counter);
        (is_alike && same).then(|| draft.terms.push((metric, times)))
    }
}

/// The factor of a share of time, and of its base: both are in nanoseconds, so that they can be compared with those of
/// an archive that has other units.
fn time_scale(sum: &UnplacedSum) -> Option<i128> {
    if sum.is_time { sum.factor.ticks_per_second().map(i128::from) } else { Some(1) }
}

/// The factor and the divisor of a sum, and the ticks per second of its clock.
fn scale(
    reading: CounterReading,
    sum: &UnplacedSum,
    base: Option<&UnplacedSum>,
) -> Option<(i128, i128, Option<u64>)> {
    let whole = |factor: Factor| (factor.den == 1).then_some(i128::from(factor.num));
    let nanos = || Some(i128::from(sum.factor.ticks_per_second()?));
    Some(match reading {
        CounterReading::Rate => (1, 1, Some(sum.factor.ticks_per_second()?)),
        CounterReading::Queue | CounterReading::Busy | CounterReading::Idle => (nanos()?, 1, None),
        CounterReading::AverageTime(_) if base?.factor == Factor::ONE => (nanos()?, 1, Some(NANOS)),
        CounterReading::Average(_) if base?.factor == Factor::ONE => (whole(sum.factor)?, 1, None),
        CounterReading::Share(_) if base?.factor == sum.factor => (time_scale(sum)?, 1, None),
        CounterReading::Percentage(_) if base?.factor == sum.factor => (1, 1, None),
        CounterReading::Gauge | CounterReading::Below(_) | CounterReading::Count => {
            (whole(sum.factor)?, 1, None)
        }
        CounterReading::Whole(divisor) => (whole(sum.factor)?, i128::from(divisor), None),
        CounterReading::Hundredths if sum.factor == Factor::ONE => (1, 1, None),
        _ => return None,
    })
}

/// The counters that are in the same records. Bases follow all others, each once.
fn stream(
    row: &PrefixCounters,
    domain: Option<u32>,
    number: u32,
    found: Vec<FoundCounter>,
    meta: &Meta,
) -> Stream {
    let mounted = Some(row.who).filter(|who| *who == Who::Mounted).and_then(|_| metric_named(meta, MOUNTED));
    let mut inputs: Vec<usize> = found.iter().flat_map(FoundCounter::metrics).chain(mounted).collect();
    inputs.sort_unstable();
    inputs.dedup();
    let value = |terms: &[(usize, i128)], factor: i128, divisor: i128, limit: Option<u64>| {
        let term = |(metric, times): &(usize, i128)| Term {
            input: inputs.partition_point(|input| input < metric),
            value_type: meta.metrics[*metric].value_type,
            times: *times,
        };
        ValueSource::Sum(Sum { terms: terms.iter().map(term).collect(), factor, divisor, limit })
    };
    let num_shown = found.len();
    let (mut counters, mut columns) = (Vec::new(), Vec::new());
    let mut bases: Vec<(CounterDef, ColumnPlan)> = Vec::new();
    for FoundCounter { def, sum: (terms, factor, divisor), limit, second, base } in found {
        let mut second = second;
        if let (Some((terms, factor)), Some(name)) = (base, &def.base) {
            let known = bases.iter().position(|(base, _)| base.name == *name);
            let at = known.unwrap_or_else(|| {
                let value = value(&terms, factor, 1, None);
                bases.push((base_def(name), ColumnPlan { value, second: Second::None }));
                bases.len() - 1
            });
            second = Second::Base(num_shown + at);
        }
        counters.push(def);
        columns.push(ColumnPlan { value: value(&terms, factor, divisor, limit), second });
    }
    for (def, column) in bases {
        counters.push(def);
        columns.push(column);
    }
    let spaces = Space::all(meta, &inputs, &counters);
    let (domain, only) = match row.who {
        Who::One(number) => (None, Some(number)),
        _ => (domain, None),
    };
    let object = ObjectDef {
        name: row.object.into(),
        instanced: domain.is_some() || row.who == Who::Total,
        counters,
        stream: number,
        counts_from_start: has_starts(meta, domain),
        num_processors: has_starts(meta, domain).then(|| num_processors(meta)).flatten(),
        ..ObjectDef::default()
    };
    let named_by = mounted.and_then(|mounted| inputs.binary_search(&mounted).ok());
    Stream { object: object.into(), domain, only, inputs, columns, who: row.who, named_by, spaces }
}

fn metric_named(meta: &Meta, name: &str) -> Option<usize> {
    meta.metrics.iter().position(|metric| metric.names.iter().any(|known| known == name))
}

fn base_def(name: &str) -> CounterDef {
    CounterDef {
        name: name.into(),
        counter_type: Some(CounterReading::base_type(true)),
        len_value: 8,
        width: Some(Width::Large),
        ..CounterDef::default()
    }
}
