//! Rounds of the recorder: records with the same metrics are of one, and archives that have the same rounds number them alike.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::meta::Meta;

/// The rounds of an archive's records.
#[derive(Clone)]
pub(crate) struct Rounds {
    /// By shape of a record: the names of its metrics, sorted.
    kinds: Vec<Vec<Arc<str>>>,
    /// By shape of a record.
    numbers: Vec<u32>,
}

impl Rounds {
    /// Of records with these metrics, which have numbers from 0 on.
    pub(crate) fn of(meta: &Meta, shapes: &BTreeMap<Vec<u32>, u32>) -> Rounds {
        let names: Vec<Arc<str>> = meta.metrics.iter().map(|metric| metric.name().into()).collect();
        let mut kinds = vec![Vec::new(); shapes.len()];
        for (shape, number) in shapes {
            let mut kind: Vec<Arc<str>> =
                shape.iter().map(|metric| Arc::clone(&names[*metric as usize])).collect();
            kind.sort();
            kinds[*number as usize] = kind;
        }
        let mut ordered = kinds.clone();
        ordered.sort();
        let numbers = numbers(&kinds, &ordered);
        Rounds { kinds, numbers }
    }

    /// The names of the metrics of each kind of record.
    pub(crate) fn kinds(&self) -> &[Vec<Arc<str>>] {
        &self.kinds
    }

    /// The number of the round of a record, by its shape.
    pub(crate) fn number(&self, shape: u32) -> u32 {
        self.numbers.get(shape as usize).copied().unwrap_or_default()
    }

    /// With the numbers that rounds have among these, which are in ascending order; `None` if they have them.
    pub(crate) fn numbered_among(&self, kinds: &[Vec<Arc<str>>]) -> Option<Rounds> {
        let numbers = numbers(&self.kinds, kinds);
        (numbers != self.numbers).then(|| Rounds { kinds: self.kinds.clone(), numbers })
    }
}

/// Where each kind is in a list in ascending order.
fn numbers(kinds: &[Vec<Arc<str>>], ordered: &[Vec<Arc<str>>]) -> Vec<u32> {
    kinds.iter().map(|kind| ordered.partition_point(|other| other < kind) as u32).collect()
}
