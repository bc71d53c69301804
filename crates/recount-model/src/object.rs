//! Performance objects and their counters, as defined by the source.

use std::sync::Arc;

use crate::{
    AggregateFunction, Aggregation, CounterAttributes, CounterType, Formula, NumberStyle, Recipe, Renewal,
    SubType, TypeClass, Width,
};

/// A performance object: `Processor`, with its counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectDef {
    /// Name; the decimal name index if no name table has it.
    pub name: Arc<str>,
    /// Name index (title index) in the producer's name table.
    pub index: Option<u32>,
    /// Help text.
    pub help: Option<Arc<str>>,
    /// Whether the object has instances.
    pub instanced: bool,
    /// Counters in the order of the source, bases included.
    pub counters: Vec<CounterDef>,
    /// Over which instances the counters are aggregated.
    pub aggregation: Aggregation,
    /// Which of the object's lists of counters this is, if they are sampled at different times (PCP, where it is a digest of
    /// the list): a run only follows one of the same list. 0 in all other formats.
    pub stream: u32,
    /// Whether everything that its counters count begins at zero with an instance: processes whose starts the source says.
    pub counts_from_start: bool,
    /// How many processors the machine has, if that is known and instances are processes: what began since the previous sample can't have
    /// used more of their time than there was.
    pub num_processors: Option<u32>,
    /// How it shows that an instance without a parent was registered again between two samples.
    pub renewal: Option<Renewal>,
}

/// How the 64 bits of a raw value are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RawNumber {
    /// As an unsigned integer, like all counters of Windows.
    #[default]
    Unsigned,
    /// In two's complement.
    Signed,
    /// As a binary64 of IEEE 754.
    Float,
}

/// One counter of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterDef {
    /// Name; the decimal name index if no name table has it.
    pub name: Arc<str>,
    /// Name index in the producer's name table.
    pub index: Option<u32>,
    /// Help text.
    pub help: Option<Arc<str>>,
    /// The type word, or `None` for values that were already cooked in the source.
    pub counter_type: Option<CounterType>,
    /// Power of ten that a chart multiplies the value by. Metadata: values are not scaled.
    pub default_scale: i32,
    /// 100 novice, 200 advanced, 300 expert, 400 wizard.
    pub detail_level: Option<u32>,
    /// Bytes of the raw value in the source: 4 or 8 for numbers.
    pub len_value: u32,
    /// How the bits of raw values are read.
    pub number: RawNumber,
    /// The formula, if no type has it ([`Formula::LineUse`]).
    pub own_formula: Option<Formula>,
    /// Unit of the cooked value, if the source states it more precisely than the type word.
    pub unit: Option<&'static str>,
    /// Ticks per second of the counter's clock, if the source states it per counter (a counter list);
    /// otherwise it comes with the clocks of each sample.
    pub time_base: Option<u64>,
    /// Width of its raw values, if the source states it with the values (MS-PCQ `dwDataSize`); otherwise it
    /// follows from the type word and the length.
    pub width: Option<Width>,
    /// Name of the counter that is its base or its instance count, if the source names it (MS-PCQ); otherwise
    /// it is the next counter.
    pub base: Option<Arc<str>>,
    /// What is computed over the instances, if the object is aggregated.
    pub aggregate: AggregateFunction,
    /// How to read and show it.
    pub attributes: CounterAttributes,
}

impl CounterDef {
    /// Whether the counter only serves another counter.
    pub fn is_base(&self) -> bool {
        self.counter_type.is_some_and(CounterType::is_base)
    }

    /// How its values are shown. Attributes that contradict each other are left aside.
    pub fn style(&self) -> NumberStyle {
        use CounterAttributes as A;
        let [is_ungrouped, is_real, is_hex] = [A::NO_GROUP_SEPARATOR, A::DISPLAY_AS_REAL, A::DISPLAY_AS_HEX]
            .map(|attribute| self.attributes.contains(attribute));
        let is_hex_type = self.counter_type.is_some_and(|word| word.subtype() == SubType::Hex);
        match (is_ungrouped, is_real, is_hex || is_hex_type) {
            (false, false, true) => NumberStyle::Hexadecimal,
            (true, false, _) => NumberStyle::Ungrouped,
            (false, true, _) => NumberStyle::Real,
            (true, true, _) => NumberStyle::UngroupedReal,
            (false, false, false) => NumberStyle::Grouped,
        }
    }

    /// Whether it has texts instead of values.
    pub fn is_text(&self) -> bool {
        self.counter_type.is_some_and(|word| word.class() == TypeClass::Text)
    }

    /// Whether it has no cooked column of its own: bases, and counters whose provider asks not to display
    /// them.
    pub fn is_hidden(&self) -> bool {
        self.is_base() || self.attributes.contains(CounterAttributes::NO_DISPLAY)
    }

    /// What has to be computed; `None` for values that were already cooked in the source.
    pub fn recipe(&self) -> Option<Recipe> {
        let recipe = self.counter_type?.recipe(self.len_value);
        let formula = self.own_formula.unwrap_or(recipe.formula);
        Some(Recipe { formula, width: self.width.unwrap_or(recipe.width), ..recipe })
    }

    /// Whether its type says how raw values are read and what is computed of them, as for all counters of Windows.
    pub fn is_told_by_type(&self) -> bool {
        self.counter_type.is_some() && self.number == RawNumber::Unsigned && self.own_formula.is_none()
    }

    /// Its formula; [`Formula::NotANumber`] for values that were already cooked in the source.
    pub fn formula(&self) -> Formula {
        self.recipe().map_or(Formula::NotANumber, |recipe| recipe.formula)
    }

    /// Width of the raw value, which decides how it wraps.
    pub fn raw_width(&self) -> Width {
        let by_length = if self.len_value == 4 { Width::Dword } else { Width::Large };
        self.recipe().map_or(by_length, |recipe| recipe.width)
    }

    /// Width of the raw values of its base, if they come without a definition of the base (a counter list).
    pub fn base_width(&self) -> Width {
        match self.counter_type.and_then(CounterType::predefined).and_then(|row| row.base) {
            Some(base) => CounterType(base).width(8),
            None => self.formula().base_width(self.raw_width()),
        }
    }

    /// Unit of the cooked value (`/sec`, `%`, `sec`) or an empty string.
    pub fn unit(&self) -> &'static str {
        self.unit.unwrap_or_else(|| self.counter_type.map_or("", CounterType::unit))
    }
}

impl ObjectDef {
    /// Index of the counter with that name, compared without case.
    pub fn counter_named(&self, name: &str) -> Option<usize> {
        self.counters.iter().position(|c| c.name.eq_ignore_ascii_case(name))
    }
}
