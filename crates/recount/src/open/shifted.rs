//! Captures whose clock was ahead or behind.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::SignedDuration;
use recount_model::{
    Change, Changed, Decoded, FindingKind, Instance, Instances, Opened, ProcessNote, Run, SampleTime,
    Selection, Source, Timestamp,
};

use crate::Capture;
use crate::repeats::Comparisons;

/// All times moved by so much.
struct Shifted {
    /// 100 ns.
    by: i64,
}

impl Capture {
    /// The capture with all its times later by a duration (earlier, if it is negative): its clock was behind. Values stay what they are.
    /// `why` is said in a note: `as asked`.
    #[must_use]
    pub fn shifted(self, by: SignedDuration, why: &str) -> Capture {
        let ticks =
            i64::try_from(by.as_nanos() / 100).unwrap_or(if by.is_negative() { i64::MIN } else { i64::MAX });
        if ticks == 0 {
            return self;
        }
        let Capture { source, mut notes, .. } = self;
        let direction = if by.is_negative() { "earlier" } else { "later" };
        let what = format!("its times are taken to be {:#} {direction} than it says, {why}", by.abs());
        notes.note(FindingKind::Time, None, what);
        let source = Changed::of(source, Shifted { by: ticks });
        // What it has in common with others depends on its times.
        Capture { source, notes, comparisons: Comparisons::default(), ..self }
    }
}

impl Shifted {
    fn moment(&self, time: Timestamp) -> Timestamp {
        Timestamp(time.0.saturating_add(self.by))
    }

    fn set(&self, times: &mut [SampleTime]) {
        for time in times {
            time.utc = self.moment(time.utc);
        }
    }

    /// The starts of processes and devices, if they are compared with the time of the samples: an object with a clock of its own keeps both.
    fn set_starts(&self, run: &mut Run, known: &mut HashMap<*const Instance, Instances>) {
        let is_own_clock = (0..run.num_samples().min(1)).any(|at| {
            let utc = run.clocks.time.get(at).map_or(Timestamp::default(), |time| time.utc);
            run.start_clock(at) != utc
        });
        let has_none = |instance: &Instance| instance.start.is_none() && instance.renewed_after.is_none();
        if is_own_clock || run.instances.iter().all(has_none) {
            return;
        }
        let shifted = |instance: &Instance| Instance {
            start: instance.start.map(|start| self.moment(start)),
            renewed_after: instance.renewed_after.map(|sample| self.moment(sample)),
            ..instance.clone()
        };
        // Runs share tables, by which others see that they are the same.
        let table = Arc::clone(&run.instances);
        let found = known.entry(table.as_ptr()).or_insert_with(|| table.iter().map(shifted).collect());
        run.instances = Arc::clone(found);
    }
}

impl Change for Shifted {
    fn opened(&self, source: &dyn Source) -> Opened {
        let Opened { mut info, health, times } = source.opened().clone();
        let mut times = times.to_vec();
        self.set(&mut times);
        for time in [&mut info.boot_time, &mut info.started, &mut info.ended].into_iter().flatten() {
            *time = self.moment(*time);
        }
        for mark in &mut info.marks {
            mark.time = self.moment(mark.time);
        }
        Opened { info, health, times: times.into() }
    }

    fn span(&self, (begin, end): (Timestamp, Timestamp)) -> (Timestamp, Timestamp) {
        let back = |time: Timestamp| Timestamp(time.0.saturating_sub(self.by));
        (back(begin), back(end))
    }

    fn note(&self, note: ProcessNote) -> ProcessNote {
        match note {
            ProcessNote::Described(mut described) => {
                described.since = self.moment(described.since);
                ProcessNote::Described(described)
            }
            ProcessNote::Ended(mut ended) => {
                ended.sample = self.moment(ended.sample);
                ProcessNote::Ended(ended)
            }
        }
    }

    fn decoded(&self, mut decoded: Decoded, _: &Selection) -> Decoded {
        let mut known = HashMap::new();
        for run in &mut decoded.runs {
            self.set_starts(run, &mut known);
            self.set(&mut run.clocks.time);
        }
        for cooked in &mut decoded.cooked {
            self.set(&mut cooked.times);
        }
        decoded
    }
}

#[cfg(all(test, feature = "analysis"))]
mod tests {
    use super::*;
    use crate::{Timeline, open};

    fn sample(name: &str) -> Capture {
        let path = format!("{}/../../samples/{name}", env!("CARGO_MANIFEST_DIR"));
        open(path).expect("a sample")
    }

    #[test]
    fn times_marks_and_boot_are_later_and_values_stay() {
        let plain = sample("moved/disk-writer.rcap");
        let later = plain.clone().shifted(SignedDuration::from_mins(90), "as asked");
        let ticks = 90 * 60 * Timestamp::TICKS_PER_SECOND;
        let by = |a: Timestamp, b: Timestamp| b.0 - a.0 == ticks;
        for (one, other) in plain.source.times().iter().zip(later.source.times()) {
            assert!(by(one.utc, other.utc) && one.offset_min == other.offset_min);
        }
        assert!(by(plain.marks()[0].time, later.marks()[0].time));
        let boots = plain.source.info().boot_time.zip(later.source.info().boot_time);
        assert!(boots.is_none_or(|(one, other)| by(one, other)));
        let figures = |capture: &Capture| {
            let timeline = Timeline::whole(std::slice::from_ref(capture)).expect("one capture");
            let options = recount_analysis::stats::StatsOptions::default();
            let (rows, _) = crate::stats(&timeline, &options, &crate::unwatched).expect("nobody cancels");
            rows.iter().map(|row| (row.path().to_string(), row.count, row.mean, row.max)).collect::<Vec<_>>()
        };
        assert_eq!(figures(&plain), figures(&later));
        assert!(later.health().findings().iter().any(|found| found.to_string().contains("1h 30m later")));
        let back = later.shifted(SignedDuration::from_mins(-90), "as asked");
        assert_eq!(plain.source.times(), back.source.times());
    }
}
