//! zlib streams that are the same on every machine, whatever version and features of a library other crates ask for.
//!
//! One block with one set of codes, which suits logs of atop: a run of a byte (mostly zeros) takes 2 or 3 bits for every 258
//! or 10 of it, any other byte 10 or 11 bits.

/// Symbols: the bytes, then the end of the block, then lengths of matches.
const END: usize = 256;
const NUM_SYMBOLS: usize = 286;

/// The matches that are used, longest first: symbol, and length.
const MATCHES: [(usize, usize); 2] = [(285, 258), (264, 10)];

/// Bits of each symbol.
fn lens() -> [u8; NUM_SYMBOLS] {
    let mut lens = [0; NUM_SYMBOLS];
    lens[..255].fill(10);
    lens[255..=END].fill(11);
    lens[264] = 2;
    lens[285] = 1;
    lens
}

/// Bits of the symbols that tell these numbers, and the order in which the format wants them.
const LENS_OF_LENS: [(usize, u8); 5] = [(10, 1), (0, 2), (1, 3), (2, 4), (11, 4)];
const ORDER: [usize; 18] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1];

/// Packs bytes.
pub fn zip(bytes: &[u8]) -> Vec<u8> {
    let code = Code::new(&lens());
    let mut bits = Bits { bytes: vec![0x78, 0x01], num_free: 0 };
    put_header(&mut bits);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let len_run = match at.checked_sub(1) {
            Some(before) if bytes[before] == byte => {
                bytes[at..].iter().take_while(|other| **other == byte).count()
            }
            _ => 0,
        };
        let Some((symbol, len)) = MATCHES.into_iter().find(|(_, len)| *len <= len_run) else {
            code.put(&mut bits, usize::from(byte));
            at += 1;
            continue;
        };
        for _ in 0..len_run / len {
            code.put(&mut bits, symbol);
            // Its distance, 1: the only one there is.
            bits.put(0, 1);
        }
        at += len_run / len * len;
    }
    code.put(&mut bits, END);
    bits.bytes.extend(adler32(bytes).to_be_bytes());
    bits.bytes
}

/// The head of the last block, with its codes.
fn put_header(bits: &mut Bits) {
    const LAST: u32 = 1;
    const OWN_CODES: u32 = 2;
    bits.put(LAST | OWN_CODES << 1, 3);
    bits.put((NUM_SYMBOLS - 257) as u32, 5);
    // One distance.
    bits.put(0, 5);
    bits.put((ORDER.len() - 4) as u32, 4);
    let mut lens_of_lens = [0; 19];
    for (symbol, len) in LENS_OF_LENS {
        lens_of_lens[symbol] = len;
    }
    for symbol in ORDER {
        bits.put(u32::from(lens_of_lens[symbol]), 3);
    }
    let code = Code::new(&lens_of_lens);
    let len_of_distance = 1;
    lens().into_iter().chain([len_of_distance]).for_each(|len| code.put(bits, usize::from(len)));
}

/// Bits and lengths by symbol.
struct Code(Vec<(u32, u8)>);

impl Code {
    /// The format's own assignment: short codes first, and those of one length by symbol.
    fn new(lens: &[u8]) -> Code {
        let mut codes = vec![(0, 0); lens.len()];
        let mut next = 0;
        for len in 1..=15 {
            next <<= 1;
            for (symbol, _) in lens.iter().enumerate().filter(|(_, other)| **other == len) {
                codes[symbol] = (next, len);
                next += 1;
            }
        }
        Code(codes)
    }

    /// Codes begin with their highest bit, unlike numbers.
    fn put(&self, bits: &mut Bits, symbol: usize) {
        let (code, len) = self.0[symbol];
        (0..len).rev().for_each(|bit| bits.put(code >> bit & 1, 1));
    }
}

/// Bytes in the making, filled from their lowest bit on.
struct Bits {
    bytes: Vec<u8>,
    /// Bits of the last byte that aren't taken.
    num_free: u32,
}

impl Bits {
    fn put(&mut self, value: u32, num: u32) {
        for bit in 0..num {
            if self.num_free == 0 {
                self.bytes.push(0);
                self.num_free = 8;
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((value >> bit & 1) as u8) << (8 - self.num_free);
            }
            self.num_free -= 1;
        }
    }
}

fn adler32(bytes: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (mut sum, mut sum_of_sums) = (1, 0);
    for byte in bytes {
        sum = (sum + u32::from(*byte)) % MODULUS;
        sum_of_sums = (sum_of_sums + sum) % MODULUS;
    }
    sum_of_sums << 16 | sum
}
