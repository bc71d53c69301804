//! The screen, drawn.

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Cell, Clear, List, ListItem, ListState, Paragraph, Row, Table, TableState};
use recount::InstanceRow;
use recount::analysis::shown::quantity;

use super::app::{App, Mode};
use super::ascii;
use super::columns::Column;
use super::prompt::{Asked, Chooser};
use super::rows::{Sort, name, short_cell, state};
use super::tall::draw_tall;
use super::totals::totals;
use crate::{output, sparkline};

/// Less than this can't hold a table.
const MIN_WIDTH: u16 = 40;
const MIN_HEIGHT: u16 = 8;
/// Widths of columns.
const WIDTH_STATE: u16 = 1;
const WIDTH_NAME: u16 = 18;
const WIDTH_HOST: u16 = 12;
const WIDTH_ID: u16 = 8;
const WIDTHS_VALUE: (u16, u16) = (10, 22);
/// Lines of a title at most.
const NUM_TITLE_LINES: usize = 3;

const HELP: &str = "t          next sample                T          previous sample
Home, End  first, last sample         b          go to a time: 02:55, +5m, -30s, mark:TEXT
up, down   select a row               left, right (or <, >)  sort by another column
r          reverse the order          /          show only rows with a text; Esc ends that
i          hide what is idle          o          choose another object
q, Ctrl-C  quit

+  missing from the previous sample    -  missing from the next    ±  both

Any key goes back.";

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App) {
    draw_all(frame, app);
    if app.is_ascii {
        ascii::translate(frame.buffer_mut());
    }
}

fn draw_all(frame: &mut Frame<'_>, app: &mut App) {
    let area = frame.area();
    if area.width < MIN_WIDTH || area.height < MIN_HEIGHT {
        let text = format!("recount top needs {MIN_WIDTH} x {MIN_HEIGHT} characters");
        frame.render_widget(Paragraph::new(text).wrap(ratatui::widgets::Wrap { trim: true }), area);
        return;
    }
    let head = header(app);
    let lines = [
        Constraint::Length(head.len() as u16),
        Constraint::Length(1),
        Constraint::Min(2),
        Constraint::Length(1),
    ];
    let [top, spark, body, foot] = Layout::vertical(lines).areas(area);
    frame.render_widget(Paragraph::new(head), top);
    frame.render_widget(spark_line(app, spark.width), spark);
    if app.is_tall() {
        draw_tall(frame, app, body);
    } else {
        draw_table(frame, app, body);
    }
    frame.render_widget(footer(app), foot);
    match &app.mode {
        Mode::Help => draw_help(frame, area),
        Mode::Objects(chooser) => draw_objects(frame, app, chooser, body),
        Mode::Table | Mode::Prompt(_) => {}
    }
}

/// When and where, and the state of the machine.
fn header(app: &App) -> Vec<Line<'static>> {
    let moment = &app.moment;
    let rows = app.rows();
    let host = rows.get(app.cursor(&rows)).map(|row| row.host.to_string());
    let shown_host =
        host.clone().filter(|host| !host.is_empty()).map(|host| format!("  {}", output::clean(&host)));
    let number = format!("  sample {} of {}", moment.index + 1, moment.num_samples);
    let first = Line::from(vec![
        Span::from(output::clean(&app.session.object)).bold(),
        Span::from(shown_host.unwrap_or_default()),
        Span::from(format!("  {}", time(app))).bold(),
        Span::from(number),
    ]);
    let mut lines = vec![first, Line::from(output::clean(&totals(moment, host.as_deref()).join("   ")))];
    let marks: Vec<&str> = app.session.marks_at(moment).iter().map(|mark| mark.text.as_str()).collect();
    if !marks.is_empty() {
        let text = output::clean(&format!("mark: {}", marks.join(", ")));
        lines.push(Line::from(text).style(Style::new().fg(Color::Yellow)));
    }
    lines
}

/// The time of the capture, and how far it is from UTC.
fn time(app: &App) -> String {
    let time = app.moment.time;
    let local = time.local().to_string();
    let local = local.trim_end_matches('Z').replacen('T', " ", 1);
    let minutes = time.offset_min;
    if recount::is_zone_unknown(&app.session.captures) {
        return local;
    }
    if minutes == 0 {
        return format!("{local} UTC");
    }
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{local} UTC{sign}{:02}:{:02}", minutes.unsigned_abs() / 60, minutes.unsigned_abs() % 60)
}

/// The selected instance around the sample.
fn spark_line(app: &App, width: u16) -> Line<'static> {
    const WIDTH_TEXT: usize = 40;
    let Some((wanted, past)) = app.past() else { return Line::default() };
    let unit =
        app.columns.iter().find(|column| column.name == wanted.counter).map_or("", |column| column.unit);
    let here = past.iter().position(|(time, _)| *time == wanted.row.time).unwrap_or(0);
    let room = usize::from(width).saturating_sub(WIDTH_TEXT);
    // As much before as after, as far as there are samples.
    let begin = here.saturating_sub(room / 2).min(past.len().saturating_sub(room));
    let seen = &past[begin..past.len().min(begin + room)];
    let values: Vec<Option<f64>> = seen.iter().map(|(_, value)| *value).collect();
    let blocks: Vec<char> = sparkline::blocks(&values, true).chars().collect();
    let most = values.iter().flatten().copied().reduce(f64::max);
    let at = (here - begin).min(blocks.len());
    let text = |part: &[char]| part.iter().collect::<String>();
    let named = if app.is_tall() { output::clean(&wanted.counter) } else { name(&wanted.row) };
    let label: String = named.chars().take(WIDTH_TEXT - 22).collect();
    let mut spans = vec![Span::from(format!("{label} ")).bold(), Span::from(text(&blocks[..at]))];
    if let Some(block) = blocks.get(at) {
        let block = if *block == ' ' { '·' } else { *block };
        spans.push(Span::styled(
            block.to_string(),
            Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD),
        ));
        spans.push(Span::from(text(&blocks[at + 1..])));
    }
    spans.extend(most.map(|most| Span::from(format!(" to {}", quantity(most, unit)))));
    Line::from(spans)
}

/// Which columns fit, beginning so that the one that is sorted by is among them.
fn fitting(app: &App, room: u16) -> Vec<(&Column, u16)> {
    let widths = app.columns.iter().map(|column| {
        let fits = |width: &u16| wrapped(&column.title, usize::from(*width)).len() <= NUM_TITLE_LINES;
        let longest = column.title.split_whitespace().map(|word| word.chars().count() as u16).max();
        let least = longest.unwrap_or(0).clamp(WIDTHS_VALUE.0, WIDTHS_VALUE.1);
        (column, (least..WIDTHS_VALUE.1).find(fits).unwrap_or(WIDTHS_VALUE.1))
    });
    let mut shown: Vec<(&Column, u16)> = Vec::new();
    let is_sorted = |column: &Column| matches!(&app.sort, Sort::Counter(name) if *name == column.name);
    let mut has_sorted = !app.columns.iter().any(is_sorted);
    for (column, width) in widths {
        while !shown.is_empty() && used(&shown) + width + 1 > room {
            if has_sorted {
                return shown;
            }
            shown.remove(0);
        }
        has_sorted |= is_sorted(column);
        shown.push((column, width));
    }
    shown
}

fn used(shown: &[(&Column, u16)]) -> u16 {
    shown.iter().map(|(_, width)| width + 1).sum()
}

fn draw_table(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let rows = app.rows();
    let has_ids = rows.iter().any(|row| row.id().is_some());
    let has_hosts = rows.iter().any(|row| row.host != rows[0].host);
    let mut widths = vec![Constraint::Length(WIDTH_STATE), Constraint::Min(WIDTH_NAME)];
    let mut titles = vec![title("", false), title("instance", app.sort == Sort::Instance)];
    let mut fixed = WIDTH_STATE + WIDTH_NAME + 2;
    if has_hosts {
        widths.push(Constraint::Length(WIDTH_HOST));
        titles.push(title("host", false));
        fixed += WIDTH_HOST + 1;
    }
    if has_ids {
        widths.push(Constraint::Length(WIDTH_ID));
        titles.push(right_title("id", app.sort == Sort::Id));
        fixed += WIDTH_ID + 1;
    }
    let shown = fitting(app, area.width.saturating_sub(fixed));
    let lines: Vec<Vec<String>> =
        shown.iter().map(|(column, width)| title_lines(&column.title, usize::from(*width))).collect();
    let len_header = lines.iter().map(Vec::len).max().unwrap_or(1).max(1);
    for ((column, width), lines) in shown.iter().zip(&lines) {
        widths.push(Constraint::Length(*width));
        let is_sorted = matches!(&app.sort, Sort::Counter(name) if *name == column.name);
        let empty = vec![Line::default(); len_header - lines.len()];
        let lines = lines.iter().map(|line| Line::from(styled_title(line, is_sorted)).right_aligned());
        titles.push(Cell::from(Text::from(empty.into_iter().chain(lines).collect::<Vec<_>>())));
    }
    let num_visible = usize::from(area.height).saturating_sub(len_header);
    let num_hidden = app.columns.len() - shown.len();
    let cursor = app.cursor(&rows);
    // Only what is on the screen is made.
    let first =
        cursor.saturating_sub(usize::from(area.height) / 2).min(rows.len().saturating_sub(num_visible));
    let visible = rows.iter().skip(first).take(num_visible);
    let lines: Vec<Row<'_>> = visible.map(|row| table_row(row, &shown, has_hosts, has_ids)).collect();
    let table = Table::new(lines, widths)
        .header(
            Row::new(titles).height(len_header as u16).style(Style::new().add_modifier(Modifier::UNDERLINED)),
        )
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::new().with_selected(Some(cursor - first));
    frame.render_stateful_widget(table, area, &mut state);
    (app.num_visible, app.num_hidden) = (num_visible, num_hidden);
}

/// A title in lines of some width, by words.
fn wrapped(title: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in title.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The lines of a title that are shown. A line or title that is longer ends with a mark.
fn title_lines(title: &str, width: usize) -> Vec<String> {
    let mut lines = wrapped(title, width);
    let is_longer = lines.len() > NUM_TITLE_LINES;
    lines.truncate(NUM_TITLE_LINES);
    let num = lines.len();
    for (at, line) in lines.iter_mut().enumerate() {
        if line.chars().count() > width || (is_longer && at + 1 == num) {
            *line = line.chars().take(width.saturating_sub(1)).chain(['…']).collect();
        }
    }
    lines
}

fn title(text: &str, is_sorted: bool) -> Cell<'static> {
    Cell::from(Line::from(styled_title(text, is_sorted)))
}

fn right_title(text: &str, is_sorted: bool) -> Cell<'static> {
    Cell::from(Line::from(styled_title(text, is_sorted)).alignment(Alignment::Right))
}

fn styled_title(text: &str, is_sorted: bool) -> Span<'static> {
    let text = output::clean(text);
    if is_sorted { Span::from(text).bold().yellow() } else { Span::from(text) }
}

fn table_row(row: &InstanceRow, shown: &[(&Column, u16)], has_hosts: bool, has_ids: bool) -> Row<'static> {
    let right = |text: String| Cell::from(Line::from(text).alignment(Alignment::Right));
    let mut cells = vec![Cell::from(state(row)), Cell::from(name(row))];
    cells.extend(has_hosts.then(|| Cell::from(output::clean(&row.host))));
    cells.extend(has_ids.then(|| right(row.id().map(|id| id.to_string()).unwrap_or_default())));
    cells.extend(shown.iter().map(|(column, _)| right(short_cell(row, column))));
    let color = match (row.began, row.ended) {
        (true, _) => Some(Color::Green),
        (false, true) => Some(Color::Red),
        (false, false) => None,
    };
    let style = color.map_or(Style::new(), |color| Style::new().fg(color));
    Row::new(cells).style(style)
}

fn footer(app: &App) -> Line<'static> {
    if let Mode::Prompt(prompt) = &app.mode {
        let asked = match prompt.asked {
            Asked::Time => "time (02:55, +5m, -30s, mark:TEXT): ",
            Asked::Filter => "/",
        };
        return Line::from(format!("{asked}{}_", output::clean(&prompt.text)));
    }
    if let Some(message) = &app.message {
        return Line::from(output::clean(message)).style(Style::new().fg(Color::Yellow));
    }
    let rows = if app.is_tall() {
        output::plural(app.counters().len() as u64, "counter")
    } else {
        output::plural(app.rows().len() as u64, "row")
    };
    let idle = if app.hides_idle { ", idle ones hidden" } else { "" };
    let more = match app.num_hidden {
        0 => String::new(),
        num => format!(", {num} more to the side"),
    };
    let filter = if app.filter.is_empty() {
        String::new()
    } else {
        format!(" with \"{}\"", output::clean(&app.filter))
    };
    Line::from(format!(
        "{rows}{filter}{idle}{more}  t/T step  b time  </> sort  o object  / filter  i idle  ? help  q quit"
    ))
    .dim()
}

fn draw_help(frame: &mut Frame<'_>, area: Rect) {
    let lines = HELP.lines().count() as u16 + 2;
    let box_area = Rect { height: lines.min(area.height), ..area };
    frame.render_widget(Clear, box_area);
    frame.render_widget(Paragraph::new(HELP).block(Block::bordered().title("Keys")), box_area);
}

fn draw_objects(frame: &mut Frame<'_>, app: &App, chooser: &Chooser, area: Rect) {
    let found = chooser.found(&app.session.objects);
    let items: Vec<ListItem<'_>> =
        found.iter().map(|object| ListItem::new(output::clean(&object.name))).collect();
    let title = format!("Object: {}_", output::clean(&chooser.text));
    let list = List::new(items)
        .block(Block::bordered().title(title))
        .highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = ListState::default().with_selected((!found.is_empty()).then_some(chooser.selected));
    frame.render_widget(Clear, area);
    frame.render_stateful_widget(list, area, &mut state);
}
