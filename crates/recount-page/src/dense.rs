//! Bytes as text that a script element may hold, in fewer characters than base64: 13 bits in two of 91 characters, which makes them
//! longer by 23 %, not by 33 %. `page/local/dense.js` reads it.

/// The characters, in the order of their digits, are those from `#` to `~` without `<`, which could end the element.
const FIRST: u8 = b'#';
const LEFT_OUT: u8 = b'<';
const RADIX: u32 = 91;
const LEN_PAIR: u32 = 13;
/// What a single character at the end holds.
const LEN_SINGLE: u32 = 6;

/// Bytes as text; a page gives it to `bytesOfDense`.
pub fn dense(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() / 13 * 16 + 16);
    let (mut held, mut num_bits) = (0, 0);
    for &byte in bytes {
        held = held << 8 | u32::from(byte);
        num_bits += 8;
        if num_bits >= LEN_PAIR {
            num_bits -= LEN_PAIR;
            push_pair(&mut text, held >> num_bits);
            held &= (1 << num_bits) - 1;
        }
    }
    match num_bits {
        0 => {}
        1..=LEN_SINGLE => text.push(character(held << (LEN_SINGLE - num_bits))),
        _ => push_pair(&mut text, held << (LEN_PAIR - num_bits)),
    }
    text
}

fn push_pair(text: &mut String, bits: u32) {
    text.extend([character(bits / RADIX), character(bits % RADIX)]);
}

fn character(digit: u32) -> char {
    let place = FIRST + digit as u8;
    char::from(if place >= LEFT_OUT { place + 1 } else { place })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reverse, by another way: all bits in a row.
    fn bytes_of(text: &str) -> Vec<u8> {
        let digits: Vec<u32> =
            text.bytes().map(|place| u32::from(place - FIRST) - u32::from(place > LEFT_OUT)).collect();
        let bits_of = |value: u32, len: u32| (0..len).rev().map(move |k| value >> k & 1).collect::<Vec<_>>();
        let bits: Vec<u32> = digits
            .chunks(2)
            .flat_map(|pair| match pair {
                [high, low] => bits_of(high * RADIX + low, LEN_PAIR),
                [only] => bits_of(*only, LEN_SINGLE),
                _ => Vec::new(),
            })
            .collect();
        bits.chunks_exact(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | *bit as u8)).collect()
    }

    #[test]
    fn bytes_come_back() {
        assert_eq!(dense(b""), "");
        // As in tests/local/dense.test.js.
        assert_eq!(dense(b"recount"), "L7`]fhdK3");
        let mut state = 1_u32;
        let random: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(2000)
        .collect();
        for len in (0..60).chain([1999, 2000]) {
            for bytes in [&random[..len], &vec![255; len], &vec![0; len]] {
                let text = dense(bytes);
                assert_eq!(bytes_of(&text), bytes);
                assert!(text.bytes().all(|place| (b'#'..=b'~').contains(&place) && place != b'<'), "{text}");
                assert!(text.len() <= bytes.len() * 16 / 13 + 2);
            }
        }
    }
}
