//! What all processes have counted so far: `_Total` of the counters that only grow.
//!
//! The sum over the processes that exist falls when one of them ends. `_Total` never does: in each sample it grows by what every
//! process has counted since the previous one, and a process that began in between counts from zero.

use super::inheritance::{Bequest, IoValues, Step, take_off};
use super::row::Row;
#[cfg(test)]
use super::spec::NUM_IO_COUNTERS;
use super::spec::{CREATING_PROCESS, GROWING, ID_PROCESS, NUM_COUNTERS, NUM_OPEN_COUNTERS};

/// The total, from sample to sample.
#[derive(Debug, Default)]
pub(super) struct GrowingTotal {
    /// By counter; `None` before the first sample, which has the sum over its processes.
    sums: Option<[u64; NUM_COUNTERS]>,
    /// Whether the previous sample had the I/O of every process: otherwise its total begins anew.
    has_io: bool,
    /// The processes of this sample, by id. Empty between samples, like the next.
    steps: Vec<Step>,
    /// Those that have ended, as they were last seen.
    ended: Vec<Bequest>,
}

/// With what a process is compared.
#[expect(clippy::large_enum_variant, reason = "one at a time, on the stack")]
#[derive(Clone, Copy, Debug)]
pub(super) enum Before {
    /// The process in the previous sample.
    Seen(Row),
    /// It began since.
    Newborn,
    /// It is older than the previous sample, which lacks it: what it has counted since is unknown.
    Unseen,
}

impl GrowingTotal {
    /// Adds what a process has counted since the previous sample.
    pub(super) fn grow(&mut self, before: &Before, now: &Row) {
        let io = self.grow_open(before, now);
        if self.sums.is_some() {
            let (pid, parent) = (now.values[ID_PROCESS], now.values[CREATING_PROCESS]);
            self.steps.push(Step { pid, parent, has_ended: false, io });
        }
    }

    /// Adds what a process counted from the previous sample to its end, by its exit record: nothing of it is counted again for its parent.
    pub(super) fn grow_ended(&mut self, before: &Before, now: &Row) {
        let io = self.grow_open(before, now);
        if let (Some(sums), Some(io)) = (&mut self.sums, io) {
            for (sum, grown) in sums[NUM_OPEN_COUNTERS..].iter_mut().zip(io) {
                *sum = sum.wrapping_add(grown);
            }
        }
    }

    /// Adds what everybody can read; returns by how much the I/O has grown, if that is known.
    fn grow_open(&mut self, before: &Before, now: &Row) -> Option<IoValues> {
        let sums = self.sums.as_mut()?;
        let grown = |counter: usize| match before {
            Before::Seen(before) => now.values[counter].saturating_sub(before.values[counter]),
            Before::Newborn => now.values[counter],
            Before::Unseen => 0,
        };
        for counter in GROWING {
            sums[counter] = sums[counter].wrapping_add(grown(counter));
        }
        let has_io = now.has_io()
            && match before {
                Before::Seen(before) => before.has_io(),
                Before::Newborn => true,
                Before::Unseen => false,
            };
        has_io.then(|| std::array::from_fn(|counter| grown(NUM_OPEN_COUNTERS + counter)))
    }

    /// Notes what was last seen of a process that has ended since the previous sample.
    pub(super) fn end(&mut self, last: Option<Row>) {
        if self.sums.is_some() {
            self.ended.extend(last.map(|last| Bequest {
                pid: last.values[ID_PROCESS],
                parent: last.values[CREATING_PROCESS],
                last_parent: last.values[CREATING_PROCESS],
                io: last.io().unwrap_or_default(),
                is_kept: false,
            }));
        }
    }

    /// Replaces the sums over the processes of this sample.
    pub(super) fn finish(&mut self, total: &mut Row) {
        // What a child has read and written is in its own steps.
        take_off(&mut self.steps, &self.ended, &mut |_, _| {});
        let sums = self.sums.get_or_insert(total.values);
        if self.has_io {
            for io in self.steps.iter().filter_map(|step| step.io.as_ref()) {
                for (sum, grown) in sums[NUM_OPEN_COUNTERS..].iter_mut().zip(io) {
                    *sum = sum.wrapping_add(*grown);
                }
            }
        } else {
            sums[NUM_OPEN_COUNTERS..].copy_from_slice(&total.values[NUM_OPEN_COUNTERS..]);
        }
        self.has_io = total.has_io();
        for counter in GROWING.into_iter().chain(NUM_OPEN_COUNTERS..NUM_COUNTERS) {
            total.values[counter] = sums[counter];
        }
        self.steps.clear();
        self.ended.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::spec::{PROCESSOR_TIME, WORKING_SET};
    use super::*;

    const WRITTEN: usize = NUM_OPEN_COUNTERS + 1;

    fn row(pid: u64, parent: u64, time: u64, written: u64) -> Row {
        let mut open = [0; NUM_OPEN_COUNTERS];
        open[ID_PROCESS] = pid;
        open[CREATING_PROCESS] = parent;
        open[PROCESSOR_TIME] = time;
        open[WORKING_SET] = 7;
        let mut row = Row::new(open);
        let mut io = [0; NUM_IO_COUNTERS];
        io[WRITTEN - NUM_OPEN_COUNTERS] = written;
        row.set_io(io);
        row
    }

    /// The totals of one sample after another: processor time and bytes written.
    fn totals(samples: &[&[Row]]) -> Vec<(u64, u64)> {
        let mut growing = GrowingTotal::default();
        let mut before: &[Row] = &[];
        let mut totals = Vec::new();
        let id = |row: &Row| row.values[ID_PROCESS];
        for rows in samples {
            let mut total = Row::new([0; NUM_OPEN_COUNTERS]);
            total.set_io([0; NUM_IO_COUNTERS]);
            before
                .iter()
                .filter(|old| !rows.iter().any(|row| id(row) == id(old)))
                .for_each(|old| growing.end(Some(*old)));
            for row in *rows {
                let known = before.iter().find(|old| id(old) == id(row));
                growing.grow(&known.map_or(Before::Newborn, |old| Before::Seen(*old)), row);
                total.add(row);
            }
            growing.finish(&mut total);
            assert_eq!(total.values[WORKING_SET], 7 * rows.len() as u64, "a state is the sum of this sample");
            totals.push((total.values[PROCESSOR_TIME], total.values[WRITTEN]));
            before = rows;
        }
        totals
    }

    #[test]
    fn it_never_falls_and_counts_newborns_from_zero() {
        let samples: [&[Row]; 4] = [
            &[row(1, 0, 100, 0), row(5, 1, 50, 10)],
            &[row(1, 0, 103, 0), row(6, 1, 4, 2)],
            &[row(1, 0, 103, 0), row(6, 1, 9, 2), row(7, 1, 1, 0)],
            &[],
        ];
        assert_eq!(totals(&samples), [(150, 10), (157, 12), (163, 12), (163, 12)]);
    }

    #[test]
    fn what_a_waiting_parent_inherits_is_counted_once() {
        let samples: [&[Row]; 2] = [&[row(1, 0, 0, 5), row(5, 1, 0, 1000)], &[row(1, 0, 0, 1025)]];
        assert_eq!(totals(&samples), [(0, 1005), (0, 1025)]);
        // Its parent ended, too, and the one above that waited for both.
        let family: [&[Row]; 2] =
            [&[row(1, 0, 0, 5), row(5, 1, 0, 100), row(6, 5, 0, 30)], &[row(1, 0, 0, 140)]];
        assert_eq!(totals(&family), [(0, 135), (0, 140)]);
        // Nobody waited for it.
        let orphan: [&[Row]; 2] = [&[row(1, 0, 0, 5), row(5, 1, 0, 1000)], &[row(1, 0, 0, 6)]];
        assert_eq!(totals(&orphan), [(0, 1005), (0, 1006)]);
    }

    #[test]
    fn what_an_old_process_counted_unseen_is_left_out() {
        let mut growing = GrowingTotal::default();
        growing.finish(&mut row(0, 0, 100, 0));
        growing.grow(&Before::Unseen, &row(3, 1, 900, 0));
        let mut total = row(0, 0, 1000, 0);
        growing.finish(&mut total);
        assert_eq!(total.values[PROCESSOR_TIME], 100);
    }

    /// Any history of births and deaths: the growth of the members is that of the total.
    #[test]
    fn the_members_growth_is_the_totals_growth() {
        let mut seed = 88_172_645_463_325_252_u64;
        let mut random = move |limit: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % limit
        };
        for _ in 0..200 {
            let mut alive: Vec<Row> = (1..6).map(|pid| row(pid, 0, random(50), 0)).collect();
            let mut samples = vec![alive.clone()];
            let mut grown = Vec::new();
            let mut next = 6;
            for _ in 0..8 {
                alive.retain(|_| random(4) > 0);
                let mut step = 0;
                for row in &mut alive {
                    let more = random(20);
                    row.values[PROCESSOR_TIME] += more;
                    step += more;
                }
                for _ in 0..random(4) {
                    let time = random(9);
                    alive.push(row(next, 1, time, 0));
                    step += time;
                    next += 1;
                }
                grown.push(step);
                samples.push(alive.clone());
            }
            let samples: Vec<&[Row]> = samples.iter().map(Vec::as_slice).collect();
            let totals = totals(&samples);
            let steps: Vec<u64> = totals.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
            assert_eq!(steps, grown);
        }
    }
}
