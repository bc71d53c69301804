//! The limits that SECURITY.md lists are those of the code.

use crate::{read, workspace};

#[test]
fn limits_are_those_of_the_code() {
    let page = read(&workspace().join("SECURITY.md"));
    let (_, table) = page.split_once("| what | at most | where |\n| --- | --- | --- |\n").expect("the table");
    let rows: Vec<Vec<&str>> =
        table.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>()).collect();
    let limits: Vec<&Vec<&str>> = rows.iter().filter(|cells| !cells[2].is_empty()).collect();
    assert!(limits.len() > 30, "{} limits", limits.len());
    for cells in limits {
        let [_, what, stated, place, _] = cells.as_slice() else { panic!("a row of three cells: {cells:?}") };
        let [file, name] = place.split('`').skip(1).step_by(2).collect::<Vec<_>>()[..] else {
            panic!("{what}: a file and a constant in {place}");
        };
        let code = read(&workspace().join(file));
        let values: Vec<u64> = code.lines().filter_map(|line| constant(line, name)).collect();
        assert_eq!(values, [amount(stated)], "{what}: {file} {name}, and SECURITY.md says {stated}");
    }
}

/// The value, in bytes, seconds or as it is, if a line defines the constant.
fn constant(line: &str, name: &str) -> Option<u64> {
    let (_, definition) = line.split_once(&format!("const {name}: "))?;
    let (_, value) = definition.trim_end().strip_suffix(';')?.split_once(" = ")?;
    for (unit, seconds) in [("secs", 1), ("mins", 60), ("hours", 3_600)] {
        if let Some(number) = value.strip_prefix(&format!("Duration::from_{unit}(")) {
            return Some(whole(number.trim_end_matches(')')) * seconds);
        }
    }
    let (number, shift) = value.split_once(" << ").unwrap_or((value, "0"));
    Some(whole(number) << whole(shift))
}

/// What a cell of the page says: `64 MiB`, `4 s`, `20,000`, `200-fold`.
fn amount(text: &str) -> u64 {
    let (number, unit) = text.split_once([' ', '-']).unwrap_or((text, ""));
    let unit = match unit {
        "" | "fold" | "bytes" | "characters" | "s" => 1,
        "h" => 3_600,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        other => panic!("{text}: the unit {other}"),
    };
    whole(number) * unit
}

fn whole(text: &str) -> u64 {
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    digits.parse().unwrap_or_else(|_| panic!("not a number: {text}"))
}
