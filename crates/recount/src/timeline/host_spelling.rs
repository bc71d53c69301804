//! One spelling per machine: names of machines differ in more than case, but programs write them in either
//! (`formats/tables.md#several-captures`).

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{Change, Changed, Decoded, ObjectDef, Opened, Selection, Source};

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
            capture.source = Changed::of(Arc::clone(&capture.source), Respelled(Arc::clone(&spellings)));
        }
    }
}

fn spelled(spellings: &Spellings, host: &Arc<str>) -> Arc<str> {
    Arc::clone(spellings.get(&host.to_lowercase()).unwrap_or(host))
}

/// The change to the names that other captures use for machines.
struct Respelled(Spellings);

impl Change for Respelled {
    fn opened(&self, source: &dyn Source) -> Opened {
        let mut opened = source.opened().clone();
        let mut hosts: Vec<Arc<str>> = Vec::with_capacity(opened.info.hosts.len());
        for host in opened.info.hosts.iter().map(|host| spelled(&self.0, host)) {
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        opened.info.hosts = hosts;
        opened
    }

    fn object(&self, (host, object): (Arc<str>, Arc<ObjectDef>)) -> (Arc<str>, Arc<ObjectDef>) {
        (spelled(&self.0, &host), object)
    }

    fn decoded(&self, mut decoded: Decoded, _: &Selection) -> Decoded {
        decoded.runs.iter_mut().for_each(|run| run.host = spelled(&self.0, &run.host));
        decoded.cooked.iter_mut().for_each(|cooked| cooked.host = spelled(&self.0, &cooked.host));
        decoded
    }
}
