//! From rows to cooked values.

use std::ops::Range;
use std::sync::Arc;

use recount_model::{
    Cooked, CookedColumn, Decoded, FindingKind, Health, Instance, Instances, ObjectDef, Opened, Selection,
    Source, Status,
};

use crate::identity::{Ids, RowStretch};
use crate::names::ColumnGroup;
use crate::overlaps::ParsedRows;
use crate::store::{PdhText, Section};
use crate::structure::number::{self, Cell};

impl PdhText {
    /// Reads the values of rows that `selection` matches. The rows have the same columns, of which `counted_elsewhere` are left out.
    fn decode_rows(
        &self,
        rows: Range<usize>,
        counted_elsewhere: &[bool],
        selection: &Selection,
        decoded: &mut Decoded,
    ) {
        let section = self.section(rows.start);
        let groups = &section.layout.groups;
        let mut drafts: Vec<GroupValues> =
            groups.iter().map(|group| GroupValues::of(group, rows.len(), selection)).collect();
        for (is_elsewhere, target) in counted_elsewhere.iter().zip(&section.layout.targets) {
            if let (true, Some(target)) = (is_elsewhere, target) {
                let draft = &mut drafts[target.group];
                draft.wanted[target.counter * draft.num_instances + target.instance] = false;
            }
        }
        let before = self.ids_before(rows.start, &drafts, selection);
        for (sample, row) in rows.clone().enumerate() {
            let ofs = self.timeline.ofs_rows[row];
            self.decode_row(section, ofs, sample, &mut drafts, &mut decoded.health);
        }
        self.release(rows.clone());
        for (number, (draft, before)) in drafts.into_iter().zip(before).enumerate() {
            self.finish(draft, before.as_ref(), number, rows.clone(), &mut decoded.cooked);
        }
    }

    /// Per group, the ids of its instances in the row before, if it has ids.
    fn ids_before(&self, row: usize, drafts: &[GroupValues], selection: &Selection) -> Vec<Option<Ids>> {
        let before = self.timeline.previous(row).filter(|_| drafts.iter().any(|draft| draft.ids.is_some()));
        let Some(ofs) = before.map(|before| self.timeline.ofs_rows[before]) else {
            return drafts.iter().map(|_| None).collect();
        };
        let section = self.section(row);
        let mut before: Vec<GroupValues> =
            section.layout.groups.iter().map(|group| GroupValues::of(group, 1, selection)).collect();
        // What is wrong with the row is reported when it is read itself.
        self.decode_row(section, ofs, 0, &mut before, &mut Health::default());
        before.into_iter().map(|draft| draft.ids).collect()
    }

    fn decode_row(
        &self,
        section: &Section,
        ofs: usize,
        sample: usize,
        drafts: &mut [GroupValues],
        health: &mut Health,
    ) {
        let Some(line) = self.text.line(ofs) else { return };
        let fields = line.values(section.separator).skip(1);
        for (column, (field, target)) in fields.zip(&section.layout.targets).enumerate() {
            let Some(target) = target else { continue };
            let draft = &mut drafts[target.group];
            let column_at = target.counter * draft.num_instances + target.instance;
            let is_wanted = draft.wanted[column_at];
            if !(is_wanted || draft.has_id(target.counter)) || line.may_cut(field) {
                continue;
            }
            let cell = if field.closed { number::parse(field.raw, self.number_form) } else { Cell::Bad };
            if let Some(ids) = &mut draft.ids {
                ids.add(sample, target.counter, target.instance, &cell);
            }
            if !is_wanted {
                continue;
            }
            let found = || self.text.excerpt(field.raw);
            match cell {
                Cell::Value(value) => {
                    let at = sample * draft.num_instances + target.instance;
                    draft.values[target.counter][at] = value;
                    draft.status[target.counter][at] = Status::Ok;
                    if !number::is_exact(field.raw, value) {
                        let what = format!(
                            "no double holds the whole number `{}` in column {}: it is rounded",
                            found(),
                            column + 2
                        );
                        health.note(FindingKind::Odd, self.text.row_place(field.ofs, "value"), what);
                    }
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

    /// Adds the values of a group of columns, by its number in the section of the rows. `before` are its ids in the row before.
    fn finish(
        &self,
        draft: GroupValues,
        before: Option<&Ids>,
        number: usize,
        rows: Range<usize>,
        made: &mut Vec<Cooked>,
    ) {
        let group = &self.section(rows.start).layout.groups[number];
        if !draft.wanted.contains(&true) {
            return;
        }
        let Some(ids) = &draft.ids else {
            let continued = vec![self.timeline.previous(rows.start).is_some(); draft.num_instances];
            let columns = draft.columns();
            made.push(self.cooked(number, rows, Arc::clone(&group.instances), continued, columns));
            return;
        };
        for stretch in ids.stretches(group, before) {
            let columns = draft.columns_of(&stretch, group);
            if !columns.is_empty() {
                let rows = rows.start + stretch.rows.start..rows.start + stretch.rows.end;
                made.push(self.cooked(number, rows, stretch.instances, stretch.continued, columns));
            }
        }
    }

    /// The columns of a group, which have its own numbers of counters.
    fn cooked(
        &self,
        number: usize,
        rows: Range<usize>,
        instances: Instances,
        continued: Vec<bool>,
        mut columns: Vec<CookedColumn>,
    ) -> Cooked {
        let (object, place) = self.whole_objects.of_group(self.timeline.section(rows.start), number);
        for column in &mut columns {
            column.counter = place.counter_at[column.counter];
        }
        Cooked {
            host: self.section(rows.start).layout.groups[number].host.clone(),
            object: Arc::clone(object),
            instances,
            times: self.timeline.times[rows.clone()].to_vec(),
            interval_s: rows.map(|row| self.timeline.interval_s(row)).collect(),
            gaps: Vec::new(),
            first_s: Vec::new(),
            continued,
            columns,
            raw: None,
        }
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

    /// Parts with other columns are thinned out separately.
    fn round(&self, sample: usize) -> u32 {
        self.timeline.section(sample) as u32
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
        let section = |row: usize| self.timeline.section(row);
        let mut parsed = ParsedRows::default();
        let rows: Vec<(usize, Vec<bool>)> = samples
            .iter()
            .map(|&row| (row as usize, self.counted_elsewhere(row as usize, &mut parsed)))
            .collect();
        let follows = |(one, elsewhere_of_one): &(usize, Vec<bool>),
                       (next, elsewhere): &(usize, Vec<bool>)| {
            one + 1 == *next && section(*one) == section(*next) && elsewhere_of_one == elsewhere
        };
        for stretch in rows.chunk_by(follows) {
            let (first, counted_elsewhere) = &stretch[0];
            self.decode_rows(*first..first + stretch.len(), counted_elsewhere, selection, &mut decoded);
        }
        decoded
    }
}

/// The columns of a group while rows are read.
struct GroupValues {
    num_instances: usize,
    /// Per counter and instance, as in [`ColumnGroup::has_column`]: whether it is read.
    wanted: Vec<bool>,
    /// Per counter; empty if it isn't selected.
    values: Vec<Vec<f64>>,
    status: Vec<Vec<Status>>,
    /// The ids of its instances, if columns have them.
    ids: Option<Ids>,
}

impl GroupValues {
    fn of(group: &ColumnGroup, num_rows: usize, selection: &Selection) -> GroupValues {
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
        GroupValues {
            num_instances,
            values: lens.iter().map(|&len| vec![0.0; len]).collect(),
            status: lens.iter().map(|&len| vec![Status::InvalidData; len]).collect(),
            ids: if wanted.contains(&true) { Ids::of(group, num_rows) } else { None },
            wanted,
        }
    }

    fn has_id(&self, counter: usize) -> bool {
        self.ids.as_ref().is_some_and(|ids| ids.has(counter))
    }

    /// The columns of all rows and instances.
    fn columns(self) -> Vec<CookedColumn> {
        let cells = self.values.into_iter().zip(self.status).enumerate();
        let column = |(counter, (values, status))| {
            let covers = &self.wanted[counter * self.num_instances..(counter + 1) * self.num_instances];
            column(counter, values, status, covers.into())
        };
        cells.filter_map(column).collect()
    }

    /// The columns of some rows and instances.
    fn columns_of(&self, stretch: &RowStretch, group: &ColumnGroup) -> Vec<CookedColumn> {
        let cells = self.values.iter().zip(&self.status).enumerate();
        let column = |(counter, (values, status)): (usize, (&Vec<f64>, &Vec<Status>))| {
            let covers: Vec<bool> =
                stretch.places.iter().map(|at| self.wanted[counter * self.num_instances + at]).collect();
            if !covers.contains(&true) {
                return None;
            }
            let places = || {
                let row = |row: usize| stretch.places.iter().map(move |at| row * self.num_instances + at);
                stretch.rows.clone().flat_map(row)
            };
            let mut values: Vec<f64> = places().map(|cell| values[cell]).collect();
            let mut status: Vec<Status> = places().map(|cell| status[cell]).collect();
            // The difference of two processes, as PDH computes it.
            for at in (0..stretch.places.len()).filter(|at| stretch.has_replaced[*at]) {
                if values[at] > group.largest_share[counter] {
                    (values[at], status[at]) = (0.0, Status::NoPreviousInstance);
                }
            }
            column(counter, values, status, covers)
        };
        cells.filter_map(column).collect()
    }
}

/// `None` if no instance has the counter.
fn column(counter: usize, values: Vec<f64>, status: Vec<Status>, covers: Vec<bool>) -> Option<CookedColumn> {
    let is_all_ok = status.iter().all(|&status| status == Status::Ok);
    covers.contains(&true).then(|| CookedColumn {
        counter,
        values,
        status: (!is_all_ok).then_some(status),
        covers: covers.contains(&false).then(|| covers.into()),
        texts: None,
    })
}
