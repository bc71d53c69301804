//! Reading PDH text: open finds the rows, values are read when they are asked for.

use std::ops::Range;
use std::sync::Arc;

use recount_compute::{Cooked, CookedColumn};
use recount_model::{
    CaptureInfo, Content, FindingKind, Health, Instance, ObjectDef, Place, SampleTime, Selection, Status,
};

use super::encoding::{Encoding, Text, excerpt};
use super::error::PdhTextError;
use super::groups::{Group, Layout};
use super::header::{Dialect, Header, dialect_of};
use super::number::{self, Cell};
use super::row::Line;
use super::scan::{Scan, is_torn};
use super::timeline::Timeline;

/// A PDH-CSV or PDH-TSV file, opened (`formats/pdh-text.md`).
///
/// Holds the file's bytes, and 24 bytes per row: its time and where it is.
pub struct PdhText {
    text: Text,
    separator: u8,
    mark: u8,
    layout: Layout,
    timeline: Timeline,
    info: CaptureInfo,
    health: Health,
}

/// What a range of rows decodes to.
#[derive(Debug, Default)]
pub struct Rows {
    /// One entry per host and object, in the order of the header; all with the same sample times.
    pub cooked: Vec<Cooked>,
    /// Values that couldn't be read.
    pub health: Health,
}

/// A place in the rows, for findings.
pub(super) fn row_place(text: &Text, ofs: usize, field: &'static str) -> Place {
    Place {
        ofs: text.ofs_in_file(ofs),
        structure: Some("PDH text row"),
        ofs_structure: None,
        field: Some(field),
    }
}

impl PdhText {
    /// Whether a file that begins with these bytes is PDH text. 64 bytes are enough.
    pub fn recognise(bytes: &[u8]) -> bool {
        const LEN_NEEDED: usize = 64;
        let start = bytes[..bytes.len().min(LEN_NEEDED)].to_vec();
        let text = Text::of(Arc::new(start), &mut Health::default());
        dialect_of(text.bytes()).is_some()
    }

    /// Opens a file: reads its header, finds all rows and their times, and settles the order of its dates and
    /// its decimal mark. What is damaged or doubtful is told by [`PdhText::health`].
    pub fn open(bytes: Arc<dyn Content>) -> Result<PdhText, PdhTextError> {
        let mut health = Health::default();
        let text = Text::of(bytes, &mut health);
        let header = Header::read(&text, &mut health)?;
        let layout = Layout::of(&header.cells, &text, &mut health)?;
        let scan = Scan::of(&text, &header, &layout, &mut health);
        let timeline = Timeline::of(&scan.rows, header.bias_min, &text, &mut health);
        if timeline.times.is_empty() && scan.num_lines > 0 {
            return Err(PdhTextError::NoSamples {
                ofs: text.ofs_in_file(header.ofs_rows),
                num_lines: scan.num_lines,
                first: scan.first_fault.unwrap_or_else(|| "no such date".into()),
            });
        }
        if let Some(doubt) = scan.votes.doubt() {
            health.note(FindingKind::Odd, row_place(&text, header.ofs_rows, "values"), doubt);
        }
        let mark = scan.votes.mark();
        let info = capture_info(&header, &layout, &timeline, text.encoding, mark);
        Ok(PdhText { text, separator: header.separator, mark, layout, timeline, info, health })
    }

    /// Hosts, zone and format.
    pub fn info(&self) -> &CaptureInfo {
        &self.info
    }

    /// What was found amiss on opening. Values that can't be read are told when they are decoded.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// The time of every row, ascending. Rows are addressed by their index here.
    pub fn times(&self) -> &[SampleTime] {
        &self.timeline.times
    }

    /// Bytes that a row takes: the measure by which work is cut into chunks. 0 for a row that isn't there.
    pub fn len_row(&self, row: usize) -> usize {
        let line = self.timeline.ofs_rows.get(row).and_then(|&ofs| Line::at(self.text.bytes(), ofs));
        line.map_or(0, |line| line.ofs_next - line.ofs)
    }

    /// How many columns hold counters: a chunk of rows decodes to at least so many cells per row, also where rows
    /// are cut short.
    pub fn num_columns(&self) -> usize {
        self.layout.targets.iter().flatten().count()
    }

    /// Objects, as (host, definition).
    pub fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.layout.groups.iter().map(|group| (group.host.clone(), group.object.clone())).collect()
    }

    /// Reads the values of rows that `selection` matches. Rows beyond the last are left out.
    pub fn decode(&self, rows: Range<usize>, selection: &Selection) -> Rows {
        let end = rows.end.min(self.timeline.times.len());
        let rows = rows.start.min(end)..end;
        let mut drafts: Vec<Draft> =
            self.layout.groups.iter().map(|group| Draft::of(group, rows.len(), selection)).collect();
        let mut health = Health::default();
        for (sample, row) in rows.clone().enumerate() {
            self.decode_row(self.timeline.ofs_rows[row], sample, &mut drafts, &mut health);
        }
        self.release(rows.clone());
        let drafts = drafts.into_iter().zip(&self.layout.groups);
        let cooked = drafts.filter_map(|(draft, group)| self.finish(draft, group, rows.clone())).collect();
        Rows { cooked, health }
    }

    fn decode_row(&self, ofs: usize, sample: usize, drafts: &mut [Draft], health: &mut Health) {
        let Some(line) = Line::at(self.text.bytes(), ofs) else { return };
        let fields = line.fields(self.separator).skip(1);
        for (column, (field, target)) in fields.zip(&self.layout.targets).enumerate() {
            let Some(target) = target else { continue };
            let draft = &mut drafts[target.group];
            let column_at = target.counter * draft.num_instances + target.instance;
            if !draft.wanted[column_at] || is_torn(line, field) {
                continue;
            }
            let cell = if field.closed { number::parse(field.raw, self.mark) } else { Cell::Bad };
            match cell {
                Cell::Value(value) => {
                    let at = sample * draft.num_instances + target.instance;
                    draft.values[target.counter][at] = value;
                    draft.status[target.counter][at] = Status::Ok;
                }
                Cell::Blank => {}
                Cell::Bad => {
                    let what = format!(
                        "expected a number with decimal mark `{}` in column {}, found {:?}: it is null",
                        char::from(self.mark),
                        column + 2,
                        excerpt(field.raw),
                    );
                    health.note(FindingKind::Damaged, row_place(&self.text, field.ofs, "value"), what);
                }
            }
        }
    }

    fn finish(&self, draft: Draft, group: &Group, rows: Range<usize>) -> Option<Cooked> {
        let num_instances = draft.num_instances;
        let mut columns = Vec::new();
        for (counter, (values, status)) in draft.values.into_iter().zip(draft.status).enumerate() {
            let covers = &draft.wanted[counter * num_instances..(counter + 1) * num_instances];
            if !covers.contains(&true) {
                continue;
            }
            let is_all_ok = status.iter().all(|&status| status == Status::Ok);
            columns.push(CookedColumn {
                counter,
                values,
                status: (!is_all_ok).then_some(status),
                covers: covers.contains(&false).then(|| covers.into()),
            });
        }
        (!columns.is_empty()).then(|| Cooked {
            host: group.host.clone(),
            object: group.object.clone(),
            instances: group.instances.clone(),
            times: self.timeline.times[rows.clone()].to_vec(),
            interval_s: rows.clone().map(|row| self.timeline.interval_s(row)).collect(),
            // Every row has every instance.
            continued: vec![rows.start > 0; num_instances],
            columns,
            raw: None,
        })
    }

    fn release(&self, rows: Range<usize>) {
        let ofs_rows = &self.timeline.ofs_rows[rows];
        let first = ofs_rows.iter().min();
        let last = ofs_rows.iter().max().and_then(|&ofs| Line::at(self.text.bytes(), ofs));
        if let (Some(&first), Some(last)) = (first, last) {
            self.text.release(first..last.ofs_next);
        }
    }
}

/// The columns of a group while rows are read.
struct Draft {
    num_instances: usize,
    /// Per counter and instance, as in [`Group::has_column`]: whether it is read.
    wanted: Vec<bool>,
    /// Per counter; empty where nothing is wanted of it.
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

fn capture_info(
    header: &Header,
    layout: &Layout,
    timeline: &Timeline,
    encoding: Encoding,
    mark: u8,
) -> CaptureInfo {
    let mut hosts: Vec<Arc<str>> = Vec::new();
    for group in &layout.groups {
        let is_known = hosts.iter().any(|host| host.eq_ignore_ascii_case(&group.host));
        if !group.host.is_empty() && !is_known {
            hosts.push(group.host.clone());
        }
    }
    let separator = match header.separator {
        b'\t' => "tab",
        b';' => "semicolon",
        _ => "comma",
    };
    let mut details = vec![
        ("encoding".to_owned(), encoding.as_str().to_owned()),
        ("separator".to_owned(), separator.to_owned()),
        ("decimal mark".to_owned(), if mark == b',' { "comma" } else { "point" }.to_owned()),
    ];
    details.extend(timeline.order.map(|order| ("date order".to_owned(), order.as_str().to_owned())));
    let format = match header.dialect {
        Dialect::Csv => "PDH text (PDH-CSV)",
        Dialect::Tsv => "PDH text (PDH-TSV)",
    };
    CaptureInfo { format: format.into(), hosts, zone: header.zone.clone(), details, ..CaptureInfo::default() }
}
