//! One spelling per machine: names of machines differ in more than case, but programs write them in either
//! (`formats/tables.md#several-captures`).

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{CountsSince, Decoded, ObjectDef, Opened, Selection, Source};

use crate::Capture;

/// The spelling of each machine, by its name in lower case.
type Spellings = Arc<HashMap<String, Arc<str>>>;

/// Gives every machine the name that it has in the first of the captures.
pub(crate) fn spell_hosts_alike(captures: &mut [Capture]) {
    let mut spellings: HashMap<String, Arc<str>> = HashMap::new();
    for host in captures.iter().flat_map(|capture| &capture.source.info().hosts) {
        spellings.entry(host.to_lowercase()).or_insert_with(|| Arc::clone(host));
    }
    let spellings = Arc::new(spellings);
    for capture in captures {
        let hosts = &capture.source.info().hosts;
        if hosts.iter().any(|host| spelled(&spellings, host) != *host) {
            capture.source = Respelled::of(Arc::clone(&capture.source), &spellings);
        }
    }
}

fn spelled(spellings: &Spellings, host: &Arc<str>) -> Arc<str> {
    Arc::clone(spellings.get(&host.to_lowercase()).unwrap_or(host))
}

/// A capture in which machines have the names that other captures use.
struct Respelled {
    source: Arc<dyn Source>,
    spellings: Spellings,
    opened: Opened,
}

impl Respelled {
    fn of(source: Arc<dyn Source>, spellings: &Spellings) -> Arc<dyn Source> {
        let mut info = source.info().clone();
        let mut hosts: Vec<Arc<str>> = Vec::with_capacity(info.hosts.len());
        for host in info.hosts.iter().map(|host| spelled(spellings, host)) {
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        info.hosts = hosts;
        let opened =
            Opened { info, health: source.health().clone(), times: Arc::clone(&source.opened().times) };
        Arc::new(Respelled { source, spellings: Arc::clone(spellings), opened })
    }

    fn respell(&self, mut decoded: Decoded) -> Decoded {
        decoded.runs.iter_mut().for_each(|run| run.host = spelled(&self.spellings, &run.host));
        decoded.cooked.iter_mut().for_each(|cooked| cooked.host = spelled(&self.spellings, &cooked.host));
        decoded
    }
}

impl Source for Respelled {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.source.epoch(sample)
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
        let objects = self.source.objects().into_iter();
        objects.map(|(host, object)| (spelled(&self.spellings, &host), object)).collect()
    }

    fn canonical(&self) -> Option<Arc<dyn Source>> {
        Some(Respelled::of(self.source.canonical()?, &self.spellings))
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.respell(self.source.survey(samples, selection))
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.respell(self.source.decode(samples, selection))
    }
}
