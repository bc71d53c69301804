//! From rows to cooked values.

use std::ops::Range;
use std::sync::Arc;

use recount_model::{
    Cooked, CookedColumn, Decoded, FindingKind, Health, Instance, ObjectDef, Opened, Selection, Source,
    Status,
};

use crate::names::Group;
use crate::store::{PdhText, Section};
use crate::structure::number::{self, Cell};

impl PdhText {
    /// Reads the values of rows that `selection` matches. The rows have the same columns.
    fn decode_rows(&self, rows: Range<usize>, selection: &Selection, decoded: &mut Decoded) {
        let section = self.section(rows.start);
        let groups = &section.layout.groups;
        let mut drafts: Vec<Draft> =
            groups.iter().map(|group| Draft::of(group, rows.len(), selection)).collect();
        for (sample, row) in rows.clone().enumerate() {
            let ofs = self.timeline.ofs_rows[row];
            self.decode_row(section, ofs, sample, &mut drafts, &mut decoded.health);
        }
        self.release(rows.clone());
        for (number, (draft, group)) in drafts.into_iter().zip(groups).enumerate() {
            decoded.cooked.extend(self.finish(draft, group, number, rows.clone()));
        }
    }

    fn decode_row(
        &self,
        section: &Section,
        ofs: usize,
        sample: usize,
        drafts: &mut [Draft],
        health: &mut Health,
    ) {
        let Some(line) = self.text.line(ofs) else { return };
        let fields = line.values(section.separator).skip(1);
        for (column, (field, target)) in fields.zip(&section.layout.targets).enumerate() {
            let Some(target) = target else { continue };
            let draft = &mut drafts[target.group];
            let column_at = target.counter * draft.num_instances + target.instance;
            if !draft.wanted[column_at] || line.may_cut(field) {
                continue;
            }
            let cell = if field.closed { number::parse(field.raw, self.number_form) } else { Cell::Bad };
            let found = || self.text.excerpt(field.raw);
            match cell {
                Cell::Value(value) => {
                    let at = sample * draft.num_instances + target.instance;
                    draft.values[target.counter][at] = value;
                    draft.status[target.counter][at] = Status::Ok;
                }
                Cell::Blank => {}
                Cell::Bad => {
                    let (mark, column) = (char::from(self.number_form.mark), column + 2);
                    let what = if field.closed {
                        format!(
                            "expected a number with decimal mark `{mark}` in column {column}, found `{}`",
                            found()
                        )
                    } else {
                        format!(
                            "expected a quote after the value in column {column}, found none after `{}`",
                            found()
                        )
                    };
                    let what = what + ": it is null";
                    health.note(FindingKind::Damaged, self.text.row_place(field.ofs, "value"), what);
                }
            }
        }
    }

    /// The values of a group of columns, by its number in the section of the rows.
    fn finish(&self, draft: Draft, group: &Group, number: usize, rows: Range<usize>) -> Option<Cooked> {
        let (object, place) = self.whole_objects.of_group(self.timeline.section(rows.start), number);
        let num_instances = draft.num_instances;
        let mut columns = Vec::new();
        for (counter, (values, status)) in draft.values.into_iter().zip(draft.status).enumerate() {
            let covers = &draft.wanted[counter * num_instances..(counter + 1) * num_instances];
            if !covers.contains(&true) {
                continue;
            }
            let is_all_ok = status.iter().all(|&status| status == Status::Ok);
            columns.push(CookedColumn {
                counter: place.counter_at[counter],
                values,
                status: (!is_all_ok).then_some(status),
                covers: covers.contains(&false).then(|| covers.into()),
                texts: None,
            });
        }
        (!columns.is_empty()).then(|| Cooked {
            host: group.host.clone(),
            object: Arc::clone(object),
            instances: group.instances.clone(),
            times: self.timeline.times[rows.clone()].to_vec(),
            interval_s: rows.clone().map(|row| self.timeline.interval_s(row)).collect(),
            // Every row has every instance of its columns.
            continued: vec![self.goes_on(rows.start); num_instances],
            columns,
            raw: None,
        })
    }

    /// Whether the sample before has the same columns.
    fn goes_on(&self, sample: usize) -> bool {
        let before = sample.checked_sub(1).map(|before| self.timeline.section(before));
        before == Some(self.timeline.section(sample))
    }

    fn release(&self, rows: Range<usize>) {
        let ofs_rows = &self.timeline.ofs_rows[rows];
        let first = ofs_rows.iter().min();
        let last = ofs_rows.iter().max().and_then(|&ofs| self.text.line(ofs));
        if let (Some(&first), Some(last)) = (first, last) {
            self.text.release(first..last.ofs_next);
        }
    }
}

impl Source for PdhText {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.whole_objects.objects.clone()
    }

    fn len_sample(&self, sample: usize) -> usize {
        let num_columns = self.section(sample).layout.targets.iter().flatten().count();
        // A blank cell takes four bytes of text, but as much memory as a value.
        self.len_row(sample).max(4 * num_columns)
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let mut decoded = Decoded::default();
        let len = self.timeline.times.len();
        let samples = &samples[..samples.partition_point(|sample| (*sample as usize) < len)];
        let section = |sample: u32| self.timeline.section(sample as usize);
        for stretch in samples.chunk_by(|&one, &next| one + 1 == next && section(one) == section(next)) {
            let rows = stretch[0] as usize..stretch[0] as usize + stretch.len();
            self.decode_rows(rows, selection, &mut decoded);
        }
        decoded
    }
}

/// The columns of a group while rows are read.
struct Draft {
    num_instances: usize,
    /// Per counter and instance, as in [`Group::has_column`]: whether it is read.
    wanted: Vec<bool>,
    /// Per counter; empty if it isn't selected.
    values: Vec<Vec<f64>>,
    status: Vec<Vec<Status>>,
}

impl Draft {
    fn of(group: &Group, num_rows: usize, selection: &Selection) -> Draft {
        let num_instances = group.instances.len();
        let may_match = selection.may_match_object(&group.host, &group.object.name);
        let is_wanted = |(at, &has_column): (usize, &bool)| {
            let counter = &group.object.counters[at / num_instances];
            let instance: Option<&Instance> =
                group.object.instanced.then(|| &group.instances[at % num_instances]);
            has_column
                && may_match
                && selection.matches(&group.host, &group.object.name, instance, &counter.name)
        };
        let wanted: Vec<bool> = group.has_column.iter().enumerate().map(is_wanted).collect();
        let len_of =
            |instances: &[bool]| if instances.contains(&true) { num_rows * num_instances } else { 0 };
        let lens: Vec<usize> = wanted.chunks(num_instances).map(len_of).collect();
        Draft {
            num_instances,
            values: lens.iter().map(|&len| vec![0.0; len]).collect(),
            status: lens.iter().map(|&len| vec![Status::InvalidData; len]).collect(),
            wanted,
        }
    }
}
