//! Instances of `.NET CLR ...` are processes, but only `.NET CLR Memory` says which: by `Process ID`. The instances of the other objects that
//! have the same name in the same sample are the same processes.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use recount_model::{
    CountsSince, Decoded, Health, Instance, Instances, ObjectDef, Opened, Pattern, ProcessNote, Run,
    Selection, Source, Timestamp, is_process_id,
};

/// All objects of .NET's runtime: which of them has the ids is seen when they are decoded, since that isn't known of a log that was only opened.
const ALL: &str = r"\*CLR*(*)\*";

/// The source with process ids of all instances of `.NET CLR` objects. Computed values stay as they are.
pub(super) fn joined(source: Arc<dyn Source>) -> Arc<dyn Source> {
    match ALL.parse() {
        Ok(all) if !source.info().is_cooked => Arc::new(Joined { source, all }),
        _ => source,
    }
}

/// Whether a pattern may select counters of .NET's runtime.
fn may_select(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Path(path) => path.object.contains('*') || path.object.to_uppercase().contains("CLR"),
        Pattern::Contains(_) => true,
    }
}

/// `.NET CLR Exceptions`, `.NET CLR-Speicher`, `Mémoire CLR .NET`.
fn is_of_clr(object: &str) -> bool {
    object.contains(".NET") && object.contains("CLR")
}

fn id_counter(object: &ObjectDef) -> Option<usize> {
    object.counters.iter().position(|counter| is_process_id(&counter.name))
}

struct Joined {
    source: Arc<dyn Source>,
    /// [`ALL`].
    all: Pattern,
}

impl Source for Joined {
    fn opened(&self) -> &Opened {
        self.source.opened()
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.source.epoch(sample)
    }

    fn epoch_despite_losses(&self, sample: usize) -> u32 {
        self.source.epoch_despite_losses(sample)
    }

    fn round(&self, sample: usize) -> u32 {
        self.source.round(sample)
    }

    fn counts_since(&self, sample: usize) -> CountsSince {
        self.source.counts_since(sample)
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.source.len_sample(sample)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.source.objects()
    }

    fn processes(
        &self,
        span: (Timestamp, Timestamp),
        take: &mut dyn FnMut(ProcessNote) -> ControlFlow<()>,
    ) -> Health {
        self.source.processes(span, take)
    }

    fn sampled_together(&self) -> Vec<Vec<Arc<str>>> {
        self.source.sampled_together()
    }

    fn sampled_like(&self, others: &Arc<[Vec<Arc<str>>]>) -> Option<Arc<dyn Source>> {
        self.source.sampled_like(others).map(joined)
    }

    fn canonical(&self) -> Option<Arc<dyn Source>> {
        self.source.canonical().map(joined)
    }

    fn uncorrected(&self) -> Option<Arc<dyn Source>> {
        self.source.uncorrected().map(joined)
    }

    fn inner(&self) -> Option<&Arc<dyn Source>> {
        Some(&self.source)
    }

    fn around(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        joined(inner)
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.source.survey(samples, selection)
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        if !selection.is_all() && !selection.patterns().iter().any(may_select) {
            return self.source.decode(samples, selection);
        }
        let mut with_ids = selection.clone();
        if !selection.is_all() {
            with_ids.push(self.all.clone());
        }
        let mut decoded = self.source.decode(samples, &with_ids);
        if decoded.runs.iter().any(|run| is_of_clr(&run.object.name)) {
            let processes = Processes::of(&decoded.runs);
            let is_wanted = |run: &Run| selection.may_match_object(&run.host, &run.object.name);
            let runs = std::mem::take(&mut decoded.runs);
            decoded.runs = runs.into_iter().filter(is_wanted).flat_map(|run| processes.named(run)).collect();
        }
        decoded
    }
}

/// The ids of an instance table, by the names that are shown.
type Ids = HashMap<String, u64>;

/// Which process has which name in each sample.
#[derive(Default)]
struct Processes {
    tables: Vec<Ids>,
    /// By machine and time.
    of_samples: HashMap<(Arc<str>, Timestamp), usize>,
}

impl Processes {
    fn of(runs: &[Run]) -> Processes {
        let mut processes = Processes::default();
        let of_clr =
            runs.iter().filter(|run| is_of_clr(&run.object.name) && id_counter(&run.object).is_some());
        for run in of_clr {
            let id = |instance: &Instance| Some((instance.shown(), instance.id.filter(|id| *id != 0)?));
            processes.tables.push(run.instances.iter().filter_map(id).collect());
            for time in &run.clocks.time {
                processes.of_samples.insert((Arc::clone(&run.host), time.utc), processes.tables.len() - 1);
            }
        }
        processes
    }

    /// A run whose instances have the ids of processes. It is cut where a name goes on to another process.
    fn named(&self, run: Run) -> Vec<Run> {
        let is_other = is_of_clr(&run.object.name) && id_counter(&run.object).is_none();
        if !is_other || self.tables.is_empty() {
            return vec![run];
        }
        let table_at = |sample: &usize| {
            let time = run.clocks.time.get(*sample)?.utc;
            self.of_samples.get(&(Arc::clone(&run.host), time)).copied()
        };
        let mut parts: Vec<Run> = Vec::new();
        let mut begin = 0;
        while begin < run.num_samples() {
            let table = table_at(&begin);
            let end =
                (begin..run.num_samples()).find(|at| table_at(at) != table).unwrap_or(run.num_samples());
            parts.push(Run { instances: self.with_ids(&run.instances, table), ..run.part(begin..end) });
            begin = end;
        }
        parts
    }

    fn with_ids(&self, instances: &Instances, table: Option<usize>) -> Instances {
        let Some(ids) = table.and_then(|table| self.tables.get(table)) else { return Arc::clone(instances) };
        let with_id = |instance: &Instance| Instance {
            id: ids.get(&instance.shown()).copied().or(instance.id),
            ..instance.clone()
        };
        instances.iter().map(with_id).collect()
    }
}

#[cfg(test)]
mod tests {
    use recount_model::{Clocks, CounterDef, SampleTime};

    use super::*;

    struct Recorded(Opened);

    fn object(name: &str, counters: &[&str]) -> Arc<ObjectDef> {
        let counter = |name: &&str| CounterDef { name: (*name).into(), ..CounterDef::default() };
        let counters = counters.iter().map(counter).collect();
        Arc::new(ObjectDef { name: name.into(), instanced: true, counters, ..ObjectDef::default() })
    }

    fn second(second: u32) -> SampleTime {
        SampleTime { utc: Timestamp(i64::from(second) * Timestamp::TICKS_PER_SECOND), offset_min: 0 }
    }

    fn run(object: Arc<ObjectDef>, samples: &[u32], instances: &[(&str, u32, Option<u64>)]) -> Run {
        let instance = |(name, ordinal, id): &(&str, u32, Option<u64>)| Instance {
            ordinal: *ordinal,
            id: *id,
            ..Instance::named(*name)
        };
        let column = recount_model::Column {
            first: samples.iter().flat_map(|sample| vec![u64::from(*sample); instances.len()]).collect(),
            ..recount_model::Column::default()
        };
        Run {
            host: "".into(),
            columns: vec![column; object.counters.len()],
            object,
            instances: instances.iter().map(instance).collect(),
            clocks: Clocks {
                time: samples.iter().map(|sample| second(*sample)).collect(),
                ..Clocks::default()
            },
            faults: Vec::new(),
        }
    }

    /// Two worker processes, of which the second is another from the third sample on.
    impl Source for Recorded {
        fn opened(&self) -> &Opened {
            &self.0
        }

        fn len_sample(&self, _: usize) -> usize {
            64
        }

        fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
            let workers =
                |second| [("_Global_", 0, Some(0)), ("w3wp", 0, Some(1_000)), ("w3wp", 1, Some(second))];
            let (early, late) = samples.split_at(samples.partition_point(|sample| *sample < 2));
            let names = [("_Global_", 0, None), ("w3wp", 0, None), ("w3wp", 1, None)];
            let all = [
                run(memory(), early, &workers(1_100)),
                run(memory(), late, &workers(1_200)),
                run(exceptions(), samples, &names),
            ];
            let is_asked = |run: &Run| selection.may_match_object("", &run.object.name);
            Decoded { runs: all.into_iter().filter(is_asked).collect(), ..Decoded::default() }
        }
    }

    fn memory() -> Arc<ObjectDef> {
        object(".NET CLR Memory", &["# Gen 0 Collections", "Process ID"])
    }

    fn exceptions() -> Arc<ObjectDef> {
        object(".NET CLR Exceptions", &["# of Exceps Thrown"])
    }

    fn decoded(selection: &str) -> Vec<(String, Vec<u64>, Vec<Option<u64>>)> {
        let times = (0..4).map(second).collect();
        let source = joined(Arc::new(Recorded(Opened { times, ..Opened::default() })));
        let selection = selection.parse::<Pattern>().into_iter().collect();
        let runs = source.decode(&[0, 1, 2, 3], &selection).runs.into_iter();
        let shown = |run: Run| {
            let num = run.instances.len();
            let samples = run.columns[0].first.iter().step_by(num).copied().collect();
            (run.object.name.to_string(), samples, run.instances.iter().map(|instance| instance.id).collect())
        };
        runs.map(shown).collect()
    }

    #[test]
    fn instances_have_the_ids_of_those_of_the_same_name() {
        let exceptions = |samples: &[u64], id| {
            (".NET CLR Exceptions".to_owned(), samples.to_vec(), vec![None, Some(1_000), Some(id)])
        };
        // Also if the counter with the ids isn't asked for; it isn't there then.
        let found = decoded(r"\.NET CLR Exceptions(*)\*");
        assert_eq!(found, [exceptions(&[0, 1], 1_100), exceptions(&[2, 3], 1_200)]);
        let found = decoded(r"\.NET CLR*(*)\*");
        assert_eq!(found[2..], [exceptions(&[0, 1], 1_100), exceptions(&[2, 3], 1_200)]);
        assert_eq!(found.len(), 4);
        assert_eq!(decoded(r"\Memory\*").len(), 0);
    }

    #[test]
    fn objects_of_other_languages_are_known() {
        for name in [".NET CLR Memory", ".NET CLR-Speicher", "Mémoire CLR .NET"] {
            assert!(is_of_clr(name), "{name}");
        }
        assert!(!is_of_clr(".NET Data Provider for SqlServer") && !is_of_clr("Memory"));
    }
}
