//! A capture of one object whose instances come and go, sample by sample.

use std::sync::Arc;

use recount_model::{
    CaptureInfo, CellFault, Clocks, Column, Decoded, Instance, ObjectDef, Opened, Run, Selection, Source,
    number_namesakes,
};

use super::at_second;

/// The values of an instance in a sample.
#[derive(Clone, Debug)]
pub struct Entry {
    pub instance: Instance,
    /// Per counter; `None` for a fault.
    pub raw: Vec<Option<u64>>,
}

/// The samples, a second apart, each with its instances, or `None` if the object is absent.
#[derive(Clone, Debug)]
pub struct Census {
    pub object: Arc<ObjectDef>,
    /// Per counter: an empty column with the links and masks of each run.
    pub columns: Vec<Column>,
    pub samples: Vec<Option<Vec<Entry>>>,
    opened: Opened,
}

impl Census {
    pub fn new(object: Arc<ObjectDef>, columns: Vec<Column>, mut samples: Vec<Option<Vec<Entry>>>) -> Census {
        for entries in samples.iter_mut().flatten() {
            let mut instances: Vec<Instance> = entries.iter().map(|entry| entry.instance.clone()).collect();
            number_namesakes(&mut instances);
            for (entry, instance) in entries.iter_mut().zip(instances) {
                entry.instance = instance;
            }
        }
        let times = (0..samples.len()).map(|s| at_second(s as i64)).collect();
        let info = CaptureInfo { has_aggregates: true, ..CaptureInfo::default() };
        Census { object, columns, samples, opened: Opened { info, times, ..Opened::default() } }
    }

    /// The same capture, for an object with other definitions.
    pub fn with_object(&self, change: impl FnOnce(&mut ObjectDef)) -> Census {
        let mut object = (*self.object).clone();
        change(&mut object);
        Census { object: Arc::new(object), ..self.clone() }
    }

    fn begin(&self, instances: &[Instance]) -> Run {
        Run {
            host: "WEB1".into(),
            object: Arc::clone(&self.object),
            instances: instances.into(),
            clocks: Clocks::default(),
            columns: self.columns.clone(),
            faults: Vec::new(),
        }
    }

    fn push(&self, run: &mut Run, sample: u32, entries: &[Entry]) {
        let at = run.num_samples() as u32;
        run.clocks.time.push(self.times()[sample as usize]);
        run.clocks.perf_time.push(u64::from(sample) * 1000);
        run.clocks.perf_freq.push(1000);
        for (instance, entry) in (0_u32..).zip(entries) {
            for (counter, raw) in (0_u32..).zip(&entry.raw) {
                run.columns[counter as usize].first.push(raw.unwrap_or(0));
                if raw.is_none() {
                    run.faults.push(CellFault { sample: at, counter, instance });
                }
            }
        }
    }
}

impl Source for Census {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn len_sample(&self, _sample: usize) -> usize {
        100
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        vec![("WEB1".into(), Arc::clone(&self.object))]
    }

    fn decode(&self, samples: &[u32], _selection: &Selection) -> Decoded {
        let mut runs: Vec<Run> = Vec::new();
        let mut last = None;
        for &sample in samples {
            let Some(entries) = &self.samples[sample as usize] else { continue };
            let instances: Vec<Instance> = entries.iter().map(|entry| entry.instance.clone()).collect();
            let continues =
                runs.last().is_some_and(|run| *run.instances == *instances && last == sample.checked_sub(1));
            if !continues {
                runs.push(self.begin(&instances));
            }
            let run = runs.last_mut().expect("one was begun");
            self.push(run, sample, entries);
            last = Some(sample);
        }
        Decoded { runs, ..Decoded::default() }
    }
}
