//! How an activity is read: its object, and how each column is computed from the fields of an item.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::Arc;

use recount_model::{Column, CounterDef, CounterReading, FieldSum, Multi, ObjectDef, Renewal, Second, Timer};

use super::cpu;
use super::renewal_rule::renewal_rule;
use super::row::{Identity, InstanceValues};
use super::spaces::Space;
use crate::layout::{Field, Layout};
use crate::names::{Activity, CANONICAL, Counter, ItemFilter, Kind, List, RealRange, help_of_early};
use crate::structure::activity::FileActivity;
use crate::structure::header::{Format, Header};
use crate::structure::number::Numbers;

/// How an activity is read.
pub(crate) struct Plan {
    /// Its index in the file's list.
    pub(crate) index: usize,
    pub(crate) layout: Layout,
    pub(crate) object: Arc<ObjectDef>,
    pub(crate) columns: Vec<ColumnPlan>,
    pub(crate) spaces: Vec<Space>,
    pub(crate) len_item: usize,
    pub(crate) num_sub_items: u32,
    pub(crate) format: Format,
    pub(crate) only: ItemFilter,
    /// Whether names are those of Windows and our own recorder.
    pub(crate) is_canonical: bool,
    /// The object to which this belongs, if several activities form one object.
    pub(crate) joined: Option<Joined>,
}

/// An object formed by several activities.
pub(crate) struct Joined {
    pub(crate) object: Arc<ObjectDef>,
    /// Counters before those of the part.
    pub(crate) num_before: usize,
}

/// The object and counters made from an activity.
pub(crate) struct View {
    pub(crate) object: Arc<str>,
    pub(crate) only: ItemFilter,
    pub(crate) counters: &'static [Counter],
    pub(crate) is_canonical: bool,
}

impl View {
    /// The object and the counters that `sar` knows.
    pub(crate) fn of_sar(file: &FileActivity, header: &Header) -> Option<View> {
        let (known, _) = Activity::find(file, header)?;
        Some(View {
            object: known.object().into(),
            only: ItemFilter::All,
            counters: known.counters,
            is_canonical: false,
        })
    }

    /// The objects and counters of Windows and our own recorder.
    pub(crate) fn canonical(file: &FileActivity) -> impl Iterator<Item = View> {
        let id = file.id;
        CANONICAL.iter().filter(move |row| row.id == id).map(|row| View {
            object: row.object.into(),
            only: row.only,
            counters: row.counters,
            is_canonical: true,
        })
    }
}

/// How a column is filled.
pub(crate) enum ColumnPlan {
    Raw {
        value: Sum,
        second: SecondPlan,
        /// The column with the instance counts.
        multi: Option<usize>,
    },
    /// Floating point: a value, and the other operands of the counter.
    Real { value: Field, low: Option<Field>, high: Option<Field> },
}

/// Where the second values come from.
#[derive(Clone, Copy)]
pub(crate) enum SecondPlan {
    None,
    /// The uptime in 1/100 s.
    Clock,
    /// The uptime in shorter ticks.
    FasterClock(u64),
    /// Another column.
    Base(usize),
}

/// A sum of fields.
#[derive(Default)]
pub(crate) struct Sum {
    constant: u64,
    plus: Vec<Term>,
    minus: Vec<Term>,
    /// The sum is divided by this and rounded down.
    divisor: Option<NonZeroU64>,
}

struct Term {
    factor: u64,
    place: ValuePlace,
}

/// Where a field's value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValuePlace {
    Field(Field),
    /// In values computed from several items, or from one item over time.
    Made(usize),
}

/// Names of the values computed for lists of CPUs, in order.
fn made_names(list: List) -> &'static [&'static str] {
    match list {
        List::Cpu => &cpu::NAMES,
        List::SoftNet => &super::soft_net::NAMES,
        List::FrequencyStates => &["weighted", "time"],
        _ => &[],
    }
}

impl Plan {
    pub(crate) fn of(header: &Header, index: usize, file: &FileActivity, layout: Layout, view: View) -> Plan {
        let Header { numbers, format, .. } = *header;
        let mut plan =
            PlanDraft { numbers, format, layout: &layout, counters: Vec::new(), columns: Vec::new() };
        let mut bases: Vec<PlanBase> = Vec::new();
        for counter in view.counters {
            plan.add(counter, &mut bases);
        }
        let num_shown = plan.columns.len();
        for base in bases {
            plan.add_base(base);
        }
        // What has nothing to compare can't be compared wrongly.
        let is_compared = plan.counters.iter().any(|counter| counter.formula().needs_two_samples());
        let rule = renewal_rule(&layout).filter(|_| is_compared).map(|rule| {
            let rule = rule.map(|of| {
                let sum = plan.sum(*of)?;
                place_of(&plan.columns, &sum).or_else(|| {
                    plan.add_base(PlanBase { name: of.text().into(), value: Some(sum) });
                    Some(plan.columns.len() - 1)
                })
            });
            let of_all =
                (layout.list == List::Cpu).then_some(if view.is_canonical { "_Total" } else { "all" });
            Renewal { sum: of_all, ..rule }
        });
        let PlanDraft { counters, mut columns, .. } = plan;
        for column in &mut columns {
            let ColumnPlan::Raw { second, multi, .. } = column else { continue };
            if let SecondPlan::Base(base) = second {
                *base += num_shown;
            }
            *multi = multi.map(|base| base + num_shown);
        }
        let object = ObjectDef {
            name: view.object,
            instanced: view.only == ItemFilter::Total || !matches!(layout.list, List::Single | List::Sums),
            counters,
            renewal: rule.filter(|rule| !rule.is_empty()),
            ..ObjectDef::default()
        };
        Plan {
            index,
            spaces: Space::all(&layout, &object.counters),
            layout,
            object: Arc::new(object),
            columns,
            len_item: file.len_item,
            num_sub_items: file.num_sub_items,
            format,
            only: view.only,
            is_canonical: view.is_canonical,
            joined: None,
        }
    }

    /// Joins plans that are parts of one object.
    pub(crate) fn join(plans: &mut [Plan]) {
        let mut objects: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
        for (index, plan) in plans.iter().enumerate() {
            objects.entry(Arc::clone(&plan.object.name)).or_default().push(index);
        }
        for parts in objects.into_values().filter(|parts| parts.len() > 1) {
            let counters =
                parts.iter().flat_map(|&part| plans[part].object.counters.iter().cloned()).collect();
            let object = Arc::new(ObjectDef { counters, ..(*plans[parts[0]].object).clone() });
            let mut num_before = 0;
            for part in parts {
                let plan = &mut plans[part];
                plan.joined = Some(Joined { object: Arc::clone(&object), num_before });
                num_before += plan.object.counters.len();
            }
        }
    }

    /// Columns without cells, for a run of these instances.
    pub(crate) fn empty_columns(&self, identities: &[Identity<'_>]) -> Vec<Column> {
        let have_speeds: Vec<bool> = identities.iter().map(|identity| identity.has_speed).collect();
        let column = |plan: &ColumnPlan| {
            let second = match plan {
                ColumnPlan::Real { .. } | ColumnPlan::Raw { second: SecondPlan::None, .. } => Second::None,
                ColumnPlan::Raw { second: SecondPlan::Clock, .. } => Second::Clock(Timer::Tick),
                ColumnPlan::Raw { second: SecondPlan::FasterClock(_), .. } => Second::Own(Vec::new()),
                ColumnPlan::Raw { second: SecondPlan::Base(base), .. } => Second::Base(*base),
            };
            let multi = match plan {
                ColumnPlan::Raw { multi: Some(base), .. } => Multi::Base(*base),
                _ => Multi::None,
            };
            let is_of_line = multi != Multi::None;
            let covers = (is_of_line && have_speeds.contains(&false)).then(|| have_speeds.as_slice().into());
            Column { second, multi, covers, ..Column::default() }
        };
        self.columns.iter().map(column).collect()
    }

    /// Whether its values are floating point, which counters can't be.
    pub(crate) fn is_real(&self) -> bool {
        matches!(self.columns.first(), Some(ColumnPlan::Real { .. }))
    }
}

/// The column that counts what a sum does.
fn place_of(columns: &[ColumnPlan], wanted: &Sum) -> Option<usize> {
    columns.iter().position(|column| match column {
        ColumnPlan::Raw { value, .. } => value.counts_as(wanted),
        ColumnPlan::Real { .. } => false,
    })
}

/// From this factor on, a multiple of a difference below 2^32 may exceed 2^32.
const LARGE_FACTOR: u64 = 512;

/// What counters are divided by.
struct PlanBase {
    /// As the table writes it.
    name: Arc<str>,
    /// `None`: the file lacks one of its fields.
    value: Option<Sum>,
}

struct PlanDraft<'a> {
    numbers: Numbers,
    format: Format,
    layout: &'a Layout,
    counters: Vec<CounterDef>,
    columns: Vec<ColumnPlan>,
}

impl PlanDraft<'_> {
    /// Adds a counter if the file has its fields. Columns of bases follow all counters.
    fn add(&mut self, counter: &Counter, bases: &mut Vec<PlanBase>) {
        if let Some(range) = counter.range {
            self.add_real(counter, range);
            return;
        }
        let Some(mut value) = self.sum(counter.of) else { return };
        if let CounterReading::Whole(divisor) = counter.reading {
            value.divisor = NonZeroU64::new(divisor);
        }
        let base = match self.base(counter.reading) {
            None => None,
            Some(PlanBase { value: None, .. }) => return,
            Some(base) => Some(base),
        };
        let speed = match counter.reading {
            CounterReading::LineUse { speed, .. } => match self.base_of(speed) {
                PlanBase { value: None, .. } => return,
                speed => Some(speed),
            },
            _ => None,
        };
        let base_name = base.as_ref().map(|base| Arc::clone(&base.name));
        let mut place_of = |base: PlanBase| {
            let place = bases.iter().position(|before| before.name == base.name);
            place.unwrap_or_else(|| {
                bases.push(base);
                bases.len() - 1
            })
        };
        let multi = speed.map(&mut place_of);
        let second = match base {
            Some(base) => SecondPlan::Base(place_of(base)),
            None if !counter.reading.is_over_time() => SecondPlan::None,
            None if counter.clock == 1 => SecondPlan::Clock,
            None => SecondPlan::FasterClock(counter.clock),
        };
        let is_gauge = counter.reading.is_current();
        let is_wide = is_gauge || self.is_wide(&value);
        if !is_wide && value.plus.iter().any(|term| term.factor >= LARGE_FACTOR) {
            // The multiple would wrap around at 2^32 too early.
            return;
        }
        let counter_type = Some(counter.reading.counter_type(is_wide));
        let len_value = if is_wide { 8 } else { 4 };
        // The type of a scaled value says %, which it isn't.
        let is_scaled = matches!(counter.reading, CounterReading::Scaled(_));
        let own = definition(counter.name, counter.unit, self.help(counter));
        self.counters.push(CounterDef {
            counter_type,
            len_value,
            unit: own.unit.or(is_scaled.then_some("")),
            base: base_name,
            own_formula: counter.reading.own_formula(),
            ..own
        });
        self.columns.push(ColumnPlan::Raw { value, second, multi });
    }

    fn help(&self, counter: &Counter) -> &'static str {
        let of_early = Some(counter.name).filter(|_| self.format.is_early()).and_then(help_of_early);
        of_early.unwrap_or(counter.help)
    }

    /// Adds a floating-point counter if the file has its fields.
    fn add_real(&mut self, counter: &Counter, range: RealRange) {
        let find = |name: &str| if name.is_empty() { Some(None) } else { self.layout.field(name).map(Some) };
        if let (Some(value), Some(low), Some(high)) =
            (self.layout.field(counter.of.text()), find(range.low), find(range.high))
        {
            self.counters.push(definition(counter.name, counter.unit, counter.help));
            self.columns.push(ColumnPlan::Real { value, low, high });
        }
    }

    /// What a counter is divided by, unless that is a clock.
    fn base(&self, reading: CounterReading) -> Option<PlanBase> {
        if let CounterReading::Scaled(divisor) = reading {
            // The formula multiplies by 100.
            let constant = 100 * divisor;
            let value = Some(Sum { constant, ..Sum::default() });
            return Some(PlanBase { name: constant.to_string().into(), value });
        }
        reading.base().map(|base| self.base_of(base))
    }

    fn base_of(&self, of: FieldSum) -> PlanBase {
        PlanBase { name: of.text().into(), value: self.sum(of) }
    }

    fn add_base(&mut self, base: PlanBase) {
        let PlanBase { name, value } = base;
        let value = value.unwrap_or_default();
        // Sums of gauges may be larger than their parts.
        let is_difference = self.columns.iter().zip(&self.counters).any(|(_, counter)| {
            counter.base.as_deref() == Some(&*name) && counter.formula().needs_two_samples()
        });
        let is_wide = !is_difference || self.is_wide(&value);
        self.counters.push(CounterDef {
            counter_type: Some(CounterReading::base_type(is_wide)),
            len_value: if is_wide { 8 } else { 4 },
            ..definition(&name, "", "")
        });
        self.columns.push(ColumnPlan::Raw { value, second: SecondPlan::None, multi: None });
    }

    /// Whether a sum doesn't wrap around at 2^32.
    fn is_wide(&self, sum: &Sum) -> bool {
        let is_wide = |term: &Term| match term.place {
            ValuePlace::Field(field) => !field.is_narrow(self.numbers),
            ValuePlace::Made(_) => self.layout.list != List::SoftNet,
        };
        self.layout.list == List::Sums || sum.plus.iter().all(is_wide)
    }

    /// A sum of the table; `None` if the file lacks one of its fields.
    fn sum(&self, of: FieldSum) -> Option<Sum> {
        let mut sum = Sum::default();
        for term in of.terms() {
            let Some(field) = term.field else {
                sum.constant += term.factor;
                continue;
            };
            match self.place(field) {
                Some(place) => {
                    let terms = if term.is_minus { &mut sum.minus } else { &mut sum.plus };
                    terms.push(Term { factor: term.factor, place });
                }
                None if term.is_optional => {}
                None => return None,
            }
        }
        Some(sum)
    }

    fn place(&self, name: &str) -> Option<ValuePlace> {
        let made = made_names(self.layout.list);
        if made.is_empty() {
            let field = self.layout.field(name)?;
            return (!matches!(field.kind, Kind::Text(_))).then_some(ValuePlace::Field(field));
        }
        let index = made.iter().position(|made| *made == name)?;
        // Sums over CPUs only include fields that the file has.
        let is_there = self.layout.list == List::FrequencyStates
            || name == cpu::TICKS
            || self.layout.field(name).is_some();
        is_there.then_some(ValuePlace::Made(index))
    }
}

fn definition(name: &str, unit: &'static str, help: &str) -> CounterDef {
    CounterDef {
        name: name.into(),
        unit: Some(unit).filter(|unit| !unit.is_empty()),
        help: Some(help).filter(|help| !help.is_empty()).map(Into::into),
        ..CounterDef::default()
    }
}

impl Sum {
    /// Whether both count the same, a single field perhaps in other units.
    fn counts_as(&self, other: &Sum) -> bool {
        let is_single = self.plus.len() == 1 && self.minus.is_empty();
        let are_same = |terms: &[Term], others: &[Term]| {
            let is_same = |(one, other): (&Term, &Term)| {
                one.place == other.place && (is_single || one.factor == other.factor)
            };
            terms.len() == others.len() && terms.iter().zip(others).all(is_same)
        };
        let is_plain = |sum: &Sum| sum.constant == 0 && sum.divisor.is_none();
        is_plain(self)
            && is_plain(other)
            && are_same(&self.plus, &other.plus)
            && are_same(&self.minus, &other.minus)
    }

    /// Its value; `None` if it is below 0 or beyond 64 bits.
    #[inline]
    pub(crate) fn of(&self, numbers: Numbers, row: &InstanceValues<'_>) -> Option<u64> {
        let value = |terms: &[Term]| {
            terms.iter().try_fold(0_u64, |sum, term| {
                let value = match (term.place, row) {
                    (ValuePlace::Field(field), InstanceValues::Item(item)) => {
                        field.number(numbers, item).unwrap_or(0)
                    }
                    (ValuePlace::Made(index), InstanceValues::Made(values)) => {
                        values.get(index).copied().unwrap_or(0)
                    }
                    _ => 0,
                };
                sum.checked_add(value.checked_mul(term.factor)?)
            })
        };
        let sum = self.constant.checked_add(value(&self.plus)?)?.checked_sub(value(&self.minus)?)?;
        Some(self.divisor.map_or(sum, |divisor| sum / divisor))
    }
}

impl ColumnPlan {
    /// The raw value of a row, if it is possible. For a floating-point column, the bits of the value, which is NaN if the
    /// divisor is zero.
    #[inline]
    pub(crate) fn value(&self, numbers: Numbers, row: &InstanceValues<'_>) -> Option<u64> {
        match (self, row) {
            (ColumnPlan::Raw { value, .. }, row) => value.of(numbers, row),
            (ColumnPlan::Real { value, low, high }, InstanceValues::Item(item)) => {
                let real = |field: &Field| f64::from_bits(field.number(numbers, item).unwrap_or(0));
                let above = real(value) - low.as_ref().map_or(0.0, real);
                let range = high.as_ref().map(|high| real(high) - low.as_ref().map_or(0.0, real));
                let value = match range {
                    None => above,
                    Some(0.0) => f64::NAN,
                    Some(range) => above / range * 100.0,
                };
                Some(value.to_bits())
            }
            (ColumnPlan::Real { .. }, InstanceValues::Made(_)) => Some(f64::NAN.to_bits()),
        }
    }
}
