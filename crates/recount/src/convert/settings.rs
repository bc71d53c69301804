//! What decides what is in an output, as a text that stays the same from one build to the next.

use std::fmt::Write;

use recount_tables::{Layout, PartitionKey};
use uuid::Uuid;

use super::{ConvertOptions, OutputFormat};
use crate::{OpenOptions, Span};

/// Counts changes of what conversions write: raised when a build writes other bytes for the same capture and options,
/// beyond the version of recount.
const OUTPUTS: u32 = 1;

/// The name space of the keys: an arbitrary constant.
const NAMESPACE: Uuid = Uuid::from_u128(0x7c1e_0f52_3a0b_4b6e_9d0c_5c1f_3a77_64e1);

/// How captures are opened and converted, one by one.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ConversionSettings<'a> {
    /// What is converted, and into what.
    pub options: &'a ConvertOptions,
    /// Which samples of each capture.
    pub span: &'a Span,
    /// What captures may not state.
    pub opened: &'a OpenOptions,
    /// Whether names are turned into English ones.
    pub in_english: bool,
}

impl<'a> ConversionSettings<'a> {
    /// Settings with the names that captures have.
    pub fn new(
        options: &'a ConvertOptions,
        span: &'a Span,
        opened: &'a OpenOptions,
    ) -> ConversionSettings<'a> {
        ConversionSettings { options, span, opened, in_english: false }
    }

    /// All that decides what is in an output, a line each: versions, options of the conversion, and of opening. An option that
    /// isn't given has no line.
    pub fn text(&self) -> String {
        let ConvertOptions { selection, local_time, raw, scaled, format, layout, partition_by, force: _ } =
            self.options;
        let span = self.span;
        let OpenOptions { names, translations, name_files: _, code_page, zone, since_start } = self.opened;
        let mut text = SettingsText(String::new());
        text.line("recount", env!("CARGO_PKG_VERSION"));
        text.line("outputs", OUTPUTS);
        text.line("format", word_of_format(*format));
        text.line("layout", word_of_layout(*layout));
        for key in partition_by {
            text.line("partition-by", word_of_key(*key));
        }
        for pattern in selection.patterns() {
            text.line("counter", pattern);
        }
        text.option("begin", span.begin.as_ref());
        text.option("end", span.end.as_ref());
        text.option("every", Some(span.every).filter(|every| *every > 1));
        text.option("interval-ns", span.interval.map(|interval| interval.as_nanos()));
        let in_english = self.in_english;
        for (name, is_set) in [
            ("local-time", *local_time),
            ("raw", *raw),
            ("scaled", *scaled),
            ("in-english", in_english),
            ("since-start", *since_start),
        ] {
            text.option(name, is_set.then_some("yes"));
        }
        text.option("encoding", code_page.as_ref());
        text.option("zone", zone.as_ref());
        for (index, name) in names.iter() {
            text.line("name", format_args!("{index} {name}"));
        }
        for (name, english) in translations.iter() {
            text.line("translation", format_args!("{name}\t{english}"));
        }
        text.0
    }

    /// A short key of that text: equal only for equal texts.
    pub fn key(&self) -> String {
        Uuid::new_v5(&NAMESPACE, self.text().as_bytes()).simple().to_string()
    }
}

struct SettingsText(String);

impl SettingsText {
    fn option(&mut self, name: &str, value: Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            self.line(name, value);
        }
    }

    fn line(&mut self, name: &str, value: impl std::fmt::Display) {
        let value = value.to_string().replace('\\', r"\\").replace('\n', r"\n");
        // Writing to a string can't fail.
        let _ = writeln!(self.0, "{name} {value}");
    }
}

fn word_of_format(format: OutputFormat) -> &'static str {
    match format {
        OutputFormat::Parquet => "parquet",
        OutputFormat::Arrow => "arrow",
        OutputFormat::Csv => "csv",
        OutputFormat::Tsv => "tsv",
        OutputFormat::Blg => "blg",
        OutputFormat::OpenMetrics => "openmetrics",
        OutputFormat::LineProtocol => "line-protocol",
    }
}

fn word_of_layout(layout: Layout) -> &'static str {
    match layout {
        Layout::Tidy => "tidy",
        Layout::Objects => "objects",
    }
}

fn word_of_key(key: PartitionKey) -> &'static str {
    match key {
        PartitionKey::Host => "host",
        PartitionKey::Date => "date",
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::Pattern;

    fn options() -> ConvertOptions {
        let pattern = |text: &str| text.parse::<Pattern>().expect(text);
        ConvertOptions {
            selection: [r"\Processor(*)\*", "disk"].map(pattern).into_iter().collect(),
            raw: true,
            format: OutputFormat::Arrow,
            partition_by: vec![PartitionKey::Host, PartitionKey::Date],
            ..ConvertOptions::default()
        }
    }

    fn span() -> Span {
        Span {
            begin: Some("+5m".parse().expect("a bound")),
            end: Some("mark-30s:the end\nof it".parse().expect("a bound")),
            every: 2,
            interval: Some(SignedDuration::from_secs(15)),
        }
    }

    /// Stored in directories of outputs: another text converts whole fleets anew.
    #[test]
    fn the_text_is_stated() {
        let mut opened =
            OpenOptions { zone: Some("+03:00".parse().expect("a zone")), ..OpenOptions::default() };
        opened.code_page = Some("1251".parse().expect("a code page"));
        opened.names.insert(2, "System");
        let settings =
            ConversionSettings { options: &options(), span: &span(), opened: &opened, in_english: true };
        let version = env!("CARGO_PKG_VERSION");
        let expected = format!(
            "recount {version}\noutputs 1\nformat arrow\nlayout tidy\npartition-by host\npartition-by date\n\
             counter \\\\Processor(*)\\\\*\ncounter disk\nbegin +5m\nend mark-30s:the end\\nof it\nevery 2\n\
             interval-ns 15000000000\nraw yes\nin-english yes\nencoding windows-1251\nzone +03:00\nname 2 System\n"
        );
        assert_eq!(settings.text(), expected);
        let (plain, whole) = (ConvertOptions::default(), Span::default());
        let settings = {
            opened = OpenOptions::default();
            ConversionSettings::new(&plain, &whole, &opened)
        };
        let expected = format!("recount {version}\noutputs 1\nformat parquet\nlayout tidy\n");
        assert_eq!(settings.text(), expected);
        assert_eq!(settings.key(), Uuid::new_v5(&NAMESPACE, expected.as_bytes()).simple().to_string());
    }

    /// Whatever changes an output changes the key; what replaces files doesn't.
    #[test]
    fn every_option_counts() {
        let opened = OpenOptions::default();
        let key =
            |options: &ConvertOptions, span: &Span| ConversionSettings::new(options, span, &opened).key();
        let (plain, whole) = (ConvertOptions::default(), Span::default());
        assert_eq!(key(&plain, &whole), key(&ConvertOptions { force: true, ..plain.clone() }, &whole));
        let (all, all_of_span) = (options(), span());
        let others = [
            ConvertOptions { selection: all.selection.clone(), ..plain.clone() },
            ConvertOptions { local_time: true, ..plain.clone() },
            ConvertOptions { raw: true, ..plain.clone() },
            ConvertOptions { scaled: true, ..plain.clone() },
            ConvertOptions { format: OutputFormat::Arrow, ..plain.clone() },
            ConvertOptions { layout: Layout::Objects, ..plain.clone() },
            ConvertOptions { partition_by: vec![PartitionKey::Host], ..plain.clone() },
        ];
        let spans = [
            Span { begin: all_of_span.begin.clone(), ..Span::default() },
            Span { end: all_of_span.begin, ..Span::default() },
            Span { every: 2, ..Span::default() },
            Span { interval: all_of_span.interval, ..Span::default() },
        ];
        let of_options = others.iter().map(|options| key(options, &whole));
        let of_spans = spans.iter().map(|span| key(&plain, span));
        let from_start = OpenOptions { since_start: true, ..OpenOptions::default() };
        let of_opening = ConversionSettings::new(&plain, &whole, &from_start).key();
        let mut keys: Vec<String> =
            of_options.chain(of_spans).chain([key(&plain, &whole), of_opening]).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), others.len() + spans.len() + 2);
    }
}
