//! Sums of fields, in tables of counters.

/// A sum of fields, as tables of counters write it: `total-free-?slab`, `1024*swapped`, `10000`.
///
/// A term is a field, a number and `*` and a field, or a number alone, which may only be added. A field after `?` counts
/// as 0 where it is missing; where any other is missing, there is no sum.
///
/// ```
/// use recount_model::FieldSum;
///
/// const USED: FieldSum = FieldSum::of("1024*total-?free");
/// let fields: Vec<_> = USED.terms().map(|term| (term.factor, term.field)).collect();
/// assert_eq!(fields, [(1024, Some("total")), (1, Some("free"))]);
/// ```
///
/// A mistake in a table doesn't compile:
///
/// ```compile_fail
/// const USED: recount_model::FieldSum = recount_model::FieldSum::of("1O24*total");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSum(&'static str);

/// A term of a [`FieldSum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldTerm {
    /// Whether it is subtracted.
    pub is_minus: bool,
    /// Whether it counts as 0 where the field is missing.
    pub is_optional: bool,
    /// What the field is multiplied by.
    pub factor: u64,
    /// The field; `None`: the term is its factor alone.
    pub field: Option<&'static str>,
}

impl FieldSum {
    /// The sum that a text says. Tables call it where constants are computed, so a mistake there doesn't compile.
    ///
    /// # Panics
    /// If the text isn't a sum.
    #[must_use]
    pub const fn of(text: &'static str) -> FieldSum {
        let mut rest = text;
        let mut is_first = true;
        while is_first || !rest.is_empty() {
            match next_term(rest, is_first) {
                Ok((_, behind)) => rest = behind,
                Err(mistake) => panic!("{}", mistake),
            }
            is_first = false;
        }
        FieldSum(text)
    }

    /// Its text, which is also its name where a counter is divided by it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        self.0
    }

    /// Its terms.
    pub fn terms(self) -> impl Iterator<Item = FieldTerm> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let is_first = rest.len() == self.0.len();
            let (term, behind) = next_term(rest, is_first).ok()?;
            rest = behind;
            Some(term)
        })
    }
}

/// The first term of a text, and what is behind it. Every term but the first of a sum has a sign.
const fn next_term(text: &'static str, is_first: bool) -> Result<(FieldTerm, &'static str), &'static str> {
    let mut rest = text;
    let mut is_minus = false;
    if !is_first {
        match first(rest) {
            b'+' => {}
            b'-' => is_minus = true,
            _ => return Err("a sum: expected + or - between its terms"),
        }
        rest = rest.split_at(1).1;
    }
    let is_optional = first(rest) == b'?';
    if is_optional {
        rest = rest.split_at(1).1;
    }
    let (digits, behind) = split_while_digits(rest);
    let mut factor = 1;
    if !digits.is_empty() {
        factor = match u64::from_str_radix(digits, 10) {
            Ok(factor) => factor,
            Err(_) => return Err("a sum: expected a factor of at most 64 bits"),
        };
        rest = behind;
        if matches!(first(rest), 0 | b'+' | b'-') {
            if is_optional || is_minus {
                return Err("a sum: a number may only be added");
            }
            return Ok((FieldTerm { is_minus, is_optional, factor, field: None }, rest));
        }
        if first(rest) != b'*' || factor == 0 {
            return Err("a sum: expected a factor above 0 and * before a field");
        }
        rest = rest.split_at(1).1;
    }
    let (field, behind) = split_field(rest);
    if field.is_empty() {
        return Err("a sum: expected a field, which begins with a letter or _");
    }
    Ok((FieldTerm { is_minus, is_optional, factor, field: Some(field) }, behind))
}

/// The first byte, or 0.
const fn first(text: &str) -> u8 {
    match text.as_bytes().first() {
        Some(byte) => *byte,
        None => 0,
    }
}

const fn split_while_digits(text: &'static str) -> (&'static str, &'static str) {
    let mut len = 0;
    while len < text.len() && text.as_bytes()[len].is_ascii_digit() {
        len += 1;
    }
    text.split_at(len)
}

/// A name at the begin of a text: letters, digits, `_` and `.`, not first a digit or a dot.
const fn split_field(text: &'static str) -> (&'static str, &'static str) {
    let mut len = 0;
    while len < text.len() {
        let byte = text.as_bytes()[len];
        let is_inside = len > 0 && (byte.is_ascii_digit() || byte == b'.');
        if !(byte.is_ascii_alphabetic() || byte == b'_' || is_inside) {
            break;
        }
        len += 1;
    }
    text.split_at(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(sign: char, is_optional: bool, factor: u64, field: &'static str) -> FieldTerm {
        let field = Some(field).filter(|field| !field.is_empty());
        FieldTerm { is_minus: sign == '-', is_optional, factor, field }
    }

    #[test]
    fn terms_have_signs_factors_and_names() {
        let sum = FieldSum::of("?a+1024*b_2.c-c-?3*d+7");
        let expected = [
            term('+', true, 1, "a"),
            term('+', false, 1024, "b_2.c"),
            term('-', false, 1, "c"),
            term('-', true, 3, "d"),
            term('+', false, 7, ""),
        ];
        assert_eq!(sum.terms().collect::<Vec<_>>(), expected);
        assert_eq!(FieldSum::of("10000").terms().collect::<Vec<_>>(), [term('+', false, 10_000, "")]);
    }

    #[test]
    fn typing_mistakes_are_no_sums() {
        let mistakes = [
            "",
            "+a",
            "a+",
            "a++b",
            "a-+b",
            "a b",
            "a +b",
            "1O24*a",
            "x*a",
            "*a",
            "2*",
            "2*3",
            "2**a",
            "2a",
            "-a",
            "a-5",
            "?5",
            "a??b",
            "?",
            "2*?a",
            "0*a",
            "1.5*a",
            "99999999999999999999*a",
            ".a",
            "a*2",
            "a+b*c",
            "é",
            "a,b",
        ];
        for text in mistakes {
            let made = std::panic::catch_unwind(|| FieldSum::of(text));
            assert!(made.is_err(), "{text:?} is taken as {made:?}");
        }
    }
}
