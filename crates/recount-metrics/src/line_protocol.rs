//! The line protocol.

use std::fmt::Write as _;
use std::io::Write;

use recount_model::Cooked;

use crate::MetricsError;
use crate::families::Families;
use crate::labels::{instances, labels};
use crate::number::push_value;

/// Writes cooked values in the line protocol: a line per sample and instance, as they come.
#[derive(Debug)]
pub struct LineProtocolWriter<W> {
    out: W,
    families: Families,
    line: String,
    num_lines: u64,
}

impl<W: Write> LineProtocolWriter<W> {
    /// Writes to `out`, which should be buffered.
    pub fn new(out: W) -> LineProtocolWriter<W> {
        LineProtocolWriter { out, families: Families::default(), line: String::new(), num_lines: 0 }
    }

    /// Writes the cooked values of a slice of time.
    pub fn write(&mut self, slice: &[Cooked]) -> Result<(), MetricsError> {
        slice.iter().try_for_each(|cooked| self.write_cooked(cooked))
    }

    /// Flushes, and returns the output and the number of lines.
    pub fn finish(mut self) -> Result<(W, u64), MetricsError> {
        self.out.flush()?;
        Ok((self.out, self.num_lines))
    }

    fn write_cooked(&mut self, cooked: &Cooked) -> Result<(), MetricsError> {
        let families = self.families.of(cooked);
        let Some(&first) = families.first() else { return Ok(()) };
        let object = &self.families.get(first).object;
        let heads: Vec<String> =
            instances(cooked).map(|instance| head(object, &labels(&cooked.host, instance))).collect();
        for (sample, time) in cooked.times.iter().enumerate() {
            let nanos = time.utc.unix_nanos();
            let nanos = nanos.ok_or(MetricsError::TimeOutOfRange { time: time.utc })?;
            for (instance, head) in heads.iter().enumerate() {
                self.line.clear();
                self.line.push_str(head);
                let mut separator = ' ';
                for (column, &family) in cooked.columns.iter().zip(&families) {
                    let value = column.value_at(sample * heads.len() + instance);
                    let value = value.filter(|value| value.is_finite() && column.covers(instance));
                    let Some(value) = value else { continue };
                    self.line.push(separator);
                    self.line.push_str(&self.families.get(family).counter);
                    self.line.push('=');
                    push_value(&mut self.line, value);
                    separator = ',';
                }
                if separator == ',' {
                    // Writing to a string can't fail.
                    let _ = writeln!(self.line, " {nanos}");
                    self.out.write_all(self.line.as_bytes())?;
                    self.num_lines += 1;
                }
            }
        }
        Ok(())
    }
}

/// Measurement and tags.
fn head(object: &str, labels: &[(&str, String)]) -> String {
    labels.iter().fold(object.to_owned(), |head, (name, value)| format!("{head},{name}={}", escaped(value)))
}

/// A tag's value: it can't hold line breaks, nor end with a backslash, which would escape what follows.
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            ',' | '=' | ' ' => text.extend(['\\', c]),
            '\n' | '\r' => text.push_str("\\ "),
            c => text.push(c),
        }
    }
    if text.ends_with('\\') {
        text.pop();
        text.push('/');
    }
    text
}
