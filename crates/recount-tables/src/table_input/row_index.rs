//! Where the rows of each sample are in a file.

use std::ops::Range;

use recount_model::Timestamp;

use super::times::TimeRun;

/// The rows of all samples of a file, by the sample's number. Takes no memory per sample while the number of
/// rows per sample stays the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RowIndex {
    strides: Vec<Stride>,
}

/// Consecutive samples with the same number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stride {
    first_sample: u32,
    num_samples: u32,
    first_row: u64,
    num_rows: u64,
}

/// The rows of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SampleRows {
    pub(super) sample: u32,
    pub(super) rows: Range<u64>,
}

impl RowIndex {
    /// From a file's times; `times` are those of all samples, including the file's.
    pub(super) fn new(runs: &[TimeRun], times: &[Timestamp]) -> RowIndex {
        let mut strides: Vec<Stride> = Vec::new();
        let (mut sample, mut row) = (0_usize, 0_u64);
        for run in runs {
            sample += times.get(sample..).unwrap_or_default().partition_point(|time| *time < run.time);
            let at = sample as u32;
            match strides.last_mut() {
                Some(last) if last.num_rows == run.num_rows && last.first_sample + last.num_samples == at => {
                    last.num_samples += 1;
                }
                _ => strides.push(Stride {
                    first_sample: at,
                    num_samples: 1,
                    first_row: row,
                    num_rows: run.num_rows,
                }),
            }
            row += run.num_rows;
            sample += 1;
        }
        strides.shrink_to_fit();
        RowIndex { strides }
    }

    /// The rows of samples, given by ascending numbers; samples without rows are skipped.
    pub(super) fn rows_of(&self, samples: &[u32]) -> Vec<SampleRows> {
        let Some(first) = samples.first() else { return Vec::new() };
        let mut at = self.strides.partition_point(|stride| stride.end() <= u64::from(*first));
        let mut found = Vec::with_capacity(samples.len());
        for &sample in samples {
            while self.strides.get(at).is_some_and(|stride| stride.end() <= u64::from(sample)) {
                at += 1;
            }
            let Some(stride) = self.strides.get(at) else { break };
            if stride.first_sample <= sample {
                let start = stride.first_row + u64::from(sample - stride.first_sample) * stride.num_rows;
                found.push(SampleRows { sample, rows: start..start + stride.num_rows });
            }
        }
        found
    }

    /// Adds this many bytes per row to the size of each sample.
    pub(super) fn add_lengths(&self, len_row: usize, len_samples: &mut [u32]) {
        for stride in &self.strides {
            let len = u32::try_from(stride.num_rows.saturating_mul(len_row as u64)).unwrap_or(u32::MAX);
            let samples = stride.first_sample as usize..stride.end() as usize;
            for of_sample in len_samples.get_mut(samples).unwrap_or_default() {
                *of_sample = of_sample.saturating_add(len);
            }
        }
    }
}

impl Stride {
    fn end(&self) -> u64 {
        u64::from(self.first_sample) + u64::from(self.num_samples)
    }
}

/// Merges adjacent rows.
pub(super) fn joined(samples: &[SampleRows]) -> Vec<Range<u64>> {
    let mut joined: Vec<Range<u64>> = Vec::new();
    for SampleRows { rows, .. } in samples {
        match joined.last_mut() {
            Some(last) if last.end == rows.start => last.end = rows.end,
            _ => joined.push(rows.clone()),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_lead_to_rows() {
        let run = |time, num_rows| TimeRun { time: Timestamp(time), num_rows };
        let times: Vec<Timestamp> = (0..8).map(Timestamp).collect();
        let index = RowIndex::new(&[run(1, 2), run(2, 2), run(4, 2), run(5, 3), run(6, 3)], &times);
        assert_eq!(index.strides.len(), 3);
        let rows = index.rows_of(&[0, 1, 2, 3, 4, 6, 7]);
        let rows: Vec<_> = rows.into_iter().map(|found| (found.sample, found.rows)).collect();
        assert_eq!(rows, [(1, 0..2), (2, 2..4), (4, 4..6), (6, 9..12)]);
        assert_eq!(joined(&index.rows_of(&[1, 2, 4, 6])), [0..6, 9..12]);
        let mut lengths = vec![1; 8];
        index.add_lengths(10, &mut lengths);
        assert_eq!(lengths, [1, 21, 21, 1, 21, 31, 31, 1]);
    }
}
