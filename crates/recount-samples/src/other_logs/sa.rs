//! Small `sa` files, written field by field.

use recount_bytes::ByteOrder;
use recount_bytes::fields::Scalar;

/// Bytes in some machine's order and word size.
#[derive(Clone)]
pub struct Bytes {
    pub order: ByteOrder,
    pub len_long: u8,
    pub all: Vec<u8>,
}

impl Bytes {
    pub fn put(&mut self, value: impl Scalar) -> &mut Self {
        value.write(self.order, &mut self.all);
        self
    }

    /// 64-bit numbers.
    pub fn quads(&mut self, values: &[u64]) -> &mut Self {
        for value in values {
            value.write(self.order, &mut self.all);
        }
        self
    }

    /// Longs, in slots of 8 bytes.
    pub fn longs(&mut self, values: &[u64]) -> &mut Self {
        for &value in values {
            if self.len_long == 4 {
                self.put(value as u32).put(0xdead_beef_u32);
            } else {
                self.put(value);
            }
        }
        self
    }

    pub fn words(&mut self, values: &[u32]) -> &mut Self {
        for value in values {
            value.write(self.order, &mut self.all);
        }
        self
    }

    /// Text in a field of so many bytes.
    pub fn text(&mut self, text: &str, len: usize) -> &mut Self {
        let begin = self.all.len();
        self.all.extend(text.as_bytes());
        self.all.resize(begin + len, 0);
        self
    }

    pub fn zeros(&mut self, len: usize) -> &mut Self {
        self.text("", len)
    }

    fn names(&mut self) -> &mut Self {
        let machine = match (self.order, self.len_long) {
            (ByteOrder::Little, 8) => "x86_64",
            (ByteOrder::Little, _) => "i686",
            (ByteOrder::Big, 8) => "s390x",
            (ByteOrder::Big, _) => "ppc",
        };
        self.text("Linux", 65).text("web1", 65).text("6.1.0", 65).text(machine, 65)
    }
}

/// A file in the making.
pub struct Writer {
    pub bytes: Bytes,
    format: u16,
}

/// An entry of the list of activities: number, magic, items, whether records count them, size of an item, its numbers.
pub type Entry = (u32, u32, u32, bool, u32, [u32; 3]);

/// 2026-02-01T00:00:00Z
pub const CREATED: u64 = 1_769_904_000;

impl Writer {
    pub fn new(format: u16, order: ByteOrder, len_long: u8, entries: &[Entry]) -> Writer {
        let mut bytes = Bytes { order, len_long, all: Vec::new() };
        let is_early = matches!(format, 0x1170 | 0x2170);
        bytes.put(0xd596_u16).put(format).put(if is_early { [9_u8, 0, 4, 0] } else { [12, 6, 1, 0] });
        // 1 February, 02:00 in Eastern Europe.
        let date = [1_u8, 1, 126, len_long];
        match format {
            0x1170 | 0x2170 | 0x2171 => {
                bytes.longs(&[CREATED]).put(entries.len() as u32).put(date).names().zeros(4);
            }
            0x2173 => {
                bytes.put(288_u32).zeros(64);
                bytes.longs(&[CREATED]).words(&[3, entries.len() as u32, 1]).put(date).names().zeros(4);
            }
            _ => {
                bytes.put(336_u32).put(0_u32).words(&[1, 1, 12]).zeros(48);
                bytes.quads(&[CREATED]).longs(&[100]).words(&[
                    3,
                    entries.len() as u32,
                    126,
                    0,
                    0,
                    9,
                    2,
                    0,
                    1,
                    36,
                    24,
                    0,
                ]);
                bytes.put([date[0], date[1], len_long]).names().text("EET", 8).zeros(1);
            }
        }
        for &(id, magic, count, has_count, size, types) in entries {
            if is_early {
                bytes.words(&[id, count, size]);
                continue;
            }
            bytes.words(&[id, magic, count, 1]);
            if format == 0x2175 {
                bytes.put(u32::from(has_count));
            }
            bytes.put(size);
            if format == 0x2175 {
                bytes.words(&types);
            }
        }
        Writer { bytes, format }
    }

    /// The head of a record, so many 1/100 s after a start at an uptime of 1000 s; the clock is two hours ahead of UTC.
    pub fn record(&mut self, kind: u8, after_cs: u64) -> &mut Bytes {
        self.record_at(kind, 100_000 + after_cs, CREATED + after_cs / 100)
    }

    pub fn record_at(&mut self, kind: u8, uptime_cs: u64, time: u64) -> &mut Bytes {
        let local = time.wrapping_add(7200) % 86_400;
        let tail = [kind, (local / 3600) as u8, (local / 60 % 60) as u8, (local % 60) as u8];
        if self.format == 0x2175 {
            self.bytes.quads(&[uptime_cs, time]).put(0_u32).put(tail)
        } else {
            self.bytes.quads(&[2 * uptime_cs, 0, uptime_cs, 0]).longs(&[time]).put(tail).zeros(4)
        }
    }

    pub fn comment(&mut self, after_cs: u64, text: &str) {
        self.record(4, after_cs).text(text, 64);
    }

    pub fn restart(&mut self, after_cs: u64) {
        let format = self.format;
        let bytes = self.record(2, after_cs);
        match format {
            0x2175 => {
                bytes.put(3_u32);
            }
            0x2173 => {
                bytes.words(&[1, 0, 3, 0, 0]);
            }
            _ => {}
        }
    }
}
