//! Captures made of series, and what `recount report` says of them.

use super::run::{Outputs, recount};

/// A PDH-CSV in UTC: a column per path, of the host A if it names none; each row with its seconds after noon of 21 November 2026. NaN: a value is missing.
pub(crate) fn capture(outputs: &Outputs, paths: &[&str], rows: &[(usize, Vec<f64>)]) -> String {
    let quoted = |path: &&str| {
        let host = if path.starts_with(r"\\") { "" } else { r"\\A\" };
        format!(",\"{host}{path}\"")
    };
    let header = paths.iter().map(quoted).collect::<Vec<_>>().concat();
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\"{header}\n");
    for (at, row) in rows {
        let text_of = |value: &f64| if value.is_nan() { " ".to_owned() } else { value.to_string() };
        let cells = row.iter().map(|value| format!(",\"{}\"", text_of(value))).collect::<Vec<_>>().concat();
        let hours = 12 + at / 3600;
        let (day, hour, minute, second) = (21 + hours / 24, hours % 24, at / 60 % 60, at % 60);
        text.push_str(&format!("\"11/{day:02}/2026 {hour:02}:{minute:02}:{second:02}.000\"{cells}\n"));
    }
    outputs.write("c.csv", text)
}

/// Rows that are `step` seconds apart, from noon on.
pub(crate) fn every(step: usize, rows: &[Vec<f64>]) -> Vec<(usize, Vec<f64>)> {
    rows.iter().enumerate().map(|(at, row)| (at * step, row.clone())).collect()
}

/// What `recount report` prints of values that are `step` seconds apart.
pub(crate) fn said(paths: &[&str], step: usize, rows: &[Vec<f64>]) -> String {
    said_of(paths, &every(step, rows))
}

pub(crate) fn said_of(paths: &[&str], rows: &[(usize, Vec<f64>)]) -> String {
    let outputs = Outputs::new();
    recount(&["report", &capture(&outputs, paths, rows)]).fine()
}

/// Rows of one column: values, each for a number of rows.
pub(crate) fn column(stretches: &[(f64, usize)]) -> Vec<Vec<f64>> {
    stretches.iter().flat_map(|(value, count)| vec![vec![*value]; *count]).collect()
}
