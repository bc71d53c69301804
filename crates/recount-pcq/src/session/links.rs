//! Links from counter to counter, by counter id (MS-PCQ 2.2.4.2).

use std::collections::HashMap;
use std::fmt;

use recount_model::{CounterType, Formula, Multi, Second, SubType, Timer};

use crate::CounterRegInfo;

/// Type to which `PerfTimeId` and `PerfFreqId` must refer: `PERF_COUNTER_LARGE_RAWCOUNT`.
const LARGE_RAWCOUNT: CounterType = CounterType(0x0001_0100);
/// Type that `MultiId` must refer to: `PERF_COUNTER_RAWCOUNT`.
const RAWCOUNT: CounterType = CounterType(0x0001_0000);

/// The inputs of a counter's value besides its own raw values, in the form used by runs. Counters are
/// indexes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// The clock of the answer, the counter that is the base, or the counter that is the clock.
    pub second: Second,
    /// The counter with the instance count.
    pub multi: Multi,
    /// The counter with the ticks per second of the clock.
    pub frequency: Option<usize>,
}

/// A field that names another counter of the counterset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkField {
    Base,
    PerfTime,
    PerfFreq,
    Multi,
}

/// Why a required link can't be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkFault {
    pub(super) field: LinkField,
    pub(super) id: u32,
    demanded: Demand,
    found: FoundCounter,
}

/// The type that a link has to lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    Type(CounterType),
    /// The document names no type for this counter's base.
    AnyBase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FoundCounter {
    Nothing,
    Several,
    Type(CounterType),
}

/// The counters of a registration by id; `None` for an id shared by several.
pub(super) type CounterIds = HashMap<u32, Option<usize>>;

/// Counters by id; an id used twice refers to none of them, since it "MUST be unique within its counterset".
pub(super) fn counter_ids(counters: &[CounterRegInfo]) -> CounterIds {
    let mut ids = CounterIds::with_capacity(counters.len());
    for (index, counter) in counters.iter().enumerate() {
        ids.entry(counter.counter_id).and_modify(|known| *known = None).or_insert(Some(index));
    }
    ids
}

/// Follows the links that the type of a counter requires; others are ignored.
///
/// Fails with every link that is missing or refers to a counter of a wrong type.
pub(super) fn resolve(
    counters: &[CounterRegInfo],
    ids: &CounterIds,
    counter: &CounterRegInfo,
) -> Result<Links, Vec<LinkFault>> {
    let mut faults = Vec::new();
    let mut follow = |field, demand: Option<Demand>| {
        let found = find(counters, ids, field, counter, demand?);
        found.map_err(|fault| faults.push(fault)).ok()
    };
    let needs = Needs::of(counter.counter_type);
    let base = follow(LinkField::Base, needs.base);
    let time = follow(LinkField::PerfTime, needs.time);
    let frequency = follow(LinkField::PerfFreq, needs.frequency);
    let multi = follow(LinkField::Multi, needs.multi);
    if !faults.is_empty() {
        return Err(faults);
    }
    let second = match (base.or(time), needs.clock) {
        (Some(index), _) => Second::Base(index),
        (None, Some(timer)) => Second::Clock(timer),
        (None, None) => Second::None,
    };
    Ok(Links { second, multi: multi.map_or(Multi::None, Multi::Base), frequency })
}

fn find(
    counters: &[CounterRegInfo],
    ids: &CounterIds,
    field: LinkField,
    counter: &CounterRegInfo,
    demanded: Demand,
) -> Result<usize, LinkFault> {
    let id = field.of(counter);
    let fault = |found| LinkFault { field, id, demanded, found };
    let index = match ids.get(&id) {
        None => return Err(fault(FoundCounter::Nothing)),
        Some(None) => return Err(fault(FoundCounter::Several)),
        Some(Some(index)) => *index,
    };
    let found = counters.get(index).map(|other| other.counter_type);
    match (demanded, found) {
        (Demand::Type(word), Some(found)) if word == found => Ok(index),
        (Demand::AnyBase, Some(found)) if found.is_base() => Ok(index),
        (_, Some(found)) => Err(fault(FoundCounter::Type(found))),
        (_, None) => Err(fault(FoundCounter::Nothing)),
    }
}

/// Which links a counter type requires.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    base: Option<Demand>,
    time: Option<Demand>,
    frequency: Option<Demand>,
    multi: Option<Demand>,
    /// The clock of the answer that the formula reads.
    clock: Option<Timer>,
}

impl Needs {
    /// The tables "The following counter types require ..." of 2.2.4.2, by formula and timer field, so that
    /// types that aren't in the tables are handled by their fields.
    fn of(word: CounterType) -> Needs {
        // The length only affects the width.
        let recipe = word.recipe(8);
        let formula = recipe.formula;
        // PERF_PRECISION_OBJECT_TIMER has a clock of the provider as its base.
        let is_object_precision = formula == Formula::PrecisionTimer && word.timer() == Some(Timer::Object);
        let is_object_clock = recipe.clock == Some(Timer::Object);
        let reads_object_clock = is_object_precision || (formula.needs_clock() && is_object_clock);
        let demand = |needed: bool, word| needed.then_some(Demand::Type(word));
        let base = match word.predefined().and_then(|row| row.base) {
            Some(base) => Demand::Type(CounterType(base)),
            None => Demand::AnyBase,
        };
        Needs {
            base: (formula.needs_base() && !is_object_precision).then_some(base),
            time: demand(reads_object_clock, LARGE_RAWCOUNT),
            frequency: demand(
                reads_object_clock || (formula.needs_frequency() && is_object_clock),
                LARGE_RAWCOUNT,
            ),
            multi: demand(formula.needs_multi(), RAWCOUNT),
            clock: recipe.clock.filter(|_| formula.needs_clock()),
        }
    }
}

/// Whether the document or the bit fields say how a value of the type is computed, or that it isn't a number.
pub(super) fn is_understood(word: CounterType) -> bool {
    let is_text = matches!(word.subtype(), SubType::Unicode | SubType::Ascii);
    is_text || word.recipe(8).formula != Formula::NotANumber
}

impl LinkField {
    /// Its name in `_PERF_COUNTER_REG_INFO`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            LinkField::Base => "BaseCounterId",
            LinkField::PerfTime => "PerfTimeId",
            LinkField::PerfFreq => "PerfFreqId",
            LinkField::Multi => "MultiId",
        }
    }

    /// Its offset in `_PERF_COUNTER_REG_INFO`.
    pub(super) const fn ofs(self) -> u64 {
        match self {
            LinkField::Base => 24,
            LinkField::PerfTime => 28,
            LinkField::PerfFreq => 32,
            LinkField::Multi => 36,
        }
    }

    const fn of(self, counter: &CounterRegInfo) -> u32 {
        match self {
            LinkField::Base => counter.base_counter_id,
            LinkField::PerfTime => counter.perf_time_id,
            LinkField::PerfFreq => counter.perf_freq_id,
            LinkField::Multi => counter.multi_id,
        }
    }
}

/// `expected the id of a counter of type PERF_AVERAGE_BASE, found 7, which no counter has`
impl fmt::Display for LinkFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.demanded {
            Demand::Type(word) => write!(f, "expected the id of a counter of type {word}, ")?,
            Demand::AnyBase => f.write_str("expected the id of a counter of a base type, ")?,
        }
        let id = self.id;
        match self.found {
            FoundCounter::Nothing => write!(f, "found {id}, which no counter has"),
            FoundCounter::Several => write!(f, "found {id}, which several counters have"),
            FoundCounter::Type(word) => write!(f, "found {id}, a counter of type {word}"),
        }
    }
}
