//! Rounds of the recorder: records with the same metrics are of one. Archives that know of the same kinds of records number rounds and lists of
//! counters alike, whichever metrics have values in them.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::meta::Meta;

/// The names of the metrics in records of one kind, sorted.
pub(crate) type KindOfRecord = Vec<Arc<str>>;

/// The kinds of records, and which of them an archive has.
pub(crate) struct Rounds {
    /// By shape of the archive's records.
    own: Vec<KindOfRecord>,
    /// All that are known of, in ascending order: the archive's own, and those of others.
    kinds: Arc<[KindOfRecord]>,
    /// Per kind, which of the archive's metrics are in it: their indices, ascending.
    metrics: Vec<Vec<u32>>,
    digests: Vec<u64>,
    /// By shape of the archive's records, the place of its kind.
    numbers: Vec<u32>,
}

impl Rounds {
    /// Of records with these metrics, which have numbers from 0 on.
    pub(crate) fn of(meta: &Meta, shapes: &BTreeMap<Vec<u32>, u32>) -> Rounds {
        let names: Vec<Arc<str>> = meta.metrics.iter().map(|metric| metric.name().into()).collect();
        let mut own = vec![Vec::new(); shapes.len()];
        for (shape, number) in shapes {
            let kind = &mut own[*number as usize];
            *kind = shape.iter().map(|metric| Arc::clone(&names[*metric as usize])).collect();
            kind.sort();
        }
        let mut kinds = own.clone();
        kinds.sort();
        Rounds::among(meta, own, kinds.into())
    }

    fn among(meta: &Meta, own: Vec<KindOfRecord>, kinds: Arc<[KindOfRecord]>) -> Rounds {
        let known: HashMap<&str, u32> =
            meta.metrics.iter().zip(0_u32..).map(|(metric, number)| (metric.name(), number)).collect();
        let metrics_of = |kind: &KindOfRecord| {
            let mut metrics: Vec<u32> = kind.iter().filter_map(|name| known.get(&**name).copied()).collect();
            metrics.sort_unstable();
            metrics.dedup();
            metrics
        };
        let digest = |kind: &KindOfRecord| {
            let mut hasher = DefaultHasher::new();
            kind.hash(&mut hasher);
            hasher.finish()
        };
        let (metrics, digests) = kinds.iter().map(|kind| (metrics_of(kind), digest(kind))).unzip();
        let place = |own: &KindOfRecord| kinds.partition_point(|kind| kind < own) as u32;
        let numbers = own.iter().map(place).collect();
        Rounds { own, kinds, metrics, digests, numbers }
    }

    /// The same records among the kinds of several archives, which are in ascending order; `None` if they are those that are known of.
    pub(crate) fn with_others(&self, meta: &Meta, kinds: &Arc<[KindOfRecord]>) -> Option<Rounds> {
        (self.kinds != *kinds).then(|| Rounds::among(meta, self.own.clone(), Arc::clone(kinds)))
    }

    /// The kinds of the archive's records.
    pub(crate) fn own(&self) -> &[KindOfRecord] {
        &self.own
    }

    /// The number of the round of a record, by its shape.
    pub(crate) fn number(&self, shape: u32) -> u32 {
        self.numbers.get(shape as usize).copied().unwrap_or_default()
    }

    /// Per kind of record, the archive's metrics in it.
    pub(crate) fn metrics(&self) -> &[Vec<u32>] {
        &self.metrics
    }

    /// The kinds of records that have some of the archive's metrics all at once.
    pub(crate) fn having<'a>(&'a self, metrics: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        let has = |kind: &[u32], metric: &usize| kind.binary_search(&(*metric as u32)).is_ok();
        let kinds = self.metrics.iter().enumerate();
        kinds.filter(move |(_, kind)| metrics.iter().all(|metric| has(kind, metric))).map(|(at, _)| at)
    }

    /// What tells kinds of records from others in every archive.
    pub(crate) fn digests<'a>(&'a self, kinds: &'a [usize]) -> impl Iterator<Item = u64> + 'a {
        kinds.iter().map(|kind| self.digests[*kind])
    }
}
