//! Names of objects and counters, and of instances as they change.

use std::collections::HashMap;
use std::sync::Arc;

use crate::meta::{Domain, Meta};
use crate::structure::{DomainRecord, Frame, Stamp};

/// Object and counter of a metric: the parts before and after the last dot.
pub(crate) fn split(metric: &str) -> (&str, &str) {
    metric.rsplit_once('.').unwrap_or((metric, metric))
}

/// The names of a domain's instances at some time, updated as time advances.
#[derive(Debug, Default)]
pub(crate) struct NamesNow {
    /// Number of the domain's records applied so far.
    pub(crate) num_records: usize,
    by_number: HashMap<i32, Arc<str>>,
}

impl NamesNow {
    /// Advances to a time.
    pub(crate) fn go_to(&mut self, meta: &Meta, domain: &Domain, time: Stamp) {
        let wanted = domain.known_at(time);
        if wanted == self.num_records {
            return;
        }
        let records = &domain.records[..wanted];
        let record = |(_, ofs): &(Stamp, usize)| {
            let frame = Frame::at(meta.bytes(), *ofs, DomainRecord::NAME).ok()?;
            DomainRecord::parse(meta.version(), &frame).ok()
        };
        let from = if wanted > self.num_records { self.num_records } else { 0 };
        if from == 0 {
            self.by_number.clear();
        }
        // A full record replaces everything before it.
        let is_full = |at: &usize| record(&records[*at]).is_some_and(|record| !record.is_delta);
        let from = (from..wanted).rev().find(is_full).unwrap_or(from);
        for record in records[from..].iter().filter_map(record) {
            if !record.is_delta {
                self.by_number.clear();
            }
            for (number, name) in record.instances() {
                match name {
                    Ok(Some(name)) => drop(self.by_number.insert(number, name.into())),
                    Ok(None) | Err(_) => drop(self.by_number.remove(&number)),
                }
            }
        }
        self.num_records = wanted;
    }

    /// The name of an instance, or its number if it has none.
    pub(crate) fn name(&self, number: i32) -> Arc<str> {
        self.by_number.get(&number).map_or_else(|| format!("#{number}").into(), Arc::clone)
    }
}
