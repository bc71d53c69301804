//! Checks that formats/linux-objects.md has the tables of this source.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use recount_model::PREDEFINED;

use crate::countersets::{PERF_FREQ_ID, PERF_TIME_ID, counterset_guid, provider_guid};
use crate::linux::object_spec::ObjectSpec;
use crate::linux::objects;
use crate::linux::type_words::LARGE_AVERAGE_TIMER;

/// The text before this line is written by people, the text after it by this test.
const MARK: &str = "<!-- From here on generated: RECOUNT_BLESS=1 cargo test -p recount-record document -->\n";

/// Name of a type word, and unit of its value.
fn describe(word: u32) -> (String, &'static str) {
    match PREDEFINED.iter().find(|known| known.word == word) {
        Some(known) => (known.name.to_owned(), known.unit),
        None if word == LARGE_AVERAGE_TIMER => {
            ("PERF_AVERAGE_TIMER of 64 bits (0x30020500)".to_owned(), "sec")
        }
        None => (format!("{word:#010x}"), ""),
    }
}

fn table(out: &mut String, spec: &ObjectSpec, is_default: bool) {
    let default = if is_default { "" } else { " Off by default." };
    let guid = counterset_guid("linux", spec.name);
    let _ = write!(out, "\n### {}\n\nIndex {}. {}{default}\n\n", spec.name, spec.index, spec.help);
    let _ = write!(out, "Counterset `{guid}`.\n\n");
    out.push_str("| index | counter | type | unit | meaning, and where it is read |\n| --- | --- | --- | --- | --- |\n");
    for (at, counter) in spec.counters.iter().enumerate() {
        let (name, unit) = describe(counter.word);
        let index = spec.counter_index(at);
        let _ = writeln!(
            out,
            "| {index} | {} | {name} | {unit} | {} |",
            counter.name,
            counter.help.replace('|', "\\|")
        );
    }
}

/// The hand-written part on countersets names the ids and the provider.
#[test]
fn the_document_names_what_all_countersets_share() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats/linux-objects.md");
    let text = fs::read_to_string(path).expect("the document is there");
    for stated in [
        format!("`{}`", provider_guid("linux")),
        format!("| {PERF_TIME_ID} | Object Time |"),
        format!("| {PERF_FREQ_ID} | Object Frequency |"),
    ] {
        assert!(text.contains(&stated), "{stated}");
    }
}

#[test]
fn the_document_is_up_to_date() {
    let mut generated = String::new();
    for offered in objects::ALL {
        table(&mut generated, offered.spec, offered.is_default);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats/linux-objects.md");
    let text = fs::read_to_string(&path).expect("the document is there");
    let (written, found) = text.split_once(MARK).expect("the line that ends what people write");
    if std::env::var_os("RECOUNT_BLESS").is_some() {
        fs::write(&path, format!("{written}{MARK}{generated}")).expect("written");
        return;
    }
    let difference = found.lines().zip(generated.lines()).find(|(found, expected)| found != expected);
    assert_eq!(difference, None, "the first line that differs, in the document and in the source");
    assert!(found == generated, "one has more lines: {MARK}");
}
