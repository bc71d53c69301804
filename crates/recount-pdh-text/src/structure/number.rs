//! Values as text: reading them in any locale, printing them as C's `%.17g` does.

use std::io::Write as _;

/// The contents of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// A finite number.
    Value(f64),
    /// Blank, PDH's form of a missing value.
    Blank,
    /// Anything that isn't a finite number.
    Bad,
}

/// The form of numbers in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumberForm {
    /// The decimal mark, `.` or `,`.
    pub(crate) mark: u8,
    /// Whether the other one groups thousands: some number of the file can't be read in any other way.
    pub(crate) has_groups: bool,
}

/// Reads a cell. Thousands may be grouped by spaces and apostrophes, and by the other mark if the file does so.
pub(crate) fn parse(field: &[u8], form: NumberForm) -> Cell {
    let field = field.trim_ascii();
    if field.is_empty() {
        return Cell::Blank;
    }
    if !is_number(field, form.mark) {
        return match without_groups(field, form.mark) {
            Some((digits, by_mark)) if form.has_groups || !by_mark => number_of(&digits, form.mark),
            _ => Cell::Bad,
        };
    }
    number_of(field, form.mark)
}

/// Whether a number is the one that a cell says: there are whole numbers above 2^53 that a double can't hold.
pub(crate) fn is_exact(field: &[u8], number: f64) -> bool {
    /// From here on, not every whole number is a double.
    const LIMIT: f64 = (1_u64 << 53) as f64;
    if number.abs() < LIMIT {
        return true;
    }
    let field = field.trim_ascii();
    let digits = match field.strip_prefix(b"-").or(field.strip_prefix(b"+")).unwrap_or(field) {
        digits if digits.iter().all(u8::is_ascii_digit) => digits.to_vec(),
        // Thousands in groups.
        grouped if grouped.iter().all(|byte| !matches!(byte, b'e' | b'E')) => {
            let Some((digits, _)) = [b'.', b','].iter().find_map(|mark| without_groups(grouped, *mark))
            else {
                return true;
            };
            digits
        }
        _ => return true,
    };
    let whole = str::from_utf8(&digits).ok().and_then(|digits| digits.parse::<u128>().ok());
    whole.is_none_or(|whole| whole == number.abs() as u128)
}

fn number_of(field: &[u8], mark: u8) -> Cell {
    // The text is ASCII, so both conversions succeed.
    let number = match (mark, str::from_utf8(field)) {
        (b',', Ok(text)) => text.replacen(',', ".", 1).parse(),
        (_, Ok(text)) => text.parse::<f64>(),
        (_, Err(_)) => return Cell::Bad,
    };
    match number {
        Ok(number) if number.is_finite() => Cell::Value(number),
        _ => Cell::Bad,
    }
}

/// Whether a cell is blank or a number with either mark.
pub(crate) fn may_be_number(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    let is_one = |mark: u8| is_number(field, mark) || without_groups(field, mark).is_some();
    field.is_empty() || is_one(b'.') || is_one(b',')
}

/// A number without the separators of its thousands, and whether they are the mark that isn't decimal; `None` if it isn't
/// grouped as a whole: one to three digits, and groups of three, each behind the same separator.
fn without_groups(field: &[u8], mark: u8) -> Option<(Vec<u8>, bool)> {
    /// Spaces: ASCII, no-break (in UTF-8 and in code pages), narrow no-break, thin. Apostrophes: ASCII and typographic.
    const SEPARATORS: [&[u8]; 8] =
        [b" ", b"\xC2\xA0", b"\xA0", b"\xE2\x80\xAF", b"\xE2\x80\x89", b"'", b"\xE2\x80\x99", b"\x92"];
    let len_digits = |at: &[u8]| at.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let len_sign = field.iter().take_while(|byte| matches!(byte, b'+' | b'-')).count().min(1);
    let len_whole = len_sign + len_digits(&field[len_sign..]);
    if !(1..=3).contains(&(len_whole - len_sign)) {
        return None;
    }
    let (mut digits, mut rest) = (field[..len_whole].to_vec(), &field[len_whole..]);
    let other = if mark == b',' { b"." } else { b"," };
    let mut separators = SEPARATORS.into_iter().chain([other.as_slice()]);
    let separator = separators.find(|separator| rest.starts_with(separator))?;
    while let Some(group) = rest.strip_prefix(separator) {
        if len_digits(group) != 3 {
            return None;
        }
        digits.extend_from_slice(&group[..3]);
        rest = &group[3..];
    }
    let is_end = rest.first().is_none_or(|byte| *byte == mark);
    digits.extend_from_slice(rest);
    (is_end && is_number(&digits, mark)).then_some((digits, separator == other))
}

/// `[+-]digits[mark digits][e[+-]digits]`, where one of the first two groups of digits may be missing.
/// (Rust's own parser also accepts `inf` and `nan`.)
fn is_number(field: &[u8], mark: u8) -> bool {
    fn digits(at: &mut &[u8]) -> usize {
        let len = at.iter().take_while(|byte| byte.is_ascii_digit()).count();
        *at = &at[len..];
        len
    }
    fn sign(at: &mut &[u8]) {
        if let [b'+' | b'-', rest @ ..] = *at {
            *at = rest;
        }
    }
    let mut at = field;
    sign(&mut at);
    let mut num_digits = digits(&mut at);
    if at.first() == Some(&mark) {
        at = &at[1..];
        num_digits += digits(&mut at);
    }
    if let [b'e' | b'E', rest @ ..] = at {
        at = rest;
        sign(&mut at);
        if digits(&mut at) == 0 {
            return false;
        }
    }
    num_digits > 0 && at.is_empty()
}

/// Evidence for the form of numbers from all values of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MarkVotes {
    with_comma: Votes,
    with_point: Votes,
}

/// Evidence for one decimal mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Votes {
    /// Cells that are a number only with this mark.
    num: u64,
    /// Those of them that look like grouped thousands: `1,234`.
    group_like: u64,
    /// Cells that are a number only with this mark and thousands grouped by the other: `1.234,5`, `1.234.567`.
    grouped: u64,
}

impl MarkVotes {
    /// Adds a cell to the evidence.
    pub(crate) fn count(&mut self, field: &[u8]) {
        let field = field.trim_ascii();
        let Some(at) = field.iter().position(|byte| matches!(byte, b',' | b'.')) else { return };
        let mark = field[at];
        let votes = if mark == b',' { &mut self.with_comma } else { &mut self.with_point };
        if is_number(field, mark) {
            votes.num += 1;
            votes.group_like += u64::from(is_group_like(field, at));
            return;
        }
        // The first mark groups, and the last is decimal; or there is none but those that group.
        let other = if mark == b',' { b'.' } else { b',' };
        if without_groups(field, other).is_some_and(|(_, by_mark)| by_mark) {
            let votes = if mark == b',' { &mut self.with_point } else { &mut self.with_comma };
            votes.grouped += 1;
        } else if without_groups(field, mark).is_some() {
            // Grouped by spaces: the mark is decimal.
            votes.num += 1;
        }
    }

    /// How often each mark is the decimal one: comma, point. Where thousands are grouped by a mark, numbers such as `1,234` are
    /// no evidence that it is decimal.
    fn totals(self) -> (u64, u64) {
        let total = |own: Votes, other: Votes| {
            let decimal = if other.grouped > 0 { own.num - own.group_like } else { own.num };
            decimal + own.grouped
        };
        (total(self.with_comma, self.with_point), total(self.with_point, self.with_comma))
    }

    /// The form of numbers: the decimal mark of the majority.
    pub(crate) fn form(self) -> NumberForm {
        let (num_comma, num_point) = self.totals();
        let (mark, votes) =
            if num_comma > num_point { (b',', self.with_comma) } else { (b'.', self.with_point) };
        NumberForm { mark, has_groups: votes.grouped > 0 }
    }

    /// A remark for the reader on how that was decided.
    pub(crate) fn doubt(self) -> Option<String> {
        let (num_comma, num_point) = self.totals();
        let NumberForm { mark, has_groups } = self.form();
        let mark = char::from(mark);
        if num_comma > 0 && num_point > 0 {
            return Some(format!(
                "some values have a decimal point ({num_point}), others a decimal comma ({num_comma}): `{mark}` \
                 is taken, and the others are null"
            ));
        }
        if has_groups {
            let (other, votes, like) = if mark == ',' {
                ('.', self.with_comma, self.with_point.group_like)
            } else {
                (',', self.with_point, self.with_comma.group_like)
            };
            let num_grouped = votes.grouped + like;
            return Some(format!(
                "thousands are grouped by `{other}` in {num_grouped} values: read without it"
            ));
        }
        let Votes { num, group_like, .. } = self.with_comma;
        (num > 0 && num == group_like).then(|| {
            format!(
                "all {num} values with a comma have three digits behind it: it is taken for a decimal \
                 comma, as PDH doesn't group thousands"
            )
        })
    }
}

/// Whether a number with its mark at an offset may be grouped thousands as well: `1,234`.
fn is_group_like(field: &[u8], at: usize) -> bool {
    let whole = field[..at].strip_prefix(b"-").unwrap_or(&field[..at]);
    field.len() - at == 4 && (1..=3).contains(&whole.len()) && whole != b"0"
}

/// Appends a finite number as C's `%.17g` prints it: 17 significant digits, without trailing zeros.
pub(crate) fn push_g17(out: &mut Vec<u8>, number: f64) {
    const NUM_DIGITS: i32 = 17;
    // Writing to a Vec can't fail.
    if number.fract() == 0.0 && number.abs() < 1e15 && !(number == 0.0 && number.is_sign_negative()) {
        let _ = write!(out, "{}", number as i64);
        return;
    }
    let scientific = format!("{number:.16e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let unsigned = mantissa.trim_start_matches('-');
    if unsigned.len() < mantissa.len() {
        out.push(b'-');
    }
    let digits: String = unsigned.chars().filter(char::is_ascii_digit).collect();
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    };
    if !(-4..NUM_DIGITS).contains(&exponent) {
        push_with_point(out, digits, 1);
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{sign}{:02}", exponent.abs());
    } else if exponent < 0 {
        out.extend_from_slice(b"0.");
        out.extend(std::iter::repeat_n(b'0', exponent.unsigned_abs() as usize - 1));
        out.extend_from_slice(digits.as_bytes());
    } else {
        push_with_point(out, digits, exponent as usize + 1);
    }
}

/// The digits with a point after the first `len_whole`, padded with zeros up to there.
fn push_with_point(out: &mut Vec<u8>, digits: &str, len_whole: usize) {
    let (whole, rest) = digits.split_at(digits.len().min(len_whole));
    out.extend_from_slice(whole.as_bytes());
    out.extend(std::iter::repeat_n(b'0', len_whole - whole.len()));
    if !rest.is_empty() {
        out.push(b'.');
        out.extend_from_slice(rest.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn g17(number: f64) -> String {
        let mut out = Vec::new();
        push_g17(&mut out, number);
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn prints_as_c_does() {
        // Expected: printf("%.17g") of glibc.
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (4096.0, "4096"),
            (-7.0, "-7"),
            (0.1, "0.10000000000000001"),
            (12.345, "12.345000000000001"),
            (0.5, "0.5"),
            (100.0 / 3.0, "33.333333333333336"),
            // As PDH printed them.
            (86.937_351_032_844_12, "86.93735103284412"),
            (0.333_001_424_725_925_4, "0.33300142472592542"),
            (0.0001, "0.0001"),
            (0.000_123, "0.00012300000000000001"),
            (0.000_01, "1.0000000000000001e-05"),
            (2.5e-7, "2.4999999999999999e-07"),
            (1e15, "1000000000000000"),
            (1e16, "10000000000000000"),
            (1e17, "1e+17"),
            (1.5e17, "1.5e+17"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (12_345_678_901_234_568.0, "12345678901234568"),
            (99_999_999_999_999_984.0, "99999999999999984"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (5e-324, "4.9406564584124654e-324"),
        ] {
            assert_eq!(g17(number), expected);
        }
    }

    const POINT: NumberForm = NumberForm { mark: b'.', has_groups: false };
    const COMMA: NumberForm = NumberForm { mark: b',', has_groups: false };

    #[test]
    fn thousands_are_grouped_where_nothing_else_is_meant() {
        let grouped = |mark| NumberForm { mark, has_groups: true };
        for (text, form, number) in [
            ("1,234.5", grouped(b'.'), 1234.5),
            ("-17,179,869,184", grouped(b'.'), -17_179_869_184.0),
            ("1,234", grouped(b'.'), 1234.0),
            ("1.234,5", grouped(b','), 1234.5),
            ("1\u{A0}234,5", COMMA, 1234.5),
            ("12\u{202F}345\u{202F}678", POINT, 12_345_678.0),
            ("1 234.5e3", POINT, 1_234_500.0),
            ("1'234.5", POINT, 1234.5),
        ] {
            assert_eq!(parse(text.as_bytes(), form), Cell::Value(number), "{text}");
        }
        // In code page 1252.
        assert_eq!(parse(b"1\xA0234,5", COMMA), Cell::Value(1234.5));
        for (text, form) in [
            ("1,234", POINT),
            ("1,234.5", POINT),
            ("1,23.5", grouped(b'.')),
            ("1234,567.5", grouped(b'.')),
            ("1,234 567", grouped(b'.')),
            ("1 2", POINT),
            ("1 2345", POINT),
        ] {
            assert_eq!(parse(text.as_bytes(), form), Cell::Bad, "{text}");
        }
    }

    #[test]
    fn whole_numbers_that_no_double_holds_are_known() {
        let is_exact = |text: &str| {
            let Cell::Value(value) = parse(text.as_bytes(), POINT) else { panic!("{text}") };
            super::is_exact(text.as_bytes(), value)
        };
        for text in [
            "9007199254740992",
            "9007199254740994",
            "-18446744073709551616",
            "1e300",
            "17",
            "9007199254740993.5e3",
        ] {
            assert!(is_exact(text), "{text}");
        }
        let ungrouped =
            ["9007199254740993", " -9007199254740993 ", "18446744073709551615", "9'007'199'254'740'993"];
        assert!(!ungrouped.into_iter().any(is_exact));
    }

    #[test]
    fn reads_numbers_and_nothing_else() {
        for (text, number) in
            [("1", 1.0), (" -0.5 ", -0.5), ("1e-005", 1e-5), ("+2.E+3", 2000.0), (".25", 0.25)]
        {
            assert_eq!(parse(text.as_bytes(), POINT), Cell::Value(number), "{text}");
        }
        assert_eq!(parse(b"-0,5e1", COMMA), Cell::Value(-5.0));
        for blank in ["", " ", "\t "] {
            assert_eq!(parse(blank.as_bytes(), POINT), Cell::Blank);
        }
        for bad in
            ["nan", "inf", "1,5", "1.2.3", "-", ".", "1e", "e5", "-1.#IND", "1 2", "1e999", "0x10", "5%"]
        {
            assert_eq!(parse(bad.as_bytes(), POINT), Cell::Bad, "{bad}");
        }
        assert_eq!(parse(b"1.5", COMMA), Cell::Bad);
        assert_eq!(parse(b"1.234,5", COMMA), Cell::Bad);
    }

    #[test]
    fn the_mark_is_a_matter_of_majority() {
        let votes = |cells: &[&str]| {
            let mut votes = MarkVotes::default();
            for cell in cells {
                votes.count(cell.as_bytes());
            }
            (votes.form().mark, votes.doubt().is_some())
        };
        assert_eq!(votes(&["1", "", " "]), (b'.', false));
        assert_eq!(votes(&["0,5", "17", "1,25"]), (b',', false));
        assert_eq!(votes(&["0,125", "0,375"]), (b',', false));
        assert_eq!(votes(&["1,234", "12,345"]), (b',', true));
        assert_eq!(votes(&["1,5", "1.5", " 2.5"]), (b'.', true));
        assert_eq!(votes(&["1,234,567", "1.5", "a.b"]), (b'.', true));
        // What can only be grouped decides about what may be.
        assert_eq!(votes(&["1,234.5", "1,234", "2,345"]), (b'.', true));
        assert_eq!(votes(&["1.234,5", "1.234", "2.345", "0,5"]), (b',', true));
        assert_eq!(votes(&["1\u{A0}234,5", "7"]), (b',', false));
    }

    /// Random doubles of all magnitudes, as printed by the C library, through Python.
    #[test]
    #[cfg(feature = "live-tests")]
    fn live_prints_as_the_c_library_does() {
        const PROGRAM: &str = "import struct,sys\nfor l in sys.stdin: print('%.17g' % struct.unpack('>d', bytes.fromhex(l))[0])";
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut bits = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        // Any bits, and numbers typical for counters.
        let any: Vec<f64> = (0..50_000).map(|_| f64::from_bits(bits())).collect();
        let usual = (0..50_000).map(|_| bits() as f64 / (bits() >> 20) as f64);
        let numbers: Vec<f64> = any.into_iter().chain(usual).filter(|number| number.is_finite()).collect();
        let hex = |number: &f64| format!("{:016x}", number.to_bits());
        let input: Vec<String> = numbers.iter().map(hex).collect();
        let mut python = std::process::Command::new("python3")
            .args(["-c", PROGRAM])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("python3");
        let mut stdin = python.stdin.take().expect("its input");
        let feed = std::thread::spawn(move || stdin.write_all(input.join("\n").as_bytes()));
        let output = python.wait_with_output().expect("its output");
        feed.join().expect("a thread").expect("written");
        let printed = String::from_utf8(output.stdout).expect("ASCII");
        assert_eq!(printed.lines().count(), numbers.len());
        for (number, expected) in numbers.iter().zip(printed.lines()) {
            assert_eq!(g17(*number), expected);
        }
    }

    proptest! {
        /// The standard library's other way of printing, by digits after the point.
        #[test]
        fn digits_are_rounded_exactly(number in -1e17_f64..1e17, scale in 0..21) {
            let number = number / 10_f64.powi(scale);
            let exponent = number.abs().log10().floor() as i32;
            prop_assume!((-4..16).contains(&exponent));
            let rounded = format!("{number:.*}", (16 - exponent) as usize);
            // The logarithm may be off by one next to a power of ten.
            prop_assume!(rounded.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0').count() == 17);
            let expected = rounded.trim_end_matches('0').trim_end_matches('.');
            prop_assert_eq!(g17(number), expected);
        }

        #[test]
        fn printed_numbers_read_back_to_the_bit(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            let Cell::Value(back) = parse(g17(number).as_bytes(), POINT) else { panic!("{number}") };
            prop_assert_eq!(back.to_bits(), bits);
        }
    }
}
