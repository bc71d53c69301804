//! The state of the screen and its changes, independent of the terminal.

use std::sync::Arc;

use anyhow::Context;
use recount::{Cancelled, Instance, InstanceRow, Instances, Moment, OnProgress, Past, TimeBound, Timestamp};

use super::columns::{Column, WantedColumns, columns, is_tall};
use super::prompt::{Chooser, Prompt};
use super::rows::{Sort, first_sort, is_idle, rows};
use super::session::Session;

/// Number of samples before and after the shown one in the sparkline.
const NUM_PAST: usize = 100;

/// What keys do now.
pub(super) enum Mode {
    Table,
    Prompt(Prompt),
    Objects(Chooser),
    Help,
}

/// The screen.
pub(super) struct App {
    pub(super) session: Arc<Session>,
    pub(super) moment: Moment,
    pub(super) columns: Vec<Column>,
    pub(super) sort: Sort,
    pub(super) is_reversed: bool,
    pub(super) filter: String,
    /// Whether rows without activity are left out.
    pub(super) hides_idle: bool,
    /// Whether the terminal shows ASCII only.
    pub(super) is_ascii: bool,
    pub(super) mode: Mode,
    /// What went wrong with the last key.
    pub(super) message: Option<String>,
    /// Rows that fit on the screen when it was last drawn.
    pub(super) num_visible: usize,
    /// Columns that didn't fit then.
    pub(super) num_hidden: usize,
    wanted: WantedColumns,
    selected: Selected,
    /// What the sparkline shows, and for what it was asked.
    past: Option<(PastWanted, Past)>,
}

/// The row that the cursor is on.
#[derive(Default)]
struct Selected {
    index: usize,
    /// Once the cursor was moved, it stays with its instance.
    row: Option<InstanceRow>,
}

/// What a sparkline shows.
#[derive(Clone)]
pub(super) struct PastWanted {
    pub(super) session: Arc<Session>,
    pub(super) row: InstanceRow,
    pub(super) counter: String,
}

impl PastWanted {
    /// Reads it. Takes as long as decoding some samples does.
    pub(super) fn read(&self, progress: OnProgress<'_>) -> Result<Past, Cancelled> {
        self.session.machine.past(&self.row, &self.counter, (NUM_PAST, NUM_PAST), progress)
    }

    pub(super) fn is_same(&self, other: &PastWanted) -> bool {
        Arc::ptr_eq(&self.session, &other.session)
            && self.counter == other.counter
            && self.row.time == other.row.time
            && is_one(&self.row, &other.row)
    }
}

/// Whether two rows are of one instance.
fn is_one(one: &InstanceRow, other: &InstanceRow) -> bool {
    let [one_key, other_key] = [one, other].map(|row| row.instance.as_ref().map(Instance::key));
    one.host == other.host && one_key == other_key
}

impl App {
    pub(super) fn new(session: Session, wanted: WantedColumns, at: Option<Timestamp>) -> anyhow::Result<App> {
        let moment = session.newest_at(at)?;
        let table = moment.objects.first();
        let table = table.with_context(|| format!("the sample has no {}", session.object))?;
        let columns = columns(table, &wanted);
        let sort = first_sort(table, &columns, &wanted)?;
        Ok(App {
            session: Arc::new(session),
            moment,
            columns,
            sort,
            is_reversed: false,
            filter: String::new(),
            hides_idle: false,
            is_ascii: false,
            mode: Mode::Table,
            message: None,
            num_visible: 1,
            num_hidden: 0,
            wanted,
            selected: Selected::default(),
            past: None,
        })
    }

    /// The object that is shown.
    pub(super) fn table(&self) -> Option<&Instances> {
        self.moment.objects.first()
    }

    /// Its rows, in their order.
    pub(super) fn rows(&self) -> Vec<&InstanceRow> {
        let Some(table) = self.table() else { return Vec::new() };
        if self.is_tall() {
            return table.rows.iter().collect();
        }
        let mut rows = rows(table, &self.sort, self.is_reversed, &self.filter);
        rows.retain(|row| !self.hides_idle || !is_idle(table, &self.columns, row));
        rows
    }

    /// Whether the table has a row per counter.
    pub(super) fn is_tall(&self) -> bool {
        self.table().is_some_and(is_tall)
    }

    /// The counters that are rows, if the table has a row per counter.
    pub(super) fn counters(&self) -> Vec<&Column> {
        let filter = self.filter.to_lowercase();
        let value = |column: &Column| {
            let row = self.table()?.rows.first()?;
            row.values.get(column.counter).copied().flatten()
        };
        let is_shown = |column: &&Column| {
            column.name.to_lowercase().contains(&filter)
                && (!self.hides_idle || value(column).is_some_and(|value| value != 0.0))
        };
        self.columns.iter().filter(is_shown).collect()
    }

    /// The place of the cursor among these counters.
    pub(super) fn counter_cursor(&self, counters: &[&Column]) -> usize {
        let is_it = |column: &&Column| matches!(&self.sort, Sort::Counter(name) if *name == column.name);
        counters.iter().position(is_it).unwrap_or(0)
    }

    /// The place of the cursor among these rows.
    pub(super) fn cursor(&self, rows: &[&InstanceRow]) -> usize {
        let kept = self.selected.row.as_ref().and_then(|kept| rows.iter().position(|row| is_one(row, kept)));
        kept.unwrap_or(self.selected.index).min(rows.len().saturating_sub(1))
    }

    pub(super) fn move_cursor(&mut self, by: isize) {
        if self.is_tall() {
            let counters = self.counters();
            let at = self.counter_cursor(&counters).saturating_add_signed(by);
            if let Some(column) = counters.get(at.min(counters.len().saturating_sub(1))) {
                self.sort = Sort::Counter(column.name.clone());
            }
            return;
        }
        let rows = self.rows();
        let index = self.cursor(&rows).saturating_add_signed(by).min(rows.len().saturating_sub(1));
        let row = rows.get(index).map(|row| (*row).clone());
        self.selected = Selected { index, row };
    }

    /// Goes some samples on or back.
    pub(super) fn step(&mut self, by: isize) {
        match self.session.machine.at(self.moment.time.utc, by) {
            Some(moment) if moment.time == self.moment.time => {
                self.message = Some(format!("this is the {} sample", if by < 0 { "first" } else { "last" }));
            }
            Some(moment) => self.show(moment),
            None => {}
        }
    }

    pub(super) fn go_to(&mut self, time: Timestamp) {
        if let Some(moment) = self.session.machine.holding(time) {
            self.show(moment);
        }
    }

    /// Goes to a time that the user typed.
    pub(super) fn go_to_text(&mut self, text: &str) {
        let bound: Result<TimeBound, _> = text.parse();
        let time = bound.map_err(|error| error.to_string());
        match time.and_then(|bound| self.session.time_of(&bound).map_err(|error| error.to_string())) {
            Ok(time) => self.go_to(time),
            Err(error) => self.message = Some(error),
        }
    }

    fn show(&mut self, moment: Moment) {
        let rows = self.rows();
        self.selected.index = self.cursor(&rows);
        self.moment = moment;
        if let Some(table) = self.moment.objects.first() {
            self.columns = columns(table, &self.wanted);
        }
    }

    /// Sorts by the column that is `by` to the right.
    pub(super) fn change_sort(&mut self, by: isize) {
        let mut all = vec![Sort::Instance];
        if self.rows().iter().any(|row| row.id().is_some()) {
            all.push(Sort::Id);
        }
        all.extend(self.columns.iter().map(|column| Sort::Counter(column.name.clone())));
        let at = all.iter().position(|sort| *sort == self.sort).unwrap_or(0);
        let next = at.saturating_add_signed(by).min(all.len() - 1);
        self.sort = all.swap_remove(next);
    }

    /// Shows another object, at the same time.
    pub(super) fn choose_object(&mut self, object: &Arc<str>) {
        let session = self.session.with_object(object);
        let Some(moment) = session.machine.at(self.moment.time.utc, 0) else {
            self.message = Some(format!("no sample has {object}"));
            return;
        };
        self.session = Arc::new(session);
        // The requested counters belong to the first object.
        self.wanted = WantedColumns { counters: recount::Selection::all(), sort: None };
        self.selected = Selected::default();
        self.filter.clear();
        self.is_reversed = false;
        self.moment = moment;
        let Some(table) = self.moment.objects.first() else { return };
        self.columns = columns(table, &self.wanted);
        self.sort = self.columns.first().map_or(Sort::Instance, |column| Sort::Counter(column.name.clone()));
    }

    /// Switches to captures that were reopened because they grew. If it was at the newest sample, it moves to
    /// the new newest one.
    pub(super) fn refresh(&mut self, session: Session) {
        let is_newest = self.moment.index + 1 == self.moment.num_samples;
        let time = if is_newest { Timestamp(i64::MAX) } else { self.moment.time.utc };
        if let Some(moment) = session.machine.at(time, 0) {
            self.session = Arc::new(session);
            self.show(moment);
        }
    }

    /// What the sparkline should show; `None` if there is nothing to show.
    pub(super) fn past_wanted(&self) -> Option<PastWanted> {
        let rows = self.rows();
        let row = (*rows.get(self.cursor(&rows))?).clone();
        let counter = match &self.sort {
            Sort::Counter(name) => name.clone(),
            _ => self.columns.first()?.name.clone(),
        };
        Some(PastWanted { session: Arc::clone(&self.session), row, counter })
    }

    pub(super) fn set_past(&mut self, wanted: PastWanted, past: Past) {
        self.past = Some((wanted, past));
    }

    /// What the sparkline shows, if it has been read.
    pub(super) fn past(&self) -> Option<(&PastWanted, &Past)> {
        let wanted = self.past_wanted()?;
        self.past.as_ref().filter(|(read, _)| read.is_same(&wanted)).map(|(wanted, past)| (wanted, past))
    }
}
