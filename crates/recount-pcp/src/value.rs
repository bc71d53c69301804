//! Converts values to the 64 bits of a run's cell.

use recount_model::RawNumber;

use crate::structure::{DataRecord, be_u32};
use crate::units::Factor;

/// The type of a metric's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueType {
    I32,
    U32,
    I64,
    U64,
    Float,
    Double,
    /// Text, aggregates, events: not numeric.
    Other(i32),
}

impl ValueType {
    pub(crate) fn of(number: i32) -> ValueType {
        match number {
            0 => ValueType::I32,
            1 => ValueType::U32,
            2 => ValueType::I64,
            3 => ValueType::U64,
            4 => ValueType::Float,
            5 => ValueType::Double,
            other => ValueType::Other(other),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            ValueType::I32 => "32",
            ValueType::U32 => "U32",
            ValueType::I64 => "64",
            ValueType::U64 => "U64",
            ValueType::Float => "FLOAT",
            ValueType::Double => "DOUBLE",
            ValueType::Other(6) => "STRING",
            ValueType::Other(7 | 8) => "AGGREGATE",
            ValueType::Other(9) => "EVENT",
            ValueType::Other(10) => "HIGHRES_EVENT",
            ValueType::Other(_) => "not supported",
        }
    }

    /// Bytes of a value.
    pub(crate) fn len(self) -> u32 {
        match self {
            ValueType::I32 | ValueType::U32 | ValueType::Float => 4,
            ValueType::I64 | ValueType::U64 | ValueType::Double | ValueType::Other(_) => 8,
        }
    }

    pub(crate) fn is_number(self) -> bool {
        !matches!(self, ValueType::Other(_))
    }
}

/// Beyond this, not all integers are doubles.
const MAX_HUNDREDTHS: f64 = 9_007_199_254_740_992.0;

/// How the cells of a metric are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MetricReading {
    pub(crate) value_type: ValueType,
    /// If present, values become floats in base units.
    factor: Option<Factor>,
}

impl MetricReading {
    /// For values that stay as they are, or, with a factor, become floats in base units.
    pub(crate) fn new(value_type: ValueType, factor: Option<Factor>) -> MetricReading {
        MetricReading { value_type, factor }
    }

    /// How the cells are read.
    pub(crate) fn number(self) -> RawNumber {
        match self.value_type {
            _ if self.factor.is_some() => RawNumber::Float,
            ValueType::I32 | ValueType::I64 => RawNumber::Signed,
            ValueType::U32 | ValueType::U64 | ValueType::Other(_) => RawNumber::Unsigned,
            ValueType::Float | ValueType::Double => RawNumber::Float,
        }
    }

    /// The cell of a value, if the record has a value of this type there. The description's type decides; a block of another type or length has
    /// none (`formats/pcp-archive.md#values`).
    pub(crate) fn cell(self, record: &DataRecord<'_>, format: u32, word: u32) -> Option<u64> {
        let bits = self.bits(record, format, word)?;
        let signed = |bits: u64| match self.value_type {
            ValueType::I32 | ValueType::I64 => i128::from(bits as i64),
            _ => i128::from(bits),
        };
        Some(match (self.factor, self.value_type) {
            (None, _) => bits,
            (Some(factor), ValueType::Float | ValueType::Double) => {
                factor.of_float(f64::from_bits(bits)).to_bits()
            }
            (Some(factor), _) => factor.of_integer(signed(bits)).to_bits(),
        })
    }

    /// An integer; for a fraction its hundredths, which are what programs print.
    pub(crate) fn integer(
        value_type: ValueType,
        record: &DataRecord<'_>,
        format: u32,
        word: u32,
    ) -> Option<i128> {
        let bits = MetricReading::new(value_type, None).bits(record, format, word)?;
        match value_type {
            ValueType::I32 | ValueType::I64 => Some(i128::from(bits as i64)),
            ValueType::U32 | ValueType::U64 => Some(i128::from(bits)),
            ValueType::Float | ValueType::Double => {
                let hundredths = (100.0 * f64::from_bits(bits)).round();
                (hundredths.abs() < MAX_HUNDREDTHS).then_some(hundredths as i128)
            }
            ValueType::Other(_) => None,
        }
    }

    /// Integers extended to 64 bits, floats as doubles.
    fn bits(self, record: &DataRecord<'_>, format: u32, word: u32) -> Option<u64> {
        let is_meant = |kind: u8| kind == 0 || ValueType::of(kind.into()) == self.value_type;
        let block = |len: usize| {
            let block = record.block(word).filter(|block| is_meant(block.value_type))?;
            Some(block.value).filter(|value| value.len() == len)
        };
        let wide = || Some(u64::from_be_bytes(block(8)?.try_into().ok()?));
        let narrow = || if format == 0 { Some(word) } else { be_u32(block(4)?, 0) };
        Some(match (self.value_type, format) {
            (ValueType::I32, _) => i64::from(narrow()? as i32) as u64,
            (ValueType::U32, _) => u64::from(narrow()?),
            (ValueType::Float, _) => f64::from(f32::from_bits(narrow()?)).to_bits(),
            (ValueType::I64 | ValueType::U64 | ValueType::Double, 1..) => wide()?,
            (ValueType::I64 | ValueType::U64 | ValueType::Double, 0) | (ValueType::Other(_), _) => {
                return None;
            }
        })
    }
}
