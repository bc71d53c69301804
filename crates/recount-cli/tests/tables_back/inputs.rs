//! Which directories and files are recognised as tables, and the messages for others.

use std::path::Path;

use recount::{ConvertError, OutputFormat, Target};
use recount::{
    ConvertOptions, Layout, NameTable, OpenError, Span, TimeBound, Timeline, Timestamp, convert, open_all,
    summarise,
};

use super::captures::{converted, output, samples};
use super::rows::read;

fn objects() -> ConvertOptions {
    let mut options = ConvertOptions::default();
    options.layout = Layout::Objects;
    options
}

fn message(path: &Path) -> String {
    let error = open_all(&[path.into()], &NameTable::new()).map(|_| ()).expect_err("an error");
    format!("{error}; {}", error.hint())
}

#[test]
fn a_directory_of_tables_is_one_capture() {
    let directory = tempfile::tempdir().expect("a directory");
    let tables = output(directory.path(), "tables", &objects());
    converted(&[samples().join("objects.blg")], &tables, &objects());
    let captures = open_all(std::slice::from_ref(&tables), &NameTable::new()).expect("opens");
    assert_eq!((captures.len(), captures[0].format.name()), (1, "Parquet tables"));
    let (summary, health) = summarise(&captures[0]);
    assert!(health.is_sound());
    let (of_log, _) =
        summarise(&open_all(&[samples().join("objects.blg")], &NameTable::new()).expect("opens")[0]);
    assert_eq!(summary.format, "Parquet tables (objects)");
    assert_eq!((summary.hosts, summary.num_samples), (of_log.hosts, of_log.num_samples));
    assert_eq!((summary.first_sample, summary.num_paths), (of_log.first_sample, of_log.num_paths));
    let made_of = summary.details.iter().find(|(name, _)| name == "made of").expect("a detail");
    assert!(made_of.1.ends_with("objects.blg"));
    // A tidy file next to other captures is a capture like them.
    let mixed = tempfile::tempdir().expect("a directory");
    converted(&[tables], &mixed.path().join("tidy.parquet"), &ConvertOptions::default());
    std::fs::copy(samples().join("circular.blg"), mixed.path().join("x.blg")).expect("copied");
    let captures = open_all(&[mixed.path().into()], &NameTable::new()).expect("opens");
    assert_eq!(
        captures.iter().map(|capture| capture.format.name()).collect::<Vec<_>>(),
        ["Parquet tables", "Windows performance log (.blg)"]
    );
}

#[test]
fn errors_name_the_file_and_what_was_expected() {
    let directory = tempfile::tempdir().expect("a directory");
    let tables = output(directory.path(), "tables", &objects());
    converted(&[samples().join("objects.blg")], &tables, &objects());
    let told = message(&tables.join("_counters.parquet"));
    assert!(told.contains("_counters.parquet: this is a table of one object or a catalogue"), "{told}");
    let table = std::fs::read_dir(&tables).expect("lists").map(|entry| entry.expect("entry").path());
    let table =
        table.filter(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('_')));
    let table = table.min().expect("a table");
    let told = message(&table);
    assert!(told.contains("this is a table of one object or a catalogue"), "{told}");
    assert!(told.ends_with("name the directory that holds _counters.parquet"), "{told}");
    let bytes = std::fs::read(&table).expect("a file");
    std::fs::write(&table, &bytes[..bytes.len() / 2]).expect("cut");
    let told = message(&tables);
    let name = table.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(told.contains(&format!("{}: {name}: ", tables.display())), "{told}");
    assert!(
        matches!(open_all(&[tables], &NameTable::new()), Err(OpenError::Format { format, .. }) if format.name() == "Parquet tables")
    );
}

#[test]
fn values_are_scaled_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut scaled = objects();
    scaled.scaled = true;
    let place = |name: &str| directory.path().join(name);
    let log = [samples().join("objects.blg")];
    let (_, expected) = converted(&log, &place("scaled"), &scaled);
    let (_, plain) = converted(&log, &place("plain"), &objects());
    assert_ne!(expected, plain);
    assert_eq!(converted(&[place("plain")], &place("later"), &scaled).1, expected);
    assert_eq!(converted(&[place("scaled")], &place("again"), &scaled).1, expected);
    assert_eq!(converted(&[place("scaled")], &place("kept"), &objects()).1, expected);
    let captures = open_all(&[place("kept")], &NameTable::new()).expect("opens");
    assert!(captures[0].source.info().is_scaled);
}

#[test]
fn samples_and_counters_are_selected() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = samples().join("objects.blg");
    let tables = directory.path().join("tables");
    converted(std::slice::from_ref(&log), &tables, &objects());
    let times =
        open_all(std::slice::from_ref(&log), &NameTable::new()).expect("opens")[0].source.times().to_vec();
    let middle: Timestamp = times[times.len() / 2].utc;
    let selection = recount::Selection::from_iter(["total".parse().expect("a pattern")]);
    let mut options = ConvertOptions::default();
    options.selection = selection;
    let place = |name: &str| directory.path().join(name);
    let (_, of_log) = converted(&[log], &place("log.parquet"), &options);
    let (_, of_tables) = converted(std::slice::from_ref(&tables), &place("tables.parquet"), &options);
    let lines = |tables: super::rows::Tables| tables.into_values().flatten().collect::<Vec<_>>();
    // A table per object doesn't say that a total hides a fall.
    let of_log: Vec<String> = lines(of_log).iter().map(|line| line.replace("|hides-fall", "|ok")).collect();
    assert!(of_log.len() > 2);
    assert_eq!(lines(of_tables), of_log);
    // Later samples keep the values that they have: their intervals don't grow.
    let span = Span { begin: Some(TimeBound::Utc(middle)), ..Span::default() };
    let captures = open_all(&[tables], &NameTable::new()).expect("opens");
    let later = Timeline::of(&captures, &span).expect("a time line");
    convert(&later, &Target::Path(place("later.parquet")), &options, &recount::unwatched).expect("converts");
    let later = lines(read(&place("later.parquet")));
    assert!(later.len() > 2 && later.len() < of_log.len());
    assert_eq!(later[1..], of_log[of_log.len() - (later.len() - 1)..]);
    // Raw values can't be had back.
    let mut blg = ConvertOptions::default();
    blg.format = OutputFormat::Blg;
    let whole = Timeline::whole(&captures).expect("one time line");
    let error =
        convert(&whole, &Target::Path(place("x.blg")), &blg, &recount::unwatched).expect_err("an error");
    assert!(matches!(error, ConvertError::NotRaw { .. }));
}
