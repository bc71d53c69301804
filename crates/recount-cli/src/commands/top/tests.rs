//! The screen, drawn into memory, and keys.

use std::path::Path;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use recount::analysis::shown::{quantity, visible};
use recount::{NameTable, Selection, Span, Timeline, Timestamp};

use super::app::App;
use super::columns::WantedColumns;
use super::draw::draw;
use super::keys::Next;
use super::session::Session;

fn session(name: &str) -> Session {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    let captures = recount::open_all(&[path], &NameTable::new()).expect("a sample");
    Session::new(&captures, None).expect("a session")
}

fn app_at(name: &str, time: &str, sort: Option<&str>) -> App {
    let session = session(name);
    let time = session.time_of(&time.parse().expect("a time")).expect("in it");
    let wanted = WantedColumns { counters: Selection::all(), sort: sort.map(str::to_owned) };
    App::new(session, wanted, Some(time)).expect("a screen")
}

fn press(app: &mut App, keys: &[KeyCode]) -> Next {
    let mut next = Next::Go;
    for key in keys {
        next = app.on_key(KeyEvent::new(*key, KeyModifiers::NONE));
    }
    next
}

fn type_text(app: &mut App, text: &str) {
    for c in text.chars() {
        press(app, &[KeyCode::Char(c)]);
    }
}

/// The lines of a screen, with what the sparkline needs already read.
fn screen(app: &mut App, width: u16, height: u16) -> Vec<String> {
    if let Some(wanted) = app.past_wanted() {
        let past = wanted.read(&recount::unwatched).expect("read");
        app.set_past(wanted, past);
    }
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal.draw(|frame| draw(frame, app)).expect("drawn");
    let buffer = terminal.backend().buffer().clone();
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| line(y).trim_end().to_owned()).collect()
}

/// The lines of the table that are rows.
fn names(app: &mut App) -> Vec<String> {
    let lines = screen(app, 120, 40);
    let header = lines.iter().position(|line| line.contains(" instance ")).expect("a header");
    let rows = lines[header + 1..39].iter().filter(|line| !line.is_empty());
    rows.map(|line| line[1..].split_whitespace().next().expect("a name").to_owned()).collect()
}

/// The value of `show` for the newest sample up to a time.
fn shown(path: &str, time: &str) -> f64 {
    let capture = recount::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/objects.blg"));
    let selection = Selection::from_iter([path.parse().expect("a path")]);
    let span = Span { end: Some(time.parse().expect("a time")), ..Span::default() };
    let timeline = Timeline::of(&[capture.expect("a sample")], &span).expect("a time line");
    let (series, _) = recount::show(&timeline, &selection, 0, &recount::unwatched).expect("not cancelled");
    series[0].newest.expect("a value")
}

#[test]
fn values_on_the_screen_are_those_of_show() {
    let mut app = app_at("objects.blg", "+30s", None);
    let lines = screen(&mut app, 120, 30);
    assert!(lines[0].starts_with("Process  "), "{lines:#?}");
    assert!(lines[0].ends_with("sample 3 of 8"), "{lines:#?}");
    assert!(lines[0].contains("  2013-02-20 02:00:30 UTC-08:00  "), "{lines:#?}");
    let processor = shown(r"\Processor(_Total)\% Processor Time", "+30s");
    let memory = shown(r"\Memory\Available Bytes", "+30s");
    let totals = format!("CPU {}, ", quantity(processor, "%"));
    assert!(lines[1].starts_with(&totals), "{totals}: {lines:#?}");
    let totals = format!(" not attributed   memory {} available", quantity(memory, "bytes"));
    assert!(lines[1].contains(&totals), "{totals}: {lines:#?}");
    for name in ["worker", "svchost", "svchost#2"] {
        let is_it = |line: &&String| {
            line.get(1..).is_some_and(|line| line.trim_start().starts_with(&format!("{name} ")))
        };
        let line = lines.iter().skip(3).find(is_it).expect("a row");
        let value = shown(&format!(r"\Process({name})\% Processor Time"), "+30s");
        assert!(line.contains(&format!(" {}", quantity(value, "%"))), "{value}: {line}");
    }
}

#[test]
fn keys_step_through_the_samples() {
    let mut app = app_at("objects.blg", "+30s", None);
    let number = |app: &App| app.moment.index + 1;
    for (key, expected) in [
        (KeyCode::Char('t'), 4),
        (KeyCode::Char('T'), 3),
        (KeyCode::Char('T'), 2),
        (KeyCode::Home, 1),
        (KeyCode::Char('T'), 1),
        (KeyCode::End, 8),
        (KeyCode::Char('t'), 8),
    ] {
        press(&mut app, &[key]);
        assert_eq!(number(&app), expected, "{key}");
    }
    assert!(screen(&mut app, 100, 20)[19].contains("this is the last sample"));
    press(&mut app, &[KeyCode::Char('b')]);
    // In the interval that ends 45 s after the first sample.
    type_text(&mut app, "+44s");
    assert_eq!(screen(&mut app, 100, 20)[19], "time (02:55, +5m, -30s, mark:TEXT): +44s_");
    press(&mut app, &[KeyCode::Enter]);
    assert_eq!(number(&app), 4);
    press(&mut app, &[KeyCode::Char('b')]);
    type_text(&mut app, "yesterday");
    press(&mut app, &[KeyCode::Enter]);
    assert_eq!(number(&app), 4);
    assert!(screen(&mut app, 100, 20)[19].starts_with("expected a time"));
    assert_eq!(press(&mut app, &[KeyCode::Char('q')]), Next::Quit);
}

#[test]
fn rows_are_sorted_and_filtered() {
    let mut app = app_at("objects.blg", "+1m", Some("Working Set"));
    let sorted = |app: &App| {
        let at = app.table().and_then(|table| table.counter("Working Set")).expect("a counter");
        let rows: Vec<f64> = app.rows().iter().filter_map(|row| row.values[at]).collect();
        rows.is_sorted_by(|a, b| a >= b) && rows.len() > 3
    };
    assert!(sorted(&app));
    press(&mut app, &[KeyCode::Char('r')]);
    assert!(!sorted(&app));
    // To the left of the first counter is the id, and then the name.
    press(&mut app, &[KeyCode::Char('r')]);
    for _ in 0..20 {
        press(&mut app, &[KeyCode::Left]);
    }
    let all = names(&mut app);
    assert_eq!(all[0], "_Total");
    let plain = |name: &String| name.split('#').next().expect("a part").to_lowercase();
    assert!(all[1..].is_sorted_by_key(plain) && all.contains(&"compile-worker#10".to_owned()), "{all:?}");
    press(&mut app, &[KeyCode::Char('/')]);
    type_text(&mut app, "SVC");
    let some = names(&mut app);
    assert!(
        !some.is_empty() && some.len() < all.len() && some.iter().all(|name| name.starts_with("svchost")),
        "{some:?}"
    );
    press(&mut app, &[KeyCode::Enter]);
    assert_eq!(names(&mut app), some, "the filter stays");
    press(&mut app, &[KeyCode::Esc]);
    assert_eq!(names(&mut app), all);
}

#[test]
fn the_cursor_stays_with_its_process() {
    let mut app = app_at("objects.blg", "+15s", None);
    press(&mut app, &[KeyCode::Down, KeyCode::Down]);
    let selected = |app: &App| {
        let rows = app.rows();
        rows[app.cursor(&rows)].instance.clone().map(|instance| (instance.name.clone(), instance.id))
    };
    let before = selected(&app);
    press(&mut app, &[KeyCode::Right, KeyCode::Char('t')]);
    assert_eq!(selected(&app), before);
    // A page is what was drawn.
    screen(&mut app, 120, 30);
    press(&mut app, &[KeyCode::PageDown, KeyCode::PageDown, KeyCode::Up, KeyCode::PageUp, KeyCode::PageUp]);
    let rows = app.rows();
    assert_eq!(app.cursor(&rows), 0);
}

#[test]
fn what_began_and_ended_is_marked() {
    // Between samples 2 and 3 (from 0) `worker` is replaced by another process of its name and id.
    let mut app = app_at("objects.blg", "+30s", None);
    let marked = |app: &mut App, mark: &str| {
        type_text(app, "/worker");
        press(app, &[KeyCode::Enter]);
        screen(app, 120, 30).iter().any(|line| line.starts_with(&format!("{mark} worker ")))
    };
    assert!(marked(&mut app, "-"));
    press(&mut app, &[KeyCode::Esc, KeyCode::Char('t')]);
    assert!(marked(&mut app, "+"));
}

#[test]
fn another_object_is_chosen_by_a_few_letters() {
    let mut app = app_at("objects.blg", "+30s", Some("Working Set"));
    press(&mut app, &[KeyCode::Char('o')]);
    type_text(&mut app, "phd");
    let lines = screen(&mut app, 80, 20);
    assert!(lines.iter().any(|line| line.contains("Object: phd_")), "{lines:#?}");
    press(&mut app, &[KeyCode::Enter]);
    assert_eq!((&*app.session.object, app.moment.index), ("PhysicalDisk", 2));
    assert!(screen(&mut app, 120, 20)[0].starts_with("PhysicalDisk "));
    press(&mut app, &[KeyCode::Char('o')]);
    type_text(&mut app, "memory");
    press(&mut app, &[KeyCode::Enter]);
    assert_eq!(&*app.session.object, "Memory");
    assert_eq!(app.rows().len(), 1);
    // Nothing has this name: nothing changes.
    press(&mut app, &[KeyCode::Char('o')]);
    type_text(&mut app, "zzzz");
    press(&mut app, &[KeyCode::Enter]);
    assert_eq!(&*app.session.object, "Memory");
}

/// The blocks are the values of the selected process around the sample, as `past` reads them.
#[test]
fn the_sparkline_shows_the_selected_instance() {
    let mut app = app_at("objects.blg", "+30s", None);
    let wanted = app.past_wanted().expect("a row");
    let past = wanted.read(&recount::unwatched).expect("read");
    let instance = wanted.row.shown();
    let values: Vec<Option<f64>> = past.iter().map(|(_, value)| *value).collect();
    let selection =
        Selection::from_iter([format!(r"\Process({instance})\{}", wanted.counter).parse().expect("a path")]);
    let (series, _) =
        recount::show(&app.session.timeline, &selection, 0, &recount::unwatched).expect("not cancelled");
    let most = values.iter().flatten().copied().reduce(f64::max);
    assert_eq!((most, values.iter().flatten().count() as u64), (series[0].max, series[0].num_values));
    let lines = screen(&mut app, 100, 20);
    let expected = format!("{instance} {}", crate::sparkline::blocks(&values, true)).replace(' ', "");
    let drawn = lines[2].replace([' ', '·'], "");
    assert!(drawn.starts_with(&expected), "{drawn} {expected}");
}

#[test]
fn any_size_is_drawn() {
    let mut app = app_at("objects.blg", "+30s", None);
    for (width, height) in [(0, 0), (1, 1), (39, 30), (40, 7), (40, 8), (41, 9), (80, 24), (300, 100)] {
        for key in [KeyCode::Null, KeyCode::Char('h'), KeyCode::Char('o'), KeyCode::Esc, KeyCode::Char('/')] {
            press(&mut app, &[key]);
            let lines = screen(&mut app, width, height);
            let is_small = width < 40 || height < 8;
            if width >= 30 && height > 1 {
                assert_eq!(lines.concat().contains("needs 40 x 8"), is_small, "{width} x {height}");
            }
        }
        press(&mut app, &[KeyCode::Esc, KeyCode::Esc]);
    }
}

/// The column that is sorted by is on the screen, however narrow it is.
#[test]
fn the_sorted_column_is_seen() {
    let mut app = app_at("objects.blg", "+30s", None);
    for _ in 0..12 {
        press(&mut app, &[KeyCode::Right]);
    }
    let last = app.columns.last().expect("a column").title.clone();
    let lines = screen(&mut app, 44, 20);
    assert!(lines.iter().any(|line| line.contains(&last)), "{last}: {lines:#?}");
}

/// A log whose recorder was killed, and the same recording to its end.
#[test]
fn a_capture_that_grew_stays_at_the_newest_sample() {
    let mut app = app_at("rcap-1/killed.rcap", "-0s", None);
    let num_killed = app.moment.num_samples;
    app.refresh(session("rcap-1/closed.rcap"));
    let (num_closed, index) = (app.moment.num_samples, app.moment.index);
    assert!(num_closed > num_killed && index + 1 == num_closed, "{num_killed} {num_closed} {index}");

    let mut app = app_at("rcap-1/killed.rcap", "-0s", None);
    press(&mut app, &[KeyCode::Char('T')]);
    let time = app.moment.time;
    app.refresh(session("rcap-1/closed.rcap"));
    assert_eq!((app.moment.time, app.moment.num_samples), (time, num_closed), "it was moved back");
}

/// Foreign names can't command a terminal.
#[test]
fn control_characters_in_names_are_shown_as_such() {
    let evil = "evil\u{1b}[31m\u{202e}\u{7}";
    let text = format!(
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\WEB1\\Process({evil})\\% Processor Time\",\"\\\\WEB1\\Process(\u{5d0}\u{4e2d}{})\\% Processor Time\"\r\n\
         \"01/02/2024 00:00:00.000\",\"1\",\"2\"\r\n\"01/02/2024 00:00:01.000\",\"3\",\"4\"\r\n",
        "\u{4e2d}".repeat(2_000)
    );
    let capture = recount::open_bytes("evil.csv", text.into_bytes()).expect("a capture");
    let session = Session::new(&[capture], None).expect("a session");
    let wanted = WantedColumns { counters: Selection::all(), sort: None };
    let mut app = App::new(session, wanted, Some(Timestamp(i64::MAX))).expect("a screen");
    let all = screen(&mut app, 100, 20).concat();
    assert!(all.contains(&visible(evil)), "{all}");
    assert!(!all.chars().any(|c| c.is_control() || c == '\u{202e}'), "{all:?}");
}

fn app_of(csv: &str, object: Option<&str>) -> App {
    let capture = recount::open_bytes("a.csv", csv.as_bytes().to_vec()).expect("a capture");
    let session = Session::new(&[capture], object).expect("a session");
    let wanted = WantedColumns { counters: Selection::all(), sort: None };
    App::new(session, wanted, Some(Timestamp(i64::MAX))).expect("a screen")
}

/// A text with one sample of these counters.
fn csv(cells: &[(&str, &str)]) -> String {
    let of = |cell: fn(&(&str, &str)) -> String| cells.iter().map(cell).collect::<String>();
    format!(
        "\"(PDH-CSV 4.0) (UTC)(0)\"{}\r\n\"01/02/2024 00:00:00.000\"{}\r\n",
        of(|(path, _)| format!(",\"\\\\WEB1{path}\"")),
        of(|(_, value)| format!(",\"{value}\"")),
    )
}

#[test]
fn a_single_instance_has_a_row_per_counter() {
    let names: Vec<String> =
        (0..12).map(|at| format!(r"\Memory\A counter with a long name, number {at}")).collect();
    let cells: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "7")).collect();
    let mut app = app_of(&csv(&cells), Some("Memory"));
    let lines = screen(&mut app, 80, 30);
    for at in 0..12 {
        let name = format!("A counter with a long name, number {at} ");
        let line = lines.iter().find(|line| line.starts_with(&name)).expect("a row");
        assert!(line.ends_with(" 7"), "{line}");
    }
    assert!(lines[29].starts_with("12 counters  "), "{lines:#?}");
    press(&mut app, &[KeyCode::Down, KeyCode::Down]);
    assert_eq!(app.past_wanted().expect("a counter").counter, "A counter with a long name, number 2");
    press(&mut app, &[KeyCode::Char('/')]);
    type_text(&mut app, "number 1");
    press(&mut app, &[KeyCode::Enter]);
    assert_eq!(app.counters().len(), 3);
}

#[test]
fn titles_are_whole_or_marked() {
    let cells = [
        (r"\Disk(a)\Average Disk Seconds per Transfer of a Block", "1"),
        (r"\Disk(b)\Average Disk Seconds per Transfer of a Block", "2"),
        (r"\Disk(a)\AnUnbrokenWordThatIsLongerThanAnyColumnMayBe", "1"),
        (r"\Disk(b)\AnUnbrokenWordThatIsLongerThanAnyColumnMayBe", "1"),
    ];
    let lines = screen(&mut app_of(&csv(&cells), Some("Disk")), 100, 20);
    let all = lines.join("\n");
    for word in ["Average", "Seconds", "Transfer", "Block", "AnUnbrokenWordThatIsL…"] {
        assert!(all.contains(word), "{word}: {lines:#?}");
    }
    // A column that doesn't fit is counted.
    let lines = screen(&mut app_of(&csv(&cells), Some("Disk")), 50, 20);
    assert!(lines[19].contains(", 1 more to the side"), "{lines:#?}");
}

#[test]
fn idle_rows_are_hidden_by_a_key() {
    let cells = [
        (r"\Process(busy)\% Processor Time", "12"),
        (r"\Process(idler)\% Processor Time", "0"),
        (r"\Process(Idle)\% Processor Time", "88"),
        (r"\Process(busy)\Working Set", "1"),
        (r"\Process(idler)\Working Set", "5000"),
        (r"\Process(Idle)\Working Set", "8"),
    ];
    let mut app = app_of(&csv(&cells), None);
    assert_eq!(app.rows().len(), 3);
    press(&mut app, &[KeyCode::Char('i')]);
    assert_eq!(app.rows().iter().map(|row| row.shown()).collect::<Vec<_>>(), ["busy"]);
    assert!(screen(&mut app, 120, 20)[19].starts_with("1 row, idle ones hidden"));
    press(&mut app, &[KeyCode::Char('i')]);
    assert_eq!(app.rows().len(), 3);
}

#[test]
fn a_terminal_of_ascii_gets_ascii() {
    let mut app = app_at("objects.blg", "+30s", None);
    app.is_ascii = true;
    for key in [KeyCode::Null, KeyCode::Char('h'), KeyCode::Esc, KeyCode::Char('o')] {
        press(&mut app, &[key]);
        let all = screen(&mut app, 100, 30).concat();
        assert!(all.is_ascii(), "{all}");
    }
}

/// A capture of processes with long names, on a host with one, at many samples.
fn long_names() -> App {
    let paths: Vec<String> = (0..3)
        .map(|at| {
            format!(
                r#","\\A-HOST-WITH-A-LONG-NAME\Process(a-really-very-long-process-name-{at})\Private Bytes""#
            )
        })
        .collect();
    let row = |at: u32| format!("\"01/02/2024 00:{:02}:{:02}.250\",\"1\",\"2\",\"3\"\r\n", at / 60, at % 60);
    let rows: Vec<String> = (0..120).map(row).collect();
    app_of(&format!("\"(PDH-CSV 4.0) (UTC)(0)\"{}\r\n{}", paths.concat(), rows.concat()), None)
}

/// What doesn't fit is left out whole, or has a mark.
#[test]
fn nothing_is_cut_without_a_mark() {
    for (width, number) in
        [(40, None), (45, Some("120/120")), (60, Some("sample 120 of 120")), (90, Some("sample 120 of 120"))]
    {
        let lines = screen(&mut long_names(), width, 12);
        let all = lines.join("\n");
        assert!(lines[0].contains("  2024-01-02 00:01:59.25 UTC"), "{width}: {all}");
        assert_eq!(
            lines[0].split_once(" UTC").map(|(_, rest)| rest.trim()),
            Some(number.unwrap_or_default()),
            "{all}"
        );
        assert_eq!(lines[0].contains("A-HOST"), lines[0].contains("A-HOST-WITH-A-LONG-NAME"), "{all}");
        let named: Vec<&String> = lines.iter().filter(|line| line.starts_with("  a-really")).collect();
        assert!(
            named.len() == 3 && named.iter().all(|line| line.contains('…') != line.contains("-name-")),
            "{all}"
        );
        for hint in ["t/T", "?", "q", "o", "b", "</>", "/"] {
            let foot = &lines[11];
            let whole =
                ["t/T step", "? help", "q quit", "o object", "b time", "</> sort", "/ filter  i idle"];
            let begins = foot.split("  ").filter(|part| part.starts_with(hint)).collect::<Vec<_>>();
            assert!(begins.iter().all(|part| whole.iter().any(|whole| whole.starts_with(part))), "{foot}");
        }
        assert!(lines[11].contains("  ? help"), "{all}");
    }
}

#[test]
fn the_marks_of_a_terminal_of_ascii_are_dots() {
    let mut app = long_names();
    app.is_ascii = true;
    let lines = screen(&mut app, 40, 12);
    assert!(
        lines.iter().any(|line| line.starts_with("  a-really-very-lon") && line.contains("... ")),
        "{lines:#?}"
    );
}

/// The help of a narrow screen is whole; of one that is low, as much as fits.
#[test]
fn help_is_wrapped() {
    let mut app = long_names();
    press(&mut app, &[KeyCode::Char('h')]);
    let all = screen(&mut app, 40, 30).join(" ");
    for word in ["mark:TEXT", "previous", "object", "Any key goes back."] {
        assert!(all.contains(word), "{word}: {all}");
    }
    assert!(screen(&mut app, 40, 10)[8].contains('…'));
}

#[test]
fn a_row_per_counter_fits_a_narrow_screen() {
    let cells = [(r"\Memory\A counter with a very long name of everything", "7"), (r"\Memory\B", "8")];
    let lines = screen(&mut app_of(&csv(&cells), Some("Memory")), 40, 12);
    let row = lines.iter().find(|line| line.starts_with("A counter") && line.ends_with(" 7")).expect("a row");
    assert!(row.contains("… "), "{row}");
}
