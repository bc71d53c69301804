//! Finds the metrics of the value sets in records.

use crate::meta::Meta;

/// The metrics of the last record, in order: most records are like the previous one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order(Vec<(u32, Option<usize>)>);

impl Order {
    /// The index of the metric for the value set at a position; `None`: the metric has no description.
    #[inline]
    pub(crate) fn metric(&mut self, meta: &Meta, place: usize, pmid: u32) -> Option<usize> {
        if let Some((known, metric)) = self.0.get(place)
            && *known == pmid
        {
            return *metric;
        }
        let metric = meta.metric_of(pmid);
        // Positions are requested in order.
        self.0.truncate(place);
        self.0.push((pmid, metric));
        metric
    }
}
