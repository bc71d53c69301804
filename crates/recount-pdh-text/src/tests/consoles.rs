//! Text that went through consoles, shells, spreadsheets and scripts.

use super::*;

/// As `typeperf ... > f.csv` leaves it, in some language.
fn console(closing: &str) -> String {
    format!(
        "\r\n\"(PDH-CSV 4.0)\",\"\\\\HOST1\\Processor(_Total)\\% Processor Time\",\"\\\\HOST1\\Memory\\Available MBytes\"\r\n\
         \"01/15/2026 10:00:00.123\",\"10\",\"2000\"\r\n\"01/15/2026 10:00:01.123\",\"11\",\"1999\"\r\n{closing}"
    )
}

fn assert_two_rows(bytes: impl Into<Vec<u8>>) -> PdhText {
    let bytes = bytes.into();
    assert!(PdhText::recognise(&bytes));
    let text = open(bytes);
    assert!(text.health().is_complete(), "{:?}", text.health());
    assert_eq!(
        cells(&decode(&text).cooked),
        [
            r"2026-01-15T10:00:00.123Z \\HOST1\Processor(_Total)\% Processor Time = 10",
            r"2026-01-15T10:00:01.123Z \\HOST1\Processor(_Total)\% Processor Time = 11",
            r"2026-01-15T10:00:00.123Z \\HOST1\Memory\Available MBytes = 2000",
            r"2026-01-15T10:00:01.123Z \\HOST1\Memory\Available MBytes = 1999",
        ]
    );
    text
}

fn only_finding(text: &PdhText) -> &str {
    assert_eq!((text.health().total(), text.health().count(FindingKind::Odd)), (1, 1), "{:?}", text.health());
    &text.health().findings()[0].what
}

#[test]
fn what_typeperf_says_at_the_end_is_no_row() {
    for closing in [
        "Exiting, please wait...                         \r\nThe command completed successfully.\r\n\r\n",
        "Beenden, bitte warten...\r\nDer Befehl wurde erfolgreich ausgef\u{fc}hrt.",
        "La commande s'est termin\u{e9}e correctement.\r\n",
        "终了しています。\r\n",
        "^C\r\nPS C:\\Users\\a1>\r\n",
    ] {
        let text = assert_two_rows(console(closing));
        let what = only_finding(&text);
        assert!(
            what.starts_with("the rows end before")
                && what.contains(closing.trim_end().lines().next().expect("a line").trim()),
            "{what}"
        );
    }
    assert!(assert_two_rows(console("")).health().is_sound());
    // PowerShell writes UTF-16.
    let wide = format!("\u{FEFF}{}", console("Exiting, please wait...\r\n"));
    let little: Vec<u8> = wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
    only_finding(&assert_two_rows(little.clone()));
    // Also without a byte order mark.
    only_finding(&assert_two_rows(&little[2..]));
}

#[test]
fn words_of_a_console_do_not_decide_on_the_code_page() {
    // Its code page is another one: 850.
    for closing in [
        &b"Der Befehl wurde erfolgreich ausgef\x81hrt.\r\n"[..],
        b"La commande s'est termin\x82e correctement.\r\n",
        b"El comando se complet\xa2 correctamente: la operaci\xa2n termin\xa2.\r\n",
    ] {
        let text = assert_two_rows([console("").as_bytes(), closing].concat());
        assert!(only_finding(&text).starts_with("the rows end before"));
        assert_eq!(text.info().details[0], ("encoding".to_owned(), "UTF-8".to_owned()));
    }
    // Rows do: their times have letters.
    let rows = console("").replace("10:00:0", "\u{5348}\u{524d} 10:00:0");
    let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(&rows);
    assert_eq!(open(bytes.into_owned()).info().details[0].1, "Shift_JIS (detected)");
}

#[test]
fn words_between_rows_and_torn_rows_are_damage() {
    let more = "The system was busy.\r\n\r\nAgain.\r\n\"01/15/2026 10:00:02.123\",\"12\",\"1998\"\r\nExiting, please wait...\r\n";
    let text = open(console(more));
    assert_eq!((text.health().count(FindingKind::Damaged), text.health().count(FindingKind::Odd)), (2, 1));
    assert_eq!(decode(&text).cooked[0].interval_s, [None, Some(1.0), None]);
    for (torn, kind) in [
        ("\"01/15/20", FindingKind::Truncated),
        ("\"", FindingKind::Truncated),
        ("\0\0\0\0", FindingKind::Truncated),
        ("\"x1/15/2026 10:00:02.123\",\"12\",\"1998\"\r\n", FindingKind::Damaged),
        ("\"01/xx/2026 10:00:02.123\",\"a\",\"b\"\r\n", FindingKind::Damaged),
    ] {
        let text = open(console(torn));
        assert_eq!(text.health().count(kind), 1, "{torn}: {:?}", text.health());
    }
}

#[test]
fn what_precedes_the_header_is_reported() {
    for front in ["TERM environment variable not set.\n", "sep=,\r\n", "TERM not set.", "a\n\nb, c\n"] {
        let text = assert_two_rows(format!("{front}{}", console("").trim_start()));
        let shown = front.trim_end().replace('\n', " ");
        assert!(only_finding(&text).contains(&format!("before the header are skipped: `{shown}")));
    }
    let far = "x\n".repeat(3000);
    assert!(!PdhText::recognise(format!("{far}{}", console("")).as_bytes()));
    assert!(!PdhText::recognise(b"# PDH text\n\n    \"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\O\\C\"\n"));
}

#[test]
fn a_broken_header_is_joined() {
    let whole = console("");
    let header = whole.lines().nth(1).expect("a header");
    for at in [
        header.find(",\"\\\\HOST1\\M").expect("a path") + 1,
        header.find(",\"\\\\HOST1\\M").expect("a path"),
        40,
        90,
    ] {
        let broken = whole.replace(header, &format!("{}\r\n{}", &header[..at], &header[at..]));
        let text = assert_two_rows(broken);
        assert_eq!(only_finding(&text), "the header is broken over 2 lines: they are joined", "at {at}");
    }
}

#[test]
fn backslashes_that_were_doubled_or_lost_are_seen() {
    let doubled = assert_two_rows(console("").replace('\\', r"\\"));
    assert_eq!(only_finding(&doubled), "every backslash of the paths is doubled: read as one");
    let lost = assert_two_rows(console("").replace(r"\\H", r"\H"));
    assert!(only_finding(&lost).starts_with("2 paths begin with one backslash before the host"));
    // Paths without a host stay what they are, also those of an object with instances, or of one counter with a backslash.
    let plain = concat!(
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\O\\a\\b\",\"\\O\\c\",\"\\P(i)\\x\\y\"\r\n",
        "\"01/15/2026 10:00:00\",\"1\",\"2\",\"3\"\r\n"
    );
    let text = open(plain);
    let objects: Vec<String> = text.objects().iter().map(|(_, object)| object.name.to_string()).collect();
    assert_eq!((objects, text.health().total()), (vec!["O".to_owned(), "P".to_owned()], 0));
    assert!(text.info().hosts.is_empty());
}

#[test]
fn a_header_without_its_mark_is_read_by_its_paths() {
    let text = assert_two_rows(console("").replace("(PDH-CSV 4.0)", "Time"));
    assert!(only_finding(&text).starts_with("the first field isn't \"(PDH-CSV 4.0) (zone)(bias)\""));
    assert!(text.info().is_zone_unknown);
    assert!(!PdhText::recognise(b"Time,CPU,\\\\server\\share\n1,2,3\n"));
}

#[test]
fn lines_quoted_as_a_whole_are_read() {
    let quoted = |line: &str| format!("\"{}\"\r\n", line.replace('"', "\"\""));
    let whole: String = console("").trim_start().lines().map(quoted).collect();
    assert_eq!(
        only_finding(&assert_two_rows(whole)),
        "every line is one quoted field: read without these quotes"
    );
    let bare: String = console("").trim_start().replace('"', "").lines().map(quoted).collect();
    assert_two_rows(bare);
}

#[test]
fn thousands_are_grouped_only_where_it_is_certain() {
    let values = |cells: &[&str]| -> (Vec<Option<f64>>, Vec<FindingKind>) {
        let mut text = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\O\\C\"\r\n".to_owned();
        for (second, cell) in cells.iter().enumerate() {
            writeln!(text, "\"01/15/2026 10:00:{second:02}\",\"{cell}\"\r").expect("a String");
        }
        let text = open(text);
        let rows = decode(&text);
        let column = &rows.cooked[0].columns[0];
        let kinds = text.health().findings().iter().chain(rows.health.findings()).map(|finding| finding.kind);
        ((0..cells.len()).map(|at| column.value_at(at)).collect(), kinds.collect())
    };
    assert_eq!(
        values(&["1,234.5", "17,179,869,184", "1,234", "5"]).0,
        [Some(1234.5), Some(17_179_869_184.0), Some(1234.0), Some(5.0)]
    );
    assert_eq!(values(&["1.234,5", "1.234"]).0, [Some(1234.5), Some(1234.0)]);
    assert_eq!(values(&["1\u{A0}234,5", "12"]).0, [Some(1234.5), Some(12.0)]);
    // As before: one separator alone may be a decimal comma.
    assert_eq!(values(&["1,234", "2,345"]), (vec![Some(1.234), Some(2.345)], vec![FindingKind::Odd]));
    assert_eq!(values(&["1,23.5", "1.5"]), (vec![None, Some(1.5)], vec![FindingKind::Damaged]));
}
