//! Sorts values from time order to series order; those that don't fit in memory go to an unnamed temporary file.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// A metric and a set of labels, by their numbers.
pub(crate) type Series = (usize, usize);

/// A value of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) series: Series,
    /// Since 1970.
    pub(crate) millis: i64,
    pub(crate) value: f64,
}

/// Bytes of a point in the file.
const LEN_POINT: usize = 32;
/// Bytes read at a time from each sorted part.
const LEN_READ: usize = 64 << 10;
/// Points that are held in memory: 64 MiB.
const MAX_HELD: usize = (64 << 20) / LEN_POINT;

/// Points of slices of time, which follow each other.
#[derive(Debug)]
pub(crate) struct Points {
    held: Vec<Point>,
    max_held: usize,
    file: Option<File>,
    /// Where in the file each sorted part ends, in bytes.
    ends: Vec<u64>,
}

impl Default for Points {
    fn default() -> Points {
        Points::holding(MAX_HELD)
    }
}

impl Points {
    fn holding(max_held: usize) -> Points {
        Points { held: Vec::new(), max_held, file: None, ends: Vec::new() }
    }

    pub(crate) fn push(&mut self, point: Point) {
        self.held.push(point);
    }

    /// Ends a slice of time: those that follow are later.
    pub(crate) fn end_slice(&mut self) -> io::Result<()> {
        if self.held.len() < self.max_held { Ok(()) } else { self.spill() }
    }

    /// Hands over all points, series by series and in the order of time.
    pub(crate) fn each<E: From<io::Error>>(
        mut self,
        mut take: impl FnMut(Point) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.ends.is_empty() {
            self.sort();
            return self.held.into_iter().try_for_each(take);
        }
        self.spill()?;
        let Points { file, ends, .. } = self;
        let Some(mut file) = file else { return Ok(()) };
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let mut parts: Vec<SortedPart> = starts.zip(ends.iter().copied()).map(SortedPart::new).collect();
        for part in &mut parts {
            part.advance(&mut file)?;
        }
        while let Some(series) = parts.iter().filter_map(|part| Some(part.next?.series)).min() {
            // The parts are in the order of time.
            for part in &mut parts {
                while let Some(point) = part.next.filter(|point| point.series == series) {
                    take(point)?;
                    part.advance(&mut file)?;
                }
            }
        }
        Ok(())
    }

    /// By series and time; of one time, as they came.
    fn sort(&mut self) {
        self.held.sort_by_key(|point| (point.series, point.millis));
    }

    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile()?,
        };
        let mut out = BufWriter::new(file);
        for point in self.held.drain(..) {
            out.write_all(&point.to_bytes())?;
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        self.ends.push(file.stream_position()?);
        self.file = Some(file);
        Ok(())
    }
}

impl Point {
    fn to_bytes(self) -> [u8; LEN_POINT] {
        let words = [
            (self.series.0 as u64).to_le_bytes(),
            (self.series.1 as u64).to_le_bytes(),
            self.millis.to_le_bytes(),
            self.value.to_le_bytes(),
        ];
        let mut bytes = [0; LEN_POINT];
        bytes.copy_from_slice(words.as_flattened());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Point> {
        let (words, _) = bytes.as_chunks::<8>();
        let [family, labels, millis, value] = words else { return None };
        Some(Point {
            series: (u64::from_le_bytes(*family) as usize, u64::from_le_bytes(*labels) as usize),
            millis: i64::from_le_bytes(*millis),
            value: f64::from_le_bytes(*value),
        })
    }
}

/// A sorted part of the file, while it is read.
struct SortedPart {
    /// What hasn't been read yet.
    ofs: u64,
    end: u64,
    read: Vec<u8>,
    /// Bytes of it that are used up.
    used: usize,
    next: Option<Point>,
}

impl SortedPart {
    fn new((ofs, end): (u64, u64)) -> SortedPart {
        SortedPart { ofs, end, read: Vec::new(), used: 0, next: None }
    }

    fn advance(&mut self, file: &mut File) -> io::Result<()> {
        if self.used == self.read.len() {
            let len = (self.end - self.ofs).min(LEN_READ as u64);
            self.read.resize(len as usize, 0);
            file.seek(SeekFrom::Start(self.ofs))?;
            file.read_exact(&mut self.read)?;
            self.ofs += len;
            self.used = 0;
        }
        let bytes = self.read.get(self.used..self.used + LEN_POINT);
        self.next = bytes.and_then(Point::from_bytes);
        self.used = (self.used + LEN_POINT).min(self.read.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of slices of time: series come and go.
    fn slices() -> Vec<Vec<Point>> {
        let point = |slice: usize, at: usize| Point {
            series: ((at * 7 + slice) % 5, at % 3),
            millis: (slice * 10 + at % 10) as i64,
            value: (slice * 100_000 + at) as f64,
        };
        (0..40).map(|slice| (0..500).map(|at| point(slice, at)).collect()).collect()
    }

    fn written(max_held: usize) -> Vec<Point> {
        let mut points = Points::holding(max_held);
        for slice in slices() {
            for point in slice {
                points.push(point);
            }
            points.end_slice().expect("written");
        }
        let mut all = Vec::new();
        points
            .each(|point| {
                all.push(point);
                Ok::<(), io::Error>(())
            })
            .expect("read");
        all
    }

    #[test]
    fn what_waits_in_the_file_comes_in_the_same_order() {
        let mut expected: Vec<Point> = slices().concat();
        expected.sort_by_key(|point| (point.series, point.millis));
        assert_eq!(written(usize::MAX), expected, "in memory");
        for max_held in [1, 700, 19_999] {
            assert_eq!(written(max_held), expected, "{max_held}");
        }
        assert_eq!(written(20_000), expected, "the last slice is spilled");
    }
}
