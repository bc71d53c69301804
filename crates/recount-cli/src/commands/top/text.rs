//! One sample as text, for pipes.

use recount::{Instances, Moment};

use super::columns::{Column, WantedColumns, columns, is_tall};
use super::rows::{Sort, first_sort, full_cell, name, place, rows, state_text, value_title};
use super::session::{Session, TopError};
use super::totals::totals;
use crate::exit::{no_counters, report_unmatched};
use crate::output;
use crate::table::Table;

/// Prints the table of a sample, under a heading.
pub(super) fn print(session: &Session, moment: &Moment, wanted: &WantedColumns) -> anyhow::Result<()> {
    let Some(table) = moment.objects.first() else { return Ok(()) };
    let columns = columns(table, wanted);
    if !wanted.counters.is_all() && wanted.counters.unmatched().count() == wanted.counters.patterns().len() {
        let is_meant = |object: &str| wanted.counters.may_match_object_anywhere(object);
        let other = session.objects.iter().find(|known| is_meant(&known.name));
        if let Some(other) = other.filter(|_| !is_meant(&session.object)) {
            let (object, other) = (session.object.to_string(), other.name.to_string());
            return Err(TopError::OtherObject { object, other }.into());
        }
        return Err(no_counters(&wanted.counters, session.timeline.captures()).into());
    }
    let sort = first_sort(table, &columns, wanted)?;
    output::print(&format!("{}\n{}", header(session, moment), body(table, &columns, &sort)))?;
    report_unmatched(&wanted.counters, session.timeline.captures());
    Ok(())
}

fn header(session: &Session, moment: &Moment) -> String {
    let hosts = session.timeline.hosts();
    let host = if hosts.len() == 1 { format!("  {}", hosts[0]) } else { String::new() };
    let (number, of) = (moment.index + 1, moment.num_samples);
    let time = moment.time.utc.to_string();
    let is_utc = !session.timeline.is_zone_unknown();
    let time = if is_utc { &time } else { time.trim_end_matches('Z') };
    let mut text = format!("{time}{host}  sample {number} of {of}  {}", session.object);
    let totals = totals(moment, None);
    if hosts.len() <= 1 && !totals.is_empty() {
        text.push_str(&format!("\n{}", totals.join("  ")));
    }
    for mark in session.marks_at(moment) {
        text.push_str(&format!("\nmark: {}", mark.text));
    }
    text.lines().map(|line| output::visible(line) + "\n").collect()
}

fn body(table: &Instances, columns: &[Column], sort: &Sort) -> String {
    if let (true, Some(row)) = (is_tall(table), table.rows.first()) {
        let mut shown = Table::new(["counter".to_owned(), value_title(row)], &[1]);
        for column in columns {
            shown.add_row([output::visible(&column.name), full_cell(row, column)]);
        }
        return shown.text();
    }
    let rows = rows(table, sort, false, "");
    let has_hosts = rows.iter().any(|row| row.host != rows[0].host);
    let has_places = rows.iter().any(|row| row.place().is_some());
    let has_ids = rows.iter().any(|row| row.id().is_some());
    let mut titles: Vec<String> = vec!["instance".to_owned()];
    titles.extend(has_hosts.then(|| "host".to_owned()));
    titles.extend(has_places.then(|| "unit".to_owned()));
    titles.extend(has_ids.then(|| "id".to_owned()));
    let first = titles.len() - usize::from(has_ids);
    titles.extend(columns.iter().map(|column| output::visible(&column.name)));
    let right: Vec<usize> = (first..titles.len()).collect();
    titles.push("state".to_owned());
    let mut shown = Table::new(titles, &right);
    for row in rows {
        let mut cells = vec![if row.instance.is_some() { name(row) } else { "-".to_owned() }];
        cells.extend(has_hosts.then(|| output::visible(&row.host)));
        cells.extend(has_places.then(|| place(row)));
        cells.extend(has_ids.then(|| row.id().map(|id| id.to_string()).unwrap_or_default()));
        cells.extend(columns.iter().map(|column| full_cell(row, column)));
        cells.push(state_text(row).to_owned());
        shown.add_row(cells);
    }
    shown.text()
}
