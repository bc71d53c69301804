//! Damage is reported and costs only the damaged parts; nothing panics.

use proptest::prelude::*;

use super::*;
use crate::{PdhTextError, RowFault};

const HEADER: &str = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\O\\A\",\"\\\\H\\O\\B\"\r\n";

#[test]
fn damaged_rows_cost_themselves() {
    let good = "\"10/25/2007 01:00:00.000\",\"1\",\"2\"\r\n";
    let rows = [
        good,
        "\"10/25/2007 01:00:01.000\",\"1\"\r\n",
        "\"10/25/2007 01:00:02.000\",\"1,5\",\"3.5\"\r\n",
        "\"10/25/2007 01:00:03.000\",\"1\",\"2\",\"3\"\r\n",
        "\"10/25/2007 01:00:04.000\",\"1\",\"2\",\" \"\r\n",
        "\"10/25/20@7 01:00:05.000\",\"1\",\"2\"\r\n",
        "\"10/25/2007 01:00:06.000\",\"-1.#IND\",\"2.5\r\n",
        "\0\0\0\0\r\n",
        "\"10/25/2007 01:00:07.000\",\"7\",\"12.3",
    ];
    let ofs = |row: usize| HEADER.len() as u64 + rows[..row].iter().map(|row| row.len() as u64).sum::<u64>();
    let text = open(format!("{HEADER}{}", rows.concat()));
    assert_eq!(
        findings(text.health()),
        [
            (FindingKind::Damaged, ofs(1)),
            (FindingKind::Dropped, ofs(3)),
            (FindingKind::Damaged, ofs(5)),
            (FindingKind::Damaged, ofs(7)),
            (FindingKind::Truncated, ofs(8) + 31),
            (FindingKind::Odd, ofs(0)),
        ]
    );
    let rows = decode(&text);
    assert_eq!(
        findings(&rows.health),
        [
            (FindingKind::Damaged, ofs(2) + 27),
            (FindingKind::Damaged, ofs(6) + 27),
            (FindingKind::Damaged, ofs(6) + 37),
        ]
    );
    assert_eq!(
        rows.health.findings()[0].what,
        "expected a number with decimal mark `.` in column 2, found `1,5`: it is null"
    );
    let cooked = &rows.cooked[0];
    let column =
        |at: usize| (0..6).map(|cell| cooked.columns[at].value_at(cell)).collect::<Vec<Option<f64>>>();
    assert_eq!(column(0), [Some(1.0), Some(1.0), None, Some(1.0), None, Some(7.0)]);
    assert_eq!(column(1), [Some(2.0), None, Some(3.5), Some(2.0), None, None]);
    // After a row that was left out, the interval of a value isn't known.
    assert_eq!(cooked.interval_s, [None, Some(1.0), Some(1.0), None, None, None]);
}

/// A name that was cut in two makes a column that no row has: the values would be those of other counters.
#[test]
fn rows_that_lack_the_column_of_a_stray_cell_are_left_out() {
    let header = "(PDH-CSV 4.0) (UTC)(0),\\\\H\\O\\Reads,total,\\\\H\\O\\B\n";
    let rows = |rows: &[&str]| {
        let rows = rows.iter().enumerate().map(|(at, row)| format!("10/25/2007 01:00:0{at}.000,{row}\n"));
        format!("{header}{}", rows.collect::<String>())
    };
    let shifted = Arc::new(rows(&["1,2", "3,4"]).into_bytes());
    let Err(PdhTextError::NoSamples { what, .. }) = PdhText::open(shifted, &PdhTextOptions::default()) else {
        panic!("read under wrong names");
    };
    assert!(what.contains("expected 3, found 2"), "{what}");
    // With a blank the name is certainly cut.
    let cut = format!("{}10/25/2007 01:00:00.000,1,2,3\n", header.replace(",total", ", total"));
    let error = PdhText::open(Arc::new(cut.into_bytes()), &PdhTextOptions::default()).err();
    assert_eq!(error, Some(PdhTextError::CutName { ofs: 0x23, found: " total".into() }));
    // A row that has all shows that the cell is a column of its own.
    let text = open(rows(&["1,,2", "3", "5,,6"]));
    let cooked = &decode(&text).cooked[0];
    let column = |at: usize| (0..3).map(|cell| cooked.columns[at].value_at(cell)).collect::<Vec<_>>();
    assert_eq!(column(0), [Some(1.0), Some(3.0), Some(5.0)]);
    assert_eq!(column(1), [Some(2.0), None, Some(6.0)]);
}

/// Paths are lost from the middle of the header, and the last values are missing: which are the lost ones' isn't known.
#[test]
fn rows_with_more_values_than_the_header_has_columns_are_left_out() {
    let of = |header: &str, row: &str| {
        let text = format!("\"(PDH-CSV 4.0) (UTC)(0)\",{header}\n\"10/25/2007 01:00:00.000\",{row}\n");
        PdhText::open(Arc::new(text.into_bytes()), &PdhTextOptions::default())
    };
    let [reads, writes, cut] = ["\"\\\\H\\O\\Reads\"", "\"\\\\H\\O\\Writes\"", "\"\\\\H\\Oads\""];
    for (header, row) in [
        (format!("{reads},{writes}"), "\"1\",\"2\",\" \""),
        (format!("{reads},{cut},{writes}"), "\"1\",\"2\",\"3\",\" \""),
        (format!("{reads},{cut},{writes}"), "1,2,3,"),
    ] {
        let error = of(&header, row).err();
        let is_refused =
            matches!(error, Some(PdhTextError::NoSamples { fault: RowFault::TooManyValues, .. }));
        assert!(is_refused, "{header} {row}: {error:?}");
    }
    // A program that ends each row with a separator.
    let text = of(&format!("{reads},{writes}"), "1,2,").expect("is readable");
    assert_eq!(decode(&text).cooked[0].columns[1].value_at(0), Some(2.0));
}

#[test]
fn an_unquoted_value_at_the_end_may_be_torn() {
    let text = open("(PDH-CSV 4.0) (UTC)(0),\\O\\C,\\O\\D\n10/25/2007 01:00,1,2\n10/25/2007 01:01,12,13");
    assert_eq!(findings(text.health()), [(FindingKind::Truncated, 74)]);
    let cooked = &decode(&text).cooked[0];
    assert_eq!((cooked.columns[0].value_at(1), cooked.columns[1].value_at(1)), (Some(12.0), None));
}

#[test]
fn a_header_cannot_ask_for_much_more_than_it_holds() {
    let mut text = "(PDH-CSV 4.0) (UTC)(0)".to_owned();
    for at in 0..4000 {
        write!(text, ",\\O(i{at})\\C{at}").expect("a String");
    }
    let error =
        PdhText::open(Arc::new(text.into_bytes()), &PdhTextOptions::default()).err().expect("an error");
    assert!(
        matches!(error, PdhTextError::TooSparse { num_instances: 4000, num_columns: 4000, .. }),
        "{error}"
    );
}

#[test]
fn files_put_together_are_read_as_far_as_they_agree() {
    let row = "\"10/25/2007 01:00:00.000\",\"1\",\"2\"\r\n";
    let later = row.replace("01:00", "02:00");
    let text = open(format!("{HEADER}{row}{HEADER}{later}"));
    assert_eq!((text.times().len(), text.health().count(FindingKind::Odd)), (2, 1));
    assert_eq!(decode(&text).cooked[0].interval_s, [None, None]);
}

proptest! {
    #[test]
    fn any_bytes_behind_a_header_are_survived(bytes: Vec<u8>) {
        let mut file = HEADER.as_bytes().to_vec();
        file.extend(bytes);
        if let Ok(text) = PdhText::open(Arc::new(file), &PdhTextOptions::default()) {
            let _ = decode(&text);
        }
    }

    #[test]
    fn any_bytes_in_any_code_page_are_survived(
        bytes: Vec<u8>,
        name in prop::sample::select(vec!["1251", "932", "936", "949", "950", "54936", "utf-16", "utf-8"]),
        ofs in 0..200_usize,
    ) {
        let mut file = HEADER.as_bytes().to_vec();
        file.extend_from_slice(b"\"10/25/2007 01:00:00.000\",\"1\",\"2\"\r\n");
        let at = ofs.min(file.len());
        file.splice(at..at, bytes);
        let code_page = Some(name.parse().expect(name));
        let zone = Some(jiff::tz::TimeZone::get("Europe/Moscow").expect("a zone"));
        for options in [PdhTextOptions { code_page, zone }, PdhTextOptions::default()] {
            if let Ok(text) = PdhText::open(Arc::new(file.clone()), &options) {
                let _ = decode(&text);
            }
        }
    }

    /// Memory is bounded by the length of the file, whatever it claims: 64 cells per header column, a time
    /// per row.
    #[test]
    fn memory_is_bounded_by_the_length(cells in "(,\"?[\\\\][A-D][(][a-d]{1,2}[)][\\\\][A-D]{1,2}\"?){1,60}") {
        let file = format!("(PDH-CSV 4.0) (UTC)(0){cells}\n10/25/2007 01:00:00,1\n");
        let len = file.len();
        if let Ok(text) = PdhText::open(Arc::new(file.into_bytes()), &PdhTextOptions::default()) {
            let rows = decode(&text);
            let num_values: usize = rows.cooked.iter().flat_map(|c| &c.columns).map(|c| c.values.len()).sum();
            prop_assert!(num_values <= 64 * len, "{num_values} values of {len} bytes");
        }
    }

    #[test]
    fn anything_like_rows_is_survived(
        mark in prop::sample::select(vec!["", "\u{FEFF}"]),
        head in "(\"?\\(PDH-[CT]SV 4.0\\)( \\(UTC\\)\\((-?[0-9]{1,7}|x)\\))?\"?[,;\t]?)?",
        cells in "([,;\t]?\"?\\\\{0,2}[A-Z]?\\\\?[A-Z(#)/]{0,4}\\\\?[A-Z*]?\"?){0,4}",
        rows in "((\r|\n)?\"?[0-9]{1,2}[./-][0-9]{1,2}[./-]200[0-9] [0-2]?[0-9]:[0-5][0-9](:[0-5][0-9][.,]?[0-9]?)?( PM)?\"?([,;\t]\"?[-0-9., e\"]{0,6}\"?){0,5}\r?\n?){0,9}",
        wide: bool,
    ) {
        let file = format!("{mark}{head}{cells}\n{rows}");
        let bytes = if wide {
            [0xFF, 0xFE].into_iter().chain(file.encode_utf16().flat_map(u16::to_le_bytes)).collect()
        } else {
            file.into_bytes()
        };
        if let Ok(text) = PdhText::open(Arc::new(bytes), &PdhTextOptions::default()) {
            prop_assert!(text.times().is_sorted_by_key(|time| time.utc));
            for cooked in decode(&text).cooked {
                prop_assert_eq!(cooked.times.len(), text.times().len());
                for column in &cooked.columns {
                    prop_assert_eq!(column.values.len(), cooked.num_cells());
                }
            }
        }
    }
}
