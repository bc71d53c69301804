//! The screen, drawn.

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Cell, Clear, List, ListItem, ListState, Paragraph, Row, Table, TableState};
use recount::analysis::shown::quantity;
use recount::{InstanceRow, offset_text};

use super::app::{App, Mode};
use super::ascii;
use super::columns::Column;
use super::fit::{Fit, rooms, some_parts, width, wrapped};
use super::prompt::{Chooser, PromptedFor};
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
/// Where even one column of values has no room beside that.
const LEAST_NAME: u16 = 8;
const WIDTH_HOST: u16 = 12;
const WIDTH_ID: u16 = 8;
const WIDTHS_VALUE: (u16, u16) = (10, 22);
/// Lines of a title at most.
const NUM_TITLE_LINES: usize = 3;

/// What a column of keys takes.
const WIDTH_KEYS: usize = 12;
const KEYS: [(&str, &str); 16] = [
    ("t, T", "next, previous sample"),
    ("Home, End", "first, last sample"),
    ("b", "go to a time: 02:55, +5m, -30s, mark:TEXT"),
    ("up, down", "select a row"),
    ("left, right", "sort by another column; also < and >"),
    ("r", "reverse the order"),
    ("/", "show only rows with a text; Esc ends that"),
    ("i", "hide what is idle"),
    ("o", "choose another object"),
    ("q, Ctrl-C", "quit"),
    ("", ""),
    ("+", "missing from the previous sample"),
    ("-", "missing from the next"),
    ("±", "missing from both"),
    ("", ""),
    ("", "Any key goes back."),
];
/// What the last line says about keys; the first ones are the most important.
const HINTS: [&str; 7] =
    ["? help", "q quit", "t/T step", "o object", "b time", "</> sort", "/ filter  i idle"];

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
    let head = header(app, usize::from(area.width));
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
    frame.render_widget(footer(app, usize::from(foot.width)), foot);
    match &app.mode {
        Mode::Help => draw_help(frame, Fit::new(app.is_ascii), area),
        Mode::Objects(chooser) => draw_objects(frame, app, chooser, body),
        Mode::Table | Mode::Prompt(_) => {}
    }
}

/// When and where, and the state of the machine.
fn header(app: &App, room: usize) -> Vec<Line<'static>> {
    let moment = &app.moment;
    let rows = app.rows();
    let host = rows.get(app.cursor(&rows)).map(|row| row.host.to_string());
    let state: Vec<String> =
        totals(moment, host.as_deref()).iter().map(|part| output::visible(part)).collect();
    let mut lines = vec![
        first_line(app, host.as_deref().unwrap_or_default(), room),
        Line::from(Fit::new(app.is_ascii).parts(&state, "   ", room)),
    ];
    let marks: Vec<&str> = app.session.marks_at(moment).iter().map(|mark| mark.text.as_str()).collect();
    if !marks.is_empty() {
        let text = output::visible(&format!("mark: {}", marks.join(", ")));
        let text = Fit::new(app.is_ascii).cut(&text, room);
        lines.push(Line::from(text).style(Style::new().fg(Color::Yellow)));
    }
    lines
}

/// The object, the time and, where there is room, the number of the sample and the host.
fn first_line(app: &App, host: &str, room: usize) -> Line<'static> {
    let time = format!("  {}", time(app));
    let room = room.saturating_sub(width(&time));
    let object = Fit::new(app.is_ascii).cut(&output::visible(&app.session.object), room);
    let room = room.saturating_sub(width(&object));
    let (at, of) = (app.moment.index + 1, app.moment.num_samples);
    let numbers = [format!("  sample {at} of {of}"), format!("  {at}/{of}")];
    let number = numbers.into_iter().find(|number| width(number) <= room).unwrap_or_default();
    let room = room - width(&number);
    let host = Some(output::visible(host)).filter(|host| !host.is_empty()).map(|host| format!("  {host}"));
    let host = host.filter(|host| width(host) <= room).unwrap_or_default();
    Line::from(vec![Span::from(object).bold(), Span::from(host), Span::from(time).bold(), Span::from(number)])
}

/// The time of the capture, and how far it is from UTC.
fn time(app: &App) -> String {
    let time = app.moment.time;
    let local = time.local().to_string();
    let local = local.trim_end_matches('Z').replacen('T', " ", 1);
    let minutes = time.offset_min;
    if app.session.timeline.is_zone_unknown() {
        return local;
    }
    if minutes == 0 {
        return format!("{local} UTC");
    }
    format!("{local} UTC{}", offset_text(i64::from(minutes)))
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
    let named = if app.is_tall() { output::visible(&wanted.counter) } else { name(&wanted.row) };
    let label = Fit::new(app.is_ascii).cut(&named, WIDTH_TEXT - 22);
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
        let fits = |room: &u16| wrapped(&column.title, usize::from(*room)).len() <= NUM_TITLE_LINES;
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

/// What the rows of a table have.
struct Shape<'a> {
    has_hosts: bool,
    has_ids: bool,
    shown: Vec<(&'a Column, u16)>,
}

impl Shape<'_> {
    fn of<'a>(app: &'a App, rows: &[&InstanceRow], room: u16) -> Shape<'a> {
        let has_hosts = rows.iter().any(|row| row.host != rows[0].host);
        let with_hosts = WIDTH_STATE + WIDTH_NAME + 2 + if has_hosts { WIDTH_HOST + 1 } else { 0 };
        // A value is worth more than an id.
        let has_ids =
            rows.iter().any(|row| row.id().is_some()) && with_hosts + WIDTH_ID + 1 + WIDTHS_VALUE.0 <= room;
        let fixed = with_hosts + if has_ids { WIDTH_ID + 1 } else { 0 };
        Shape { has_hosts, has_ids, shown: fitting(app, room.saturating_sub(fixed)) }
    }

    fn widths(&self) -> Vec<Constraint> {
        let mut widths = vec![Constraint::Length(WIDTH_STATE), Constraint::Min(LEAST_NAME)];
        widths.extend(self.has_hosts.then_some(Constraint::Length(WIDTH_HOST)));
        widths.extend(self.has_ids.then_some(Constraint::Length(WIDTH_ID)));
        widths.extend(self.shown.iter().map(|(_, width)| Constraint::Length(*width)));
        widths
    }
}

fn draw_table(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let fit = Fit::new(app.is_ascii);
    let rows = app.rows();
    let shape = Shape::of(app, &rows, area.width);
    let mut titles = vec![title("", false), title("instance", app.sort == Sort::Instance)];
    titles.extend(shape.has_hosts.then(|| title("host", false)));
    titles.extend(shape.has_ids.then(|| right_title("id", app.sort == Sort::Id)));
    let lines: Vec<Vec<String>> = shape
        .shown
        .iter()
        .map(|(column, width)| title_lines(fit, &column.title, usize::from(*width)))
        .collect();
    let len_header = lines.iter().map(Vec::len).max().unwrap_or(1).max(1);
    for ((column, _), lines) in shape.shown.iter().zip(&lines) {
        let is_sorted = matches!(&app.sort, Sort::Counter(name) if *name == column.name);
        let empty = vec![Line::default(); len_header - lines.len()];
        let lines = lines.iter().map(|line| Line::from(styled_title(line, is_sorted)).right_aligned());
        titles.push(Cell::from(Text::from(empty.into_iter().chain(lines).collect::<Vec<_>>())));
    }
    let num_visible = usize::from(area.height).saturating_sub(len_header);
    let num_hidden = app.columns.len() - shape.shown.len();
    let cursor = app.cursor(&rows);
    // Only what is on the screen is made.
    let first =
        cursor.saturating_sub(usize::from(area.height) / 2).min(rows.len().saturating_sub(num_visible));
    let widths = shape.widths();
    let rooms = rooms(&widths, area);
    let visible = rows.iter().skip(first).take(num_visible);
    let lines: Vec<Row<'_>> = visible.map(|row| table_row(row, &shape, fit, &rooms)).collect();
    let table = Table::new(lines, widths)
        .header(
            Row::new(titles).height(len_header as u16).style(Style::new().add_modifier(Modifier::UNDERLINED)),
        )
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::new().with_selected(Some(cursor - first));
    frame.render_stateful_widget(table, area, &mut state);
    (app.num_visible, app.num_hidden) = (num_visible, num_hidden);
}

/// The lines of a title that are shown. A line or title that is longer ends with a mark.
fn title_lines(fit: Fit, title: &str, room: usize) -> Vec<String> {
    let mut lines = wrapped(title, room);
    if lines.len() > NUM_TITLE_LINES {
        let rest = lines.split_off(NUM_TITLE_LINES - 1);
        lines.push(rest.join(" "));
    }
    lines.iter().map(|line| fit.cut(line, room)).collect()
}

fn title(text: &str, is_sorted: bool) -> Cell<'static> {
    Cell::from(Line::from(styled_title(text, is_sorted)))
}

fn right_title(text: &str, is_sorted: bool) -> Cell<'static> {
    Cell::from(Line::from(styled_title(text, is_sorted)).alignment(Alignment::Right))
}

fn styled_title(text: &str, is_sorted: bool) -> Span<'static> {
    let text = output::visible(text);
    if is_sorted { Span::from(text).bold().yellow() } else { Span::from(text) }
}

fn table_row(row: &InstanceRow, shape: &Shape<'_>, fit: Fit, rooms: &[usize]) -> Row<'static> {
    let mut texts = vec![state(row).to_owned(), name(row)];
    texts.extend(shape.has_hosts.then(|| output::visible(&row.host)));
    let num_left = texts.len();
    texts.extend(shape.has_ids.then(|| row.id().map(|id| id.to_string()).unwrap_or_default()));
    texts.extend(shape.shown.iter().map(|(column, _)| short_cell(row, column)));
    let cells = texts.iter().zip(rooms).enumerate().map(|(at, (text, room))| {
        let line = Line::from(fit.cut(text, *room));
        Cell::from(if at < num_left { line } else { line.right_aligned() })
    });
    let color = match (row.began, row.ended) {
        (true, _) => Some(Color::Green),
        (false, true) => Some(Color::Red),
        (false, false) => None,
    };
    let style = color.map_or(Style::new(), |color| Style::new().fg(color));
    Row::new(cells).style(style)
}

fn footer(app: &App, room: usize) -> Line<'static> {
    let fit = Fit::new(app.is_ascii);
    if let Mode::Prompt(prompt) = &app.mode {
        let asked = match prompt.asked {
            PromptedFor::Time if room < 60 => "time: ",
            PromptedFor::Time => "time (02:55, +5m, -30s, mark:TEXT): ",
            PromptedFor::Filter => "/",
        };
        let typed = fit.end(&output::visible(&prompt.text), room.saturating_sub(width(asked) + 1));
        return Line::from(format!("{asked}{typed}_"));
    }
    if let Some(message) = &app.message {
        let text = fit.cut(&output::visible(message), room);
        return Line::from(text).style(Style::new().fg(Color::Yellow));
    }
    let state = fit.cut(&shown_rows(app), room);
    let hints: Vec<String> = HINTS.map(str::to_owned).to_vec();
    let hints = some_parts(&hints, "  ", room.saturating_sub(width(&state) + 2));
    Line::from(if hints.is_empty() { state } else { format!("{state}  {hints}") }).dim()
}

/// How many rows are shown, and why not all.
fn shown_rows(app: &App) -> String {
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
        format!(" with \"{}\"", output::visible(&app.filter))
    };
    format!("{rows}{filter}{idle}{more}")
}

fn draw_help(frame: &mut Frame<'_>, fit: Fit, area: Rect) {
    let inner = Rect { width: area.width - 2, height: area.height - 2, ..area };
    let room = usize::from(inner.width).saturating_sub(WIDTH_KEYS + 1);
    let mut lines: Vec<String> = Vec::new();
    for (keys, what) in KEYS {
        let texts = wrapped(what, room);
        let first = texts.first().map_or("", String::as_str);
        lines.push(format!("{keys:WIDTH_KEYS$} {first}"));
        lines.extend(texts.iter().skip(1).map(|text| format!("{:WIDTH_KEYS$} {text}", "")));
    }
    let lines = fit.lines(lines, inner);
    let box_area = Rect { height: (lines.len() as u16 + 2).min(area.height), ..area };
    frame.render_widget(Clear, box_area);
    frame.render_widget(Paragraph::new(lines.join("\n")).block(Block::bordered().title("Keys")), box_area);
}

fn draw_objects(frame: &mut Frame<'_>, app: &App, chooser: &Chooser, area: Rect) {
    let found = chooser.found(&app.session.objects);
    let (fit, room) = (Fit::new(app.is_ascii), usize::from(area.width).saturating_sub(2));
    let items: Vec<ListItem<'_>> =
        found.iter().map(|object| ListItem::new(fit.cut(&output::visible(&object.name), room))).collect();
    let typed = fit.end(&output::visible(&chooser.text), room.saturating_sub("Object: _".len()));
    let title = format!("Object: {typed}_");
    let list = List::new(items)
        .block(Block::bordered().title(title))
        .highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = ListState::default().with_selected((!found.is_empty()).then_some(chooser.selected));
    frame.render_widget(Clear, area);
    frame.render_stateful_widget(list, area, &mut state);
}
