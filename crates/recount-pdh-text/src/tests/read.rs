//! Variants of PDH text from locales and tools.

use recount_model::Pattern;

use super::*;
use crate::PdhTextError;

/// The two rows in the files of several locales.
fn assert_two_rows(text: impl Into<Vec<u8>>) -> PdhText {
    let text = open(text);
    assert!(text.health().is_sound(), "{:?}", text.health());
    let rows = decode(&text);
    assert!(rows.health.is_sound(), "{:?}", rows.health);
    assert_eq!(
        cells(&rows.cooked),
        [
            r"2007-10-25T19:40:38.659Z \\WEB1\Processor(_Total)\% Processor Time = invalid-data",
            r"2007-10-25T19:40:53.659Z \\WEB1\Processor(_Total)\% Processor Time = 12.5",
            r"2007-10-25T19:40:38.659Z \\WEB1\Memory\Available Bytes = 4096",
            r"2007-10-25T19:40:53.659Z \\WEB1\Memory\Available Bytes = 0.00001",
        ]
    );
    assert_eq!(rows.cooked[0].interval_s, [None, Some(15.0)]);
    text
}

const US: &str = concat!(
    "\"(PDH-CSV 4.0) (Eastern Daylight Time)(240)\",\"\\\\WEB1\\Processor(_Total)\\% Processor Time\",",
    "\"\\\\WEB1\\Memory\\Available Bytes\"\r\n",
    "\"10/25/2007 15:40:38.659\",\" \",\"4096\"\r\n",
    "\"10/25/2007 15:40:53.659\",\"12.5\",\"1.0000000000000001e-05\"\r\n",
);

const GERMAN: &str = concat!(
    "\"(PDH-CSV 4.0) (Mitteleuropäische Sommerzeit)(-120)\",\"\\\\WEB1\\Processor(_Total)\\% Processor Time\",",
    "\"\\\\WEB1\\Memory\\Available Bytes\"\r\n",
    "\"25.10.2007 21:40:38,659\",\" \",\"4096\"\r\n",
    "\"25.10.2007 21:40:53,659\",\"12,5\",\"1,0000000000000001e-005\"\r\n",
);

#[test]
fn as_windows_writes_it() {
    let text = assert_two_rows(US);
    assert_eq!(text.info().format, "PDH text (PDH-CSV)");
    assert_eq!(text.info().hosts, ["WEB1".into()]);
    let zone = text.info().zone.as_ref().expect("a zone");
    assert_eq!((zone.name_at(-240), zone.bias_min), ("Eastern Daylight Time", 300));
    assert_eq!(text.times()[0].offset_min, -240);
    assert_eq!(text.len_row(0), "\"10/25/2007 15:40:38.659\",\" \",\"4096\"\r\n".len());
}

#[test]
fn german_relog() {
    let text = assert_two_rows(GERMAN);
    let detail = |name: &str| {
        let mut details = text.info().details.iter();
        details.find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    };
    assert_eq!(detail("decimal mark"), Some("comma"));
    assert_eq!(detail("date order"), Some("day first"));
}

#[test]
fn semicolons_without_quotes() {
    assert_two_rows(GERMAN.replace("\",\"", ";").replace('"', ""));
}

#[test]
fn tabs_and_bare_line_feeds() {
    let text = US.replace("\",\"", "\"\t\"").replace("PDH-CSV", "PDH-TSV").replace("\r\n", "\n");
    assert_eq!(assert_two_rows(text).info().format, "PDH text (PDH-TSV)");
}

#[test]
fn iso_dates_and_no_final_line_feed() {
    assert_two_rows(US.trim_end().replace("10/25/2007", "2007-10-25"));
}

#[test]
fn twelve_hour_clock() {
    assert_two_rows(US.replace("15:40:38.659", "3:40:38.659 PM").replace("15:40:53.659", "03:40:53.659 pm"));
}

#[test]
fn byte_order_marks() {
    assert_two_rows(format!("\u{FEFF}{GERMAN}"));
    let units = || format!("\u{FEFF}{GERMAN}").encode_utf16().collect::<Vec<u16>>();
    let little: Vec<u8> = units().into_iter().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = units().into_iter().flat_map(u16::to_be_bytes).collect();
    for bytes in [&little, &big] {
        assert!(PdhText::recognise(bytes));
        assert_two_rows(bytes.clone());
    }
    assert!(PdhText::recognise(US.as_bytes()));
    assert!(PdhText::recognise(b"(PDH-TSV 4.0) (UTC)(0)\t"));
    assert!(!PdhText::recognise(b"Time,\"(PDH-CSV 4.0)\""));
    assert!(!PdhText::recognise(b""));
}

/// A file of one counter with these times, and values counting up.
fn with_times(bias_min: i32, times: &[&str]) -> String {
    let mut text = format!("\"(PDH-CSV 4.0) (Zone)({bias_min})\",\"\\\\H\\Memory\\Pages\"\r\n");
    for (row, time) in times.iter().enumerate() {
        writeln!(text, "\"{time}\",\"{row}\"\r").expect("a String");
    }
    text
}

#[test]
fn ambiguous_dates_are_noted() {
    let text = open(with_times(0, &["10/05/2007 01:00:00", "10/05/2007 01:00:15"]));
    assert_eq!(times(&text)[0].0, "2007-10-05T01:00:00Z");
    assert_eq!(findings(text.health()), [(FindingKind::Time, 46)]);
    // PDH itself writes the month first.
    let text = open(with_times(0, &["10/05/2007 01:00:00.000", "10/05/2007 01:00:15.000"]));
    assert_eq!((times(&text)[0].0.as_str(), findings(text.health())), ("2007-10-05T01:00:00Z", Vec::new()));
    let text = open(with_times(0, &["10.05.2007 01:00:00", "10.05.2007 01:00:15"]));
    assert_eq!(times(&text)[0].0, "2007-05-10T01:00:00Z");
    // Across midnight it is certain.
    let text = open(with_times(0, &["10/05/2007 23:59:50", "11/05/2007 00:00:05", "11/05/2007 00:00:20"]));
    assert_eq!(times(&text)[0].0, "2007-05-10T23:59:50Z");
    assert!(text.health().is_sound());
}

#[test]
fn utc_goes_on_when_daylight_saving_ends() {
    let text = open(with_times(
        240,
        &[
            "11/04/2012 01:59:30.000",
            "11/04/2012 01:59:45.500",
            "11/04/2012 01:00:00.000",
            "11/13/2012 01:00:15.000",
        ],
    ));
    let expected = [
        ("2012-11-04T05:59:30Z", -240),
        ("2012-11-04T05:59:45.5Z", -240),
        ("2012-11-04T06:00:00Z", -300),
        ("2012-11-13T06:00:15Z", -300),
    ];
    assert_eq!(times(&text), expected.map(|(time, offset)| (time.to_owned(), offset)));
    assert_eq!(text.health().count(FindingKind::Time), 1);
    assert_eq!(decode(&text).cooked[0].interval_s[2], Some(14.5));
}

#[test]
fn rows_out_of_order_are_sorted_without_inventing_intervals() {
    let text = open(with_times(
        0,
        &["10/25/2007 01:00:10", "10/25/2007 01:00:20", "10/25/2007 01:00:15", "10/25/2007 01:00:25"],
    ));
    let cooked = decode(&text).cooked.remove(0);
    assert_eq!(cooked.columns[0].values, [0.0, 2.0, 1.0, 3.0]);
    assert_eq!(cooked.interval_s, [None; 4]);
    let finding = &text.health().findings()[0];
    assert_eq!((finding.kind, text.health().total()), (FindingKind::Time, 1));
    let what = "time goes back from 2007-10-25T01:00:20 to 2007-10-25T01:00:15: rows are put in order";
    assert_eq!(finding.what, what);
}

/// As a spreadsheet sorts them.
#[test]
fn rows_from_the_newest_to_the_oldest_have_their_intervals() {
    let times = [20, 16, 13, 11, 10].map(|second| format!("10/25/2007 01:00:{second}"));
    let text = open(with_times(0, &times.each_ref().map(String::as_str)));
    let cooked = decode(&text).cooked.remove(0);
    assert_eq!(cooked.columns[0].values, [4.0, 3.0, 2.0, 1.0, 0.0]);
    assert_eq!(cooked.interval_s, [None, Some(1.0), Some(2.0), Some(3.0), Some(4.0)]);
    assert_eq!((text.health().total(), text.health().count(FindingKind::Time)), (1, 1));
}

#[test]
fn a_clock_of_twelve_hours_is_named() {
    let what = |times: &[&str]| {
        let times: Vec<String> = times.iter().map(|time| format!("10/25/2007 {time}")).collect();
        let text = open(with_times(0, &times.iter().map(String::as_str).collect::<Vec<_>>()));
        text.health().findings().iter().any(|finding| finding.what.contains("12 hours, without AM and PM"))
    };
    assert!(what(&["12:59:40", "12:59:50", "01:00:00", "01:00:10"]));
    assert!(!what(&["12:59:40", "13:00:00", "01:00:00"]));
    assert!(!what(&["12:59:40", "12:59:50", "12:00:00"]));
}

#[test]
fn columns_of_an_object_are_joined() {
    let paths = [
        r"\\h\Process(a)\IO",
        r"\\h\Memory\Pages",
        r"\\H\process(b#1)\IO",
        r"\\h\Process(a)\Threads",
        r"\\h\Thread(a/7)\Switches",
        r"\\h\Process(A)\io",
        "a comment",
    ];
    let mut text = "(PDH-CSV 4.0) (UTC)(0)".to_owned();
    for path in paths {
        write!(text, ",{path}").expect("a String");
    }
    text.push_str("\n10/25/2007 01:00:00,1,2,3,4,5,6,well\n10/25/2007 01:00:01,1.5,2.5,,4.5,5.5,6.5,\n");
    let text = open(text);
    let odd = "odd: PDH text header.counter path at byte 0x90: 1 column is skipped: no path of a counter in the header; \
               the first is column 8, `a comment`";
    let twice = "dropped: PDH text header.counter path at byte 0x7e: 1 column is skipped: an earlier column is of the same \
                 counter; the first is column 7, `\\\\h\\Process(A)\\io`";
    let shown: Vec<String> = text.health().findings().iter().map(ToString::to_string).collect();
    assert_eq!(shown, [odd, twice]);
    let rows = text.decode(&[1, 2, 3, 4, 5, 6, 7, 8], &Selection::all());
    assert_eq!(
        cells(&rows.cooked),
        [
            r"2007-10-25T01:00:01Z \\h\Process(a)\IO = 1.5",
            r"2007-10-25T01:00:01Z \\h\Process(b#1)\IO = invalid-data",
            r"2007-10-25T01:00:01Z \\h\Process(a)\Threads = 4.5",
            r"2007-10-25T01:00:01Z \\h\Memory\Pages = 2.5",
            r"2007-10-25T01:00:01Z \\h\Thread(a/7)\Switches = 5.5",
        ]
    );
    let process = &rows.cooked[0];
    assert_eq!(process.columns[0].covers, None);
    assert_eq!(process.columns[1].covers.as_deref(), Some(&[true, false][..]));
    assert_eq!((process.interval_s[0], process.continued[0]), (Some(1.0), true));
    assert!(process.object.instanced && !rows.cooked[1].object.instanced);

    let selection = Selection::from_iter([r"\Process(b#1)\*".parse::<Pattern>().expect("a pattern")]);
    let rows = text.decode(&[0], &selection);
    assert_eq!(cells(&rows.cooked), [r"2007-10-25T01:00:00Z \\h\Process(b#1)\IO = 3"]);
}

#[test]
fn what_is_no_pdh_text_is_an_error() {
    let error = |text: &str| {
        PdhText::open(Arc::new(text.as_bytes().to_vec()), &PdhTextOptions::default()).err().expect("an error")
    };
    assert!(matches!(error("a,b\n"), PdhTextError::NotPdhText { ofs: 0, .. }));
    assert!(matches!(error("(PDH-CSV 4.0) (UTC)(0),comment\n"), PdhTextError::NoCounters { ofs: 0 }));
    let none = error("(PDH-CSV 4.0) (UTC)(0),\\O\\C\nyesterday,1\n\n13/13/2007 01:00,2\n");
    assert_eq!(
        none.to_string(),
        "PDH text rows at byte 0x1c: expected samples, found none: expected a date and a time, found `yesterday,1`: row left out \
         (lines after the header: 2)"
    );
    let none = error("(PDH-CSV 4.0) (UTC)(0),\\O\\C\n");
    assert!(matches!(none, PdhTextError::NoSamples { num_lines: 0, .. }), "{none}");
}

#[test]
fn the_example_of_the_specification() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../formats/pdh-text.md");
    let page = std::fs::read_to_string(path).expect(path);
    let (_, example) = page.split_once("## Example").expect("an example");
    let dump = example.lines().filter_map(|line| line.strip_prefix("    "));
    let bytes: Vec<u8> = dump
        .flat_map(|line| line[..47].split_whitespace())
        .map(|byte| u8::from_str_radix(byte, 16).expect(byte))
        .collect();
    let text = open(bytes);
    assert!(text.health().is_sound());
    assert_eq!(
        cells(&decode(&text).cooked),
        [
            r"2007-10-25T01:00:00Z \\H\Memory\Pages = invalid-data",
            r"2007-10-25T01:00:15Z \\H\Memory\Pages = 0.5",
        ]
    );
}
