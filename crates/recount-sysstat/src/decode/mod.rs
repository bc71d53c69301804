//! Decodes samples into runs.

mod basis;
pub(crate) mod cpu;
mod label;
mod labeller;
pub(crate) mod ledgers;
pub(crate) mod plan;
mod prepare;
mod real;
mod recording;
mod renewal;
mod renewal_rule;
mod row;
mod rows;
mod soft_net;
mod spaces;

use std::sync::Arc;

use recount_model::{
    CellFault, Column, CountsSince, Decoded, ObjectDef, Opened, Run, RunBuilder, Second, Selection, Source,
};

use crate::store::record::items;
use crate::store::{SaSource, Sample};
use plan::{ColumnPlan, Joined, Plan, SecondPlan};
use row::{Identity, InstanceValues};
use rows::{Context, Rows, instances};
use spaces::Space;

/// Ticks per second of the clock used for rates.
const TICKS_PER_SECOND: u64 = 100;

impl SaSource {
    /// A sample by its index in time order; also returns its index in the file.
    fn sample(&self, sample: usize) -> Option<(u32, &Sample)> {
        let number = *self.order.get(sample)?;
        Some((number, self.samples.get(number as usize)?))
    }

    /// Passes the items of each activity of a sample, with its index in the list, to `take`, until that needs no
    /// more.
    fn activities_of<'a>(&'a self, sample: &Sample, mut take: impl FnMut(usize, &'a [u8]) -> bool) {
        let file = self.content.bytes();
        let file = &file[..file.len().min(sample.ofs + sample.len)];
        let mut ofs = sample.ofs;
        let counts = self.counts.get(sample.counts as usize).map_or(&[][..], Vec::as_slice);
        for (index, (activity, &count)) in self.activities.iter().zip(counts).enumerate() {
            // They were checked on opening.
            let Ok((found, end)) = items(file, &self.header, activity, count, ofs) else { return };
            if !take(index, found) {
                return;
            }
            ofs = end;
        }
    }
}

impl Source for SaSource {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.sample(sample).map_or(0, |(_, sample)| sample.epoch)
    }

    fn epoch_despite_losses(&self, sample: usize) -> u32 {
        let epoch = self.epoch(sample);
        epoch - self.lost_before.partition_point(|lost| *lost <= epoch) as u32
    }

    fn counts_since(&self, sample: usize) -> CountsSince {
        let Some((number, found)) = self.sample(sample) else { return CountsSince::default() };
        let [before, behind] = self.restarted_at;
        let is_last = number as usize + 1 == self.samples.len();
        let is_restarted = before && number == 0 || behind && is_last;
        CountsSince { boot_time: found.boot_time().filter(|_| !is_restarted), program: None }
    }

    fn canonical(&self) -> Option<Arc<dyn Source>> {
        Some(Arc::new(self.under_canonical_names()))
    }

    fn uncorrected(&self) -> Option<Arc<dyn Source>> {
        Some(Arc::new(self.without_corrections()))
    }

    fn corrected_together(
        &self,
        parts: &[Arc<dyn Source>],
        recordings: &[Vec<(u32, u32)>],
    ) -> Option<Vec<Arc<dyn Source>>> {
        recording::corrected_together(parts, recordings)
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.sample(sample).map_or(0, |(_, sample)| sample.len)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        let whole = |plan: &Plan| match &plan.joined {
            None => Some(Arc::clone(&plan.object)),
            Some(joined) => (joined.num_before == 0).then(|| Arc::clone(&joined.object)),
        };
        self.plans.iter().filter_map(whole).map(|object| (Arc::clone(&self.host), object)).collect()
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let is_wanted = |plan: &&Plan| selection.may_match_object(&self.host, &plan.object.name);
        let mut streams: Vec<Stream<'_>> = self
            .plans
            .iter()
            .filter(is_wanted)
            .map(|plan| {
                self.prepare(plan);
                Stream::new(plan, samples.len())
            })
            .collect();
        let mut epoch = None;
        for &sample in samples {
            let Some((number, sample)) = self.sample(sample as usize) else { continue };
            if epoch.replace(sample.epoch).is_some_and(|before| before != sample.epoch) {
                streams.iter_mut().for_each(Stream::close);
            }
            let numbers = self.header.numbers;
            let context = Context { numbers, ledgers: &self.ledgers, sample: self.place(number) };
            let mut streams = streams.iter_mut().peekable();
            self.activities_of(sample, |index, items| {
                while let Some(stream) = streams.next_if(|stream| stream.plan.index == index) {
                    stream.push(&self.host, sample, items, context);
                }
                streams.peek().is_some()
            });
        }
        let places = samples.iter().filter_map(|sample| Some(self.sample(*sample as usize)?.1));
        self.content.release_all(places.map(|place| place.ofs..place.ofs + place.len));
        let mut decoded = Decoded::default();
        for Stream { plan, builder, .. } in streams {
            let runs = builder.finish();
            if plan.is_real() {
                let cooked = runs.into_iter().filter_map(|run| real::cooked(self, run, samples, selection));
                decoded.cooked.extend(cooked);
            } else if let Some(joined) = &plan.joined {
                join(&mut decoded.runs, joined, runs);
            } else {
                decoded.runs.extend(runs);
            }
        }
        // If a damaged file lacks parts, it is unknown which.
        decoded.runs.retain(|run| run.columns.len() == run.object.counters.len());
        decoded
    }
}

/// Adds the runs of a part of an object to those of the previous parts. All parts have the same samples, and one
/// instance.
fn join(all: &mut Vec<Run>, joined: &Joined, runs: Vec<Run>) {
    if joined.num_before == 0 {
        all.extend(runs.into_iter().map(|run| Run { object: Arc::clone(&joined.object), ..run }));
        return;
    }
    let parts_before = all.iter_mut().filter(|run| Arc::ptr_eq(&run.object, &joined.object));
    for (run, part) in parts_before.zip(runs) {
        let is_same = run.clocks.time == part.clocks.time && run.instances == part.instances;
        if is_same && run.columns.len() == joined.num_before {
            run.faults.extend(
                part.faults
                    .into_iter()
                    .map(|fault| CellFault { counter: fault.counter + joined.num_before as u32, ..fault }),
            );
            run.columns.extend(part.columns.into_iter().map(|column| match column.second {
                Second::Base(base) => Column { second: Second::Base(base + joined.num_before), ..column },
                _ => column,
            }));
        }
    }
}

/// The runs of an object.
struct Stream<'a> {
    plan: &'a Plan,
    builder: RunBuilder,
    /// Rows of the current sample, and the instances of the previous one.
    rows: Rows<'a>,
    before: Vec<Identity<'a>>,
}

impl<'a> Stream<'a> {
    fn new(plan: &'a Plan, num_samples: usize) -> Stream<'a> {
        Stream { plan, builder: RunBuilder::new(num_samples), rows: Rows::default(), before: Vec::new() }
    }

    fn close(&mut self) {
        self.builder.close();
    }

    fn push(&mut self, host: &Arc<str>, sample: &Sample, items: &'a [u8], context: Context<'_>) {
        let Stream { plan, builder, rows, before } = self;
        rows.fill(plan, items, context);
        if builder.open().is_none() || *before != rows.identities {
            builder.begin(
                host,
                &plan.object,
                instances(plan, &rows.identities).into(),
                plan.empty_columns(&rows.identities),
            );
            before.clone_from(&rows.identities);
        }
        builder.append(|run, at| append(run, at, plan, rows, sample, context));
    }
}

/// Adds a sample. Values that are impossible, or too large for 64 bits, are faults.
fn append(run: &mut Run, at: usize, plan: &Plan, rows: &Rows<'_>, sample: &Sample, context: Context<'_>) {
    let Run { clocks, columns, faults, .. } = run;
    let spaces = &plan.spaces;
    let num_instances = rows.rows.len();
    clocks.time.push(sample.time);
    clocks.perf_time.push(sample.uptime_cs);
    clocks.perf_freq.push(TICKS_PER_SECOND);
    for ((counter, column), plan) in columns.iter_mut().enumerate().zip(&plan.columns) {
        let mut checked = |instance: usize, value: Option<u64>| {
            value.unwrap_or_else(|| {
                let (sample, counter, instance) = (at as u32, counter as u32, instance as u32);
                faults.push(CellFault { sample, counter, instance });
                0
            })
        };
        let rows = rows.rows.iter().enumerate();
        let possible = |row: &InstanceValues<'_>| {
            let is_impossible = |space: &Space| space.is_impossible(counter, context.numbers, row);
            plan.value(context.numbers, row).filter(|_| !spaces.iter().any(is_impossible))
        };
        let values = rows.map(|(instance, row)| checked(instance, possible(row)));
        column.first.extend(values);
        if let (Second::Own(clock), ColumnPlan::Raw { second: SecondPlan::FasterClock(faster), .. }) =
            (&mut column.second, plan)
        {
            let ticks = sample.uptime_cs.checked_mul(*faster);
            clock.extend((0..num_instances).map(|instance| checked(instance, ticks)));
        }
    }
}
