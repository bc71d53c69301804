//! One instance, or an object without instances: a row per counter.

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Cell, Row, Table, TableState};

use super::app::App;
use super::fit::{Fit, rooms, width};
use super::rows::{short_cell, value_title};
use crate::output;

const WIDTH_VALUE: u16 = 22;

pub(super) fn draw_tall(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    app.num_visible = usize::from(area.height.saturating_sub(1));
    app.num_hidden = 0;
    let Some(row) = app.table().and_then(|table| table.rows.first()) else { return };
    let counters = app.counters();
    let cursor = app.counter_cursor(&counters);
    let first = cursor
        .saturating_sub(usize::from(area.height) / 2)
        .min(counters.len().saturating_sub(app.num_visible));
    let longest = counters.iter().map(|column| width(&column.name)).max().unwrap_or(0);
    let num_value = WIDTH_VALUE.min(area.width / 2);
    let room = area.width.saturating_sub(num_value + 1);
    let widths =
        [Constraint::Length((longest as u16).clamp(18, room.max(18))), Constraint::Length(num_value)];
    let (fit, rooms) = (Fit::new(app.is_ascii), rooms(&widths, area));
    let right = |text: &str| Cell::from(Line::from(fit.cut(text, rooms[1])).alignment(Alignment::Right));
    let left = |text: &str| Cell::from(fit.cut(text, rooms[0]));
    let visible = counters.iter().skip(first).take(app.num_visible);
    let lines: Vec<Row<'_>> = visible
        .map(|column| Row::new([left(&output::visible(&column.name)), right(&short_cell(row, column))]))
        .collect();
    let header = Row::new([left("counter"), right(&value_title(row))])
        .style(Style::new().add_modifier(Modifier::UNDERLINED));
    let table = Table::new(lines, widths)
        .header(header)
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::new().with_selected((!counters.is_empty()).then_some(cursor - first));
    frame.render_stateful_widget(table, area, &mut state);
}
