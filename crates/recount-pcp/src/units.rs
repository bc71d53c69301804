//! Units: dimensions and scales of a metric, and the conversion of its values to bytes, seconds and counts.

use std::fmt;

/// The word of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Units(pub(crate) u32);

/// A fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Factor {
    pub(crate) num: u64,
    pub(crate) den: u64,
}

/// Dimensions of space, time and count.
type Dimensions = (i8, i8, i8);

const SPACE: [&str; 9] = ["byte", "Kbyte", "Mbyte", "Gbyte", "Tbyte", "Pbyte", "Ebyte", "Zbyte", "Ybyte"];
const TIME: [&str; 6] = ["nanosec", "microsec", "millisec", "sec", "min", "hour"];
/// Nanoseconds per unit of each time scale.
const NANOS: [u64; 6] = [1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000, 3_600_000_000_000];

/// The unit shown after a value in base units, by its dimensions.
const NAMES: [(Dimensions, &str); 12] = [
    ((0, 0, 0), ""),
    ((0, 0, 1), ""),
    ((0, -1, 0), "/sec"),
    ((0, -1, 1), "/sec"),
    ((1, 0, 0), "bytes"),
    ((1, -1, 0), "bytes/sec"),
    ((0, 1, 0), "sec"),
    ((0, 1, -1), "sec"),
    ((0, 0, -1), "/count"),
    ((1, 0, -1), "bytes"),
    ((-1, 0, 1), "/byte"),
    ((-1, 0, 0), "/byte"),
];

/// Units of temperature, voltage, current and power.
const EXTRA: [&[&str]; 5] = [
    &[],
    &["", "°C", "°F", "K"],
    &["", "V", "mV", "µV"],
    &["", "A", "mA", "µA"],
    &["", "kW", "W", "mW", "µW"],
];

impl Units {
    fn signed(self, from_bit: u32) -> i8 {
        (((self.0 >> from_bit & 0xF) << 4) as u8 as i8) >> 4
    }

    pub(crate) fn dimensions(self) -> Dimensions {
        (self.signed(28), self.signed(24), self.signed(20))
    }

    /// Kind and scale of the extra unit; negative: in the denominator.
    fn extra(self) -> Option<(i8, usize)> {
        let kind = ((self.0 & 0xF8) as u8 as i8) >> 3;
        (kind != 0).then_some((kind, (self.0 & 7) as usize))
    }

    /// The factor by which to multiply a value. `None`: no factor fits the scales, and values stay as they are.
    pub(crate) fn factor(self) -> Option<Factor> {
        let (space, time, count) = self.dimensions();
        let mut factor = Factor { num: 1, den: 1 };
        if space != 0 {
            let scale = self.0 >> 16 & 0xF;
            SPACE.get(scale as usize)?;
            factor = factor.times(Factor { num: 1024_u64.checked_pow(scale)?, den: 1 }, space)?;
        }
        if time != 0 {
            let num = *NANOS.get((self.0 >> 12 & 0xF) as usize)?;
            factor = factor.times(Factor { num, den: 1_000_000_000 }, time)?;
        }
        let scale = self.signed(8);
        if scale != 0 && (count != 0 || self.dimensions() == (0, 0, 0)) {
            let ten = Factor { num: 10, den: 1 };
            let power = if count == 0 { scale } else { scale.checked_mul(count)? };
            factor = factor.times(ten, power)?;
        }
        Some(factor)
    }

    /// The unit of the value in base units, or of its rate, whose dimension of time is lower by one.
    pub(crate) fn shown(self, is_rate: bool) -> Option<&'static str> {
        let (space, time, count) = self.dimensions();
        if let Some((kind, scale)) = self.extra() {
            let is_alone = (space, time, count) == (0, 0, 0) && !is_rate;
            return is_alone.then(|| EXTRA.get(usize::try_from(kind).ok()?)?.get(scale).copied()).flatten();
        }
        self.factor()?;
        let dimensions = (space, time - i8::from(is_rate), count);
        NAMES.iter().find(|(known, _)| *known == dimensions).map(|(_, name)| *name)
    }
}

impl Factor {
    pub(crate) const ONE: Factor = Factor { num: 1, den: 1 };

    /// This factor times a power of another.
    fn times(self, other: Factor, power: i8) -> Option<Factor> {
        let exponent = u32::from(power.unsigned_abs());
        let (num, den) = if power < 0 { (other.den, other.num) } else { (other.num, other.den) };
        let (num, den) = (u128::from(num).checked_pow(exponent)?, u128::from(den).checked_pow(exponent)?);
        let (num, den) = (num.checked_mul(u128::from(self.num))?, den.checked_mul(u128::from(self.den))?);
        let divisor = gcd(num, den);
        Some(Factor { num: u64::try_from(num / divisor).ok()?, den: u64::try_from(den / divisor).ok()? })
    }

    /// Nanoseconds in which a counter with this factor rises by one base unit for each unit per second: the ticks
    /// per second of the clock for its rate. `None` unless this is a whole number.
    pub(crate) fn ticks_per_second(self) -> Option<u64> {
        let num = u128::from(self.num) * 1_000_000_000;
        let den = u128::from(self.den);
        (num % den == 0).then(|| u64::try_from(num / den).ok()).flatten()
    }

    /// An integer in base units.
    pub(crate) fn of_integer(self, value: i128) -> f64 {
        match value.checked_mul(i128::from(self.num)) {
            Some(product) => product as f64 / self.den as f64,
            None => self.of_float(value as f64),
        }
    }

    /// A float in base units.
    pub(crate) fn of_float(self, value: f64) -> f64 {
        value * self.num as f64 / self.den as f64
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// In PCP's notation: `Kbyte / sec`.
impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (space, time, count) = self.dimensions();
        let name = |names: &[&'static str], shift: u32| {
            names.get((self.0 >> shift & 0xF) as usize).copied().unwrap_or("(unknown scale)")
        };
        let scale = self.signed(8);
        let counts = if scale == 0 { "count".to_owned() } else { format!("count x 10^{scale}") };
        let mut parts =
            vec![(space, name(&SPACE, 16).to_owned()), (time, name(&TIME, 12).to_owned()), (count, counts)];
        if let Some((kind, scale)) = self.extra() {
            let names = EXTRA.get(usize::from(kind.unsigned_abs())).copied().unwrap_or_default();
            parts.push((kind.signum(), names.get(scale).copied().unwrap_or("(unknown unit)").to_owned()));
        } else if (space, time, count) == (0, 0, 0) && scale != 0 {
            return write!(f, "x 10^{scale}");
        }
        let shown = |(power, name): &(i8, String)| match power.unsigned_abs() {
            1 => name.clone(),
            power => format!("{name}^{power}"),
        };
        let above: Vec<String> = parts.iter().filter(|part| part.0 > 0).map(shown).collect();
        let below: Vec<String> = parts.iter().filter(|part| part.0 < 0).map(shown).collect();
        match (above.is_empty(), below.is_empty()) {
            (true, true) => f.write_str("none"),
            (_, true) => f.write_str(&above.join(" ")),
            (_, false) => write!(f, "{} / {}", above.join(" "), below.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_factors_and_names() {
        let all = [
            (0x0010_0000, "count", Some((1, 1)), Some(""), Some("/sec")),
            (0x0100_2000, "millisec", Some((1, 1000)), Some("sec"), Some("")),
            (0x1001_0000, "Kbyte", Some((1024, 1)), Some("bytes"), Some("bytes/sec")),
            (0x1F02_3000, "Mbyte / sec", Some((1 << 20, 1)), Some("bytes/sec"), None),
            (0x0F00_1000, " / microsec", Some((1_000_000, 1)), Some("/sec"), None),
            (0x01F0_2000, "millisec / count", Some((1, 1000)), Some("sec"), Some("/count")),
            (0x0100_4000, "min", Some((60, 1)), Some("sec"), Some("")),
            (0x0010_0300, "count x 10^3", Some((1000, 1)), Some(""), Some("/sec")),
            (0x0000_0F00, "x 10^-1", Some((1, 10)), Some(""), Some("/sec")),
            (0x0000_0009, "°C", Some((1, 1)), Some("°C"), None),
            (0x0000_0022, "W", Some((1, 1)), Some("W"), None),
            (0x7008_0000, "Ybyte^7", None, None, None),
        ];
        for (word, text, factor, shown, rate) in all {
            let units = Units(if word == 0x22 { 4 << 3 | 2 } else { word });
            assert_eq!(units.to_string(), text, "{word:#x}");
            assert_eq!(units.factor().map(|factor| (factor.num, factor.den)), factor, "{word:#x}");
            assert_eq!((units.shown(false), units.shown(true)), (shown, rate), "{word:#x}");
        }
        assert_eq!(Units(0x0100_2000).factor().and_then(Factor::ticks_per_second), Some(1_000_000));
        assert_eq!(Units(0x1001_0000).factor().and_then(Factor::ticks_per_second), Some(1_024_000_000_000));
        assert_eq!(Factor { num: 1, den: 3 }.ticks_per_second(), None);
    }
}
