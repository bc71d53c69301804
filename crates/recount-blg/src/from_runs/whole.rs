//! Runs as whole objects, the form that Windows has for `\Object(*)\*`: only the instances of a sample are in it, and an
//! instance may lack its last counters (formats/blg.md#from-runs).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use recount_bytes::{FormatError, SystemTime};
use recount_model::{CellFault, CounterDef, Instance, Multi, NameTable, Run, Second, Timestamp, id_counters};
use recount_perf_data::{
    BlockClocks, BlockStream, CounterDefinition, DataBlock, InstanceName, ObjectHeader, ObjectRuns,
    ObjectTemplate,
};

use super::view::RunView;

/// The part of a run that is written, as a whole object.
pub(super) struct WholeView<'r> {
    run: &'r Run,
    /// The run's counters in the order of the definitions: the selected ones and their bases.
    counters: Vec<usize>,
    name_index: u32,
    template: ObjectTemplate,
    /// The instances that are written, in the run's order.
    instances: Vec<usize>,
    /// Whether ids are unique ids. Otherwise they are among the counters.
    has_unique_ids: bool,
    /// Per sample and instance of the run with values missing, how many counters precede these.
    ends: HashMap<(u32, u32), usize>,
}

impl<'r> WholeView<'r> {
    /// `index` gives the index of a name, from that in the source. `None` if the run certainly can't be a whole object;
    /// whether it can, [`WholeView::reads_back`] finds out.
    pub(super) fn new(
        view: &RunView<'r>,
        mut index: impl FnMut(Option<u32>, &str) -> Option<u32>,
    ) -> Option<WholeView<'r>> {
        let run = view.run;
        let instances = &view.counters.first()?.instances;
        if view.counters.iter().any(|counter| counter.instances != *instances) {
            return None;
        }
        let mut counters = BTreeSet::new();
        for counter in view.counters.iter().map(|counter| counter.counter) {
            counters.insert(counter);
            let column = &run.columns[counter];
            counters.extend(match column.second {
                Second::Base(base) => Some(base),
                _ => None,
            });
            counters.extend(match column.multi {
                Multi::Base(base) => Some(base),
                _ => None,
            });
        }
        let counters: Vec<usize> = counters.into_iter().collect();
        let is_full = |counter: &usize| {
            run.columns.get(*counter).is_some_and(|column| column.first.len() == run.num_cells())
        };
        if !counters.iter().all(is_full) {
            return None;
        }
        let name_index = index(run.object.index, &run.object.name)?;
        let mut template = ObjectTemplate::new(ObjectHeader::new(name_index, run.object.instanced));
        for &counter in &counters {
            let def = &run.object.counters[counter];
            template.add_counter(definition(def, index(def.index, &def.name)?)?);
        }
        let ends = ends(run, &counters);
        let can_end = ends.values().all(|&num| run.object.instanced && template.can_end_after(num));
        let has_unique_ids = id_counters(&run.object.counters).is_empty();
        let instances = instances.iter().map(|at| *at as usize).collect();
        can_end.then_some(WholeView { run, counters, name_index, template, instances, has_unique_ids, ends })
    }

    /// The block of a sample. `local` is its time stamp in the log.
    pub(super) fn block(&self, sample: usize, local: Timestamp) -> Result<Vec<u8>, FormatError> {
        let clocks = &self.run.clocks;
        let ticks = |all: &[u64]| all.get(sample).map_or(0, |ticks| *ticks as i64);
        let mut stream = BlockStream::new(&self.run.host);
        stream.begin(BlockClocks {
            perf_time: ticks(&clocks.perf_time),
            perf_freq: ticks(&clocks.perf_freq),
            perf_time_100ns: clocks.time[sample].utc.0,
        });
        let mut object =
            stream.object(&self.template, ticks(&clocks.object_time), ticks(&clocks.object_freq));
        for &instance in &self.instances {
            let num_all = self.counters.len();
            let num = self.ends.get(&(sample as u32, instance as u32)).copied().unwrap_or(num_all);
            let mut values = if self.run.object.instanced {
                object.instance_up_to(self.named(&self.run.instances[instance]), num)
            } else {
                object.values()
            };
            let cell = sample * self.run.instances.len() + instance;
            for (place, &counter) in self.counters[..num].iter().enumerate() {
                values.set(place, self.run.columns[counter].first[cell]);
            }
        }
        stamped(stream.finish()?, self.name_index as i32, local)
    }

    /// Whether a reader of the log gets the same run from it.
    pub(super) fn reads_back(&self, names: &NameTable) -> bool {
        let times = &self.run.clocks.time;
        let mut runs = ObjectRuns::new(Arc::clone(&self.run.host), times.len());
        for (sample, time) in times.iter().enumerate() {
            let Ok(bytes) = self.block(sample, time.local()) else { return false };
            let Ok(block) = DataBlock::parse(&bytes, 0) else { return false };
            let Some(Ok(object)) = block.objects().next() else { return false };
            if runs.push(&block, &object, *time, names).is_err() {
                return false;
            }
        }
        match &*runs.finish() {
            [read] => self.has_same_table(read) && self.has_same_values(read),
            _ => false,
        }
    }

    fn named<'i>(&self, instance: &'i Instance) -> InstanceName<'i> {
        let id = instance.id.filter(|_| self.has_unique_ids);
        let unique_id = id.and_then(|id| u32::try_from(id).ok()).map(|id| id as i32);
        InstanceName { unique_id, ..InstanceName::new(&instance.name) }
    }

    /// Whether objects, counters, instances and clocks are the same.
    fn has_same_table(&self, read: &Run) -> bool {
        let run = self.run;
        let is_same_def = |(def, counter): (&CounterDef, &usize)| {
            let own = &run.object.counters[*counter];
            (&def.name, def.counter_type, def.default_scale)
                == (&own.name, own.counter_type, own.default_scale)
                && def.raw_width() == own.raw_width()
        };
        run.object.name == read.object.name
            && run.object.instanced == read.object.instanced
            && read.object.counters.iter().zip(&self.counters).all(is_same_def)
            && read.instances.iter().eq(self.instances.iter().map(|at| &run.instances[*at]))
            && run.clocks.time == read.clocks.time
            && (0..run.num_samples()).all(|at| {
                // The time of the sample is taken from its block.
                let is_time =
                    run.clocks.time_100ns.get(at).is_none_or(|t| *t as i64 == run.clocks.time[at].utc.0);
                is_time && run.start_clock(at) == read.start_clock(at)
            })
    }

    fn has_same_values(&self, read: &Run) -> bool {
        let run = self.run;
        let num = run.instances.len();
        let is_whole = self.instances.len() == num;
        let is_same = |(place, counter): (usize, &usize)| {
            let (own, other) = (&run.columns[*counter].first, &read.columns[place].first);
            let picked =
                || own.chunks(num.max(1)).flat_map(|cells| self.instances.iter().map(|at| cells[*at]));
            if is_whole { own == other } else { picked().eq(other.iter().copied()) }
        };
        self.faults() == read.faults.iter().copied().collect()
            && self.counters.iter().enumerate().all(is_same)
            && (0..self.counters.len()).all(|place| self.has_same_operands(place, read))
    }

    /// The faults of what is written, as a reader will number them.
    fn faults(&self) -> BTreeSet<CellFault> {
        let places: HashMap<u32, u32> =
            (0..).zip(&self.counters).map(|(place, at)| (*at as u32, place)).collect();
        let instances: HashMap<u32, u32> =
            (0..).zip(&self.instances).map(|(to, at)| (*at as u32, to)).collect();
        let renumbered = |fault: &CellFault| {
            let (counter, instance) = (places.get(&fault.counter)?, instances.get(&fault.instance)?);
            Some(CellFault { sample: fault.sample, counter: *counter, instance: *instance })
        };
        self.run.faults.iter().filter_map(renumbered).collect()
    }

    /// Whether the formula of a counter gets its other inputs from the same places.
    fn has_same_operands(&self, place: usize, read: &Run) -> bool {
        let run = self.run;
        let counter = self.counters[place];
        let (def, own, other) = (&run.object.counters[counter], &run.columns[counter], &read.columns[place]);
        let formula = def.formula();
        let has_second = match (&own.second, &other.second) {
            _ if !formula.needs_base() && !formula.needs_clock() => true,
            (Second::Base(base), Second::Base(read)) => self.counters[*read] == *base,
            (Second::Clock(timer), Second::Clock(read_timer)) => {
                timer == read_timer && run.clocks.ticks(*timer) == read.clocks.ticks(*timer)
            }
            (Second::None, Second::None) => true,
            _ => false,
        };
        let has_multi = match (&own.multi, &other.multi) {
            _ if !formula.needs_multi() => true,
            (Multi::Base(base), Multi::Base(read)) => self.counters[*read] == *base,
            (Multi::None, Multi::None) => true,
            _ => false,
        };
        let has_frequency = !formula.needs_frequency()
            || (own.frequency.is_none()
                && def.time_base.is_none()
                && run.clocks.perf_freq == read.clocks.perf_freq
                && run.clocks.object_freq == read.clocks.object_freq);
        has_second && has_multi && has_frequency
    }
}

/// A block without objects, which says that a sample doesn't have the object.
pub(super) fn without_object(host: &str, utc: Timestamp, local: Timestamp) -> Result<Vec<u8>, FormatError> {
    let mut stream = BlockStream::new(host);
    stream.begin(BlockClocks { perf_time_100ns: utc.0, ..BlockClocks::default() });
    stamped(stream.finish()?, -1, local)
}

/// The block as a log has it: it says which object was asked for, and `SystemTime` is local.
fn stamped(block: &[u8], default_object: i32, local: Timestamp) -> Result<Vec<u8>, FormatError> {
    let mut bytes = block.to_vec();
    let mut header = *DataBlock::parse(&bytes, 0)?.header();
    header.default_object = default_object;
    header.system_time = SystemTime::from_utc(local).unwrap_or_default();
    header.write_over(&mut bytes);
    Ok(bytes)
}

/// `None` for a counter whose value isn't one number.
fn definition(def: &CounterDef, name_index: u32) -> Option<CounterDefinition<'static>> {
    let len_value = Some(def.len_value).filter(|len| matches!(len, 4 | 8))?;
    Some(CounterDefinition {
        default_scale: def.default_scale,
        detail_level: def.detail_level.unwrap_or(100),
        len_value,
        ..CounterDefinition::new(name_index, def.counter_type?)
    })
}

/// Per sample and instance with values missing, how many of the counters precede the first of these.
fn ends(run: &Run, counters: &[usize]) -> HashMap<(u32, u32), usize> {
    let places: HashMap<u32, usize> =
        counters.iter().enumerate().map(|(place, at)| (*at as u32, place)).collect();
    let mut ends = HashMap::new();
    for fault in &run.faults {
        if let Some(&place) = places.get(&fault.counter) {
            let end = ends.entry((fault.sample, fault.instance)).or_insert(place);
            *end = place.min(*end);
        }
    }
    ends
}
