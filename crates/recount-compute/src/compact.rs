//! Reduces a run to some of its instances.

use std::sync::Arc;

use recount_model::{Column, Multi, Run, Second};

/// The run with only the instances `keep` (ascending indices). Columns for which `needed` is false stay empty.
pub(crate) fn compact(run: &Run, keep: &[usize], needed: impl Fn(usize) -> bool) -> Run {
    let rows = Rows { num_instances: run.instances.len(), keep };
    let compacted = |(counter, column): (usize, &Column)| {
        if needed(counter) { rows.column(column) } else { Column::default() }
    };
    let mut faults = run.faults.clone();
    faults.retain_mut(|fault| match keep.binary_search(&(fault.instance as usize)) {
        Ok(at) => {
            fault.instance = at as u32;
            true
        }
        Err(_) => false,
    });
    Run {
        host: Arc::clone(&run.host),
        object: Arc::clone(&run.object),
        instances: keep.iter().map(|i| run.instances[*i].clone()).collect(),
        clocks: run.clocks.clone(),
        columns: run.columns.iter().enumerate().map(compacted).collect(),
        faults,
    }
}

/// The cells of some instances only (ascending indices).
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) num_instances: usize,
    pub(crate) keep: &'a [usize],
}

impl Rows<'_> {
    fn column(&self, column: &Column) -> Column {
        Column {
            first: self.cells(&column.first),
            second: match &column.second {
                Second::Own(cells) => Second::Own(self.cells(cells)),
                other => other.clone(),
            },
            multi: match &column.multi {
                Multi::Own(cells) => Multi::Own(self.cells(cells)),
                other => other.clone(),
            },
            frequency: column.frequency,
            texts: column.texts.as_ref().map(|texts| self.cells(texts)),
            covers: column.covers.as_ref().map(|_| self.keep.iter().map(|i| column.covers(*i)).collect()),
        }
    }

    pub(crate) fn cells<T: Clone>(&self, cells: &[T]) -> Vec<T> {
        let num_samples = cells.len().checked_div(self.num_instances).unwrap_or(0);
        let mut kept = Vec::with_capacity(num_samples * self.keep.len());
        for row in cells.chunks_exact(self.num_instances.max(1)) {
            kept.extend(self.keep.iter().map(|i| row[*i].clone()));
        }
        kept
    }
}
