//! Whole files: the forms of thresholds, encodings, what isn't a threshold file, and damaged ones.

use std::fmt::Write as _;

use proptest::prelude::*;
use toml::Table;

use super::{Imported, PalError, Untranslated, import};

const WEB_SERVER: &str = include_str!("../../../tests/pal/WebServer.xml");

fn of_web_server() -> Imported {
    import(WEB_SERVER.as_bytes(), "C:\\PAL\\WebServer.xml").expect("a threshold file")
}

/// A file of one analysis, one data source `$C`, and one threshold with this code.
fn file_of(code: &str) -> String {
    format!(
        r#"<PAL NAME="n"><ANALYSIS NAME="a" ENABLED="True" CATEGORY="c">
<DATASOURCE TYPE="CounterLog" COLLECTIONVARNAME="C" EXPRESSIONPATH="\O(*)\X"/>
<THRESHOLD NAME="t" CONDITION="Warning"><CODE><![CDATA[{code}]]></CODE></THRESHOLD></ANALYSIS></PAL>"#
    )
}

fn list(untranslated: &[Untranslated]) -> String {
    untranslated.iter().fold(String::new(), |mut list, entry| {
        let Untranslated { analysis, threshold, line, reason } = entry;
        let threshold = threshold.as_deref().unwrap_or("-");
        writeln!(list, "{line}\t{analysis}\t{threshold}\t{reason}").expect("a string");
        list
    })
}

/// Compares with a file beside the fixture; `RECOUNT_BLESS=1` writes it anew.
fn assert_is(found: &str, name: &str) {
    let path = format!("{}/tests/pal/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("RECOUNT_BLESS").is_some() {
        std::fs::write(&path, found).expect(&path);
    }
    assert_eq!(found, std::fs::read_to_string(&path).expect(&path), "{name}");
}

#[test]
fn every_form_becomes_what_is_beside_the_fixture() {
    let imported = of_web_server();
    assert_is(&imported.toml, "WebServer.toml");
    assert_is(&list(&imported.untranslated), "WebServer.untranslated.txt");
}

#[test]
fn each_threshold_is_a_rule_or_an_entry() {
    let imported = of_web_server();
    assert_eq!((imported.num_analyses, imported.num_rules, imported.untranslated.len()), (14, 14, 16));
    let in_use = imported.untranslated.iter().filter(|entry| entry.threshold.is_some()).count();
    // One threshold becomes two rules, and one stands in the disabled analysis.
    assert_eq!(WEB_SERVER.matches("<THRESHOLD ").count(), imported.num_rules - 1 + in_use + 1);
    for entry in &imported.untranslated {
        let line = WEB_SERVER.lines().nth(entry.line as usize - 1).expect("a line of the file");
        let name = entry.threshold.as_ref().unwrap_or(&entry.analysis);
        assert!(
            line.contains(&format!("NAME=\"{name}\"")) || line.contains("<INHERITANCE"),
            "{entry:?}: {line}"
        );
    }
}

#[test]
fn paths_are_counter_paths_and_written_as_people_write_them() {
    let imported = of_web_server();
    assert!(imported.toml.contains("counter = '\\LogicalDisk(*)\\Avg. Disk sec/Read'\n"));
    let table: Table = imported.toml.parse().expect("TOML");
    for rule in table["rule"].as_array().expect("rules") {
        rule["counter"]
            .as_str()
            .expect("a path")
            .parse::<recount_model::CounterPath>()
            .expect("a counter path");
    }
}

#[test]
fn an_enabled_file_without_translatable_thresholds_is_a_set_without_rules() {
    let imported = import(file_of("CreateAlert").as_bytes(), "Some Thing.xml").expect("a threshold file");
    assert_eq!((imported.num_rules, imported.untranslated.len()), (0, 1));
    let table: Table = imported.toml.parse().expect("TOML");
    assert_eq!(table["set"]["name"].as_str(), Some("pal-some-thing"));
    assert!(!table.contains_key("rule"));
}

#[test]
fn every_encoding_of_the_file_gives_the_same() {
    let expected = of_web_server();
    let marked = format!("\u{feff}{WEB_SERVER}");
    let bytes_of =
        |text: &str, unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    for bytes in [
        marked.as_bytes().to_vec(),
        bytes_of(&marked, u16::to_le_bytes),
        bytes_of(&marked, u16::to_be_bytes),
        bytes_of(WEB_SERVER, u16::to_le_bytes),
        bytes_of(WEB_SERVER, u16::to_be_bytes),
    ] {
        assert_eq!(import(&bytes, "WebServer.xml").expect("a threshold file"), expected);
    }
}

fn message(bytes: &[u8]) -> String {
    import(bytes, "x.xml").expect_err("no threshold file").to_string()
}

#[test]
fn errors_have_the_line_and_what_to_do() {
    assert_eq!(
        message(b"<PAL>\n\n\xe9</PAL>"),
        "line 3: the file isn't valid UTF-8 here; save it as UTF-8 and import it again"
    );
    assert_eq!(
        message(b"\xff\xfe<\0P\0\n\0\x00\xdc>\0"),
        "line 2: the file isn't valid UTF-16 here; save it as UTF-8 and import it again"
    );
    assert!(message(b"\xff\xfe<\0P").starts_with("line 1: the file isn't valid UTF-16"));
    assert!(
        message(b"<!-- x -->\n<html/>")
            .starts_with("line 2: a PAL threshold file begins with the element PAL")
    );
    let unlike = "line 2: not XML as PAL writes it: ";
    assert!(message(b"<PAL>\n<A></B></PAL>").starts_with(&format!("{unlike}expected 'A' tag, not 'B'")));
    assert!(message(b"<PAL>\n<A>").starts_with(&format!("{unlike}the file ends within an element")));
    assert!(
        message(b"<?xml version='1.0'?>\n<!DOCTYPE PAL []><PAL/>")
            .starts_with(&format!("{unlike}a document type"))
    );
    assert_eq!(message(b""), "line 1: not XML as PAL writes it: there is no element in it");
}

#[test]
fn what_is_larger_than_any_threshold_file_is_refused_before_it_takes_memory() {
    assert!(matches!(import(&vec![b' '; (8 << 20) + 1], "x"), Err(PalError::TooLarge { .. })));
    let many = |part: &str, num: usize| format!("<PAL>\n{}</PAL>", part.repeat(num));
    // Nested as deep as the limit of nodes allows: neither the parser nor the walk recurses.
    let nested = format!("<PAL>{}{}</PAL>", "<A>".repeat(200_000), "</A>".repeat(200_000));
    assert_eq!(import(nested.as_bytes(), "x").map(|imported| imported.num_rules), Ok(0));
    for hostile in [
        many("<A/>", 600_000),
        format!("<PAL\n {}/>", (0..1_500).fold(String::new(), |all, n| format!("{all} a{n}=''"))),
        many("<A xmlns:b='c'/>", 200),
        many("<ANALYSIS><THRESHOLD/></ANALYSIS>", 6_000),
        file_of("")
            .replace("</ANALYSIS>", &format!("{}</ANALYSIS>", "<THRESHOLD CONDITION='x'/>".repeat(6_000))),
    ] {
        assert!(matches!(import(hostile.as_bytes(), "x"), Err(PalError::TooMany { .. })), "{hostile:.60}");
    }
}

#[test]
fn long_names_and_texts_are_cut() {
    let long = "x ".repeat(100_000);
    let xml = file_of("StaticThreshold $C gt 1")
        .replace("\"a\"", &format!("\"{long}\""))
        .replace("\"t\"", &format!("\"{long}\""))
        .replace("</ANALYSIS>", &format!("<DESCRIPTION>{long}</DESCRIPTION></ANALYSIS>"));
    let imported = import(xml.as_bytes(), &long).expect("a threshold file");
    assert_eq!(imported.num_rules, 1);
    assert!(imported.toml.len() < 12_000, "{}", imported.toml.len());
}

#[test]
fn texts_that_look_like_toml_stay_texts() {
    let evil = "\"\"\" ''' \\ \"\n[[rule]]\nid = 'x' # \u{202e}&#8;";
    let xml = file_of("StaticThreshold $C gt 1")
        .replace("</ANALYSIS>", &format!("<DESCRIPTION><![CDATA[{evil}]]></DESCRIPTION></ANALYSIS>"));
    let xml = xml.replace("NAME=\"n\"", "NAME='\"\"\"&#10;[[rule]]' CONTENTOWNERS='&#10;[[rule]]'");
    let imported = import(xml.as_bytes(), "a\n[b]'\"\".xml").expect("a threshold file");
    let table: Table = imported.toml.parse().expect("TOML");
    assert_eq!(table.len(), 2);
    let rules = table["rule"].as_array().expect("rules");
    assert_eq!(rules.len(), 1);
    let expected = "\"\"\" ''' \\ \" [[rule]] id = 'x' # \u{202e}";
    assert_eq!(rules[0]["explanation"].as_str(), Some(expected));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// The file with some of its bytes changed: an error, or TOML that has all of the rules.
    #[test]
    fn damaged_files_never_panic(changes in prop::collection::vec((0..WEB_SERVER.len(), any::<u8>()), 1..6)) {
        let mut bytes = WEB_SERVER.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        if let Ok(imported) = import(&bytes, "x.xml") {
            let table: Table = imported.toml.parse().expect("TOML");
            let num_rules = table.get("rule").and_then(|rules| rules.as_array()).map_or(0, Vec::len);
            prop_assert_eq!(num_rules, imported.num_rules);
        }
    }

    /// Any code: a rule with a finite threshold, or an entry.
    #[test]
    fn any_code_is_a_rule_or_an_entry(code in "(StaticThreshold|If|\\$C|-Op|-T|gt|'|\"|\\(|\\)|`|#|<#|;|\n| |[0-9.+*/%-]|MB|0x|\\[int\\]|\\PC){0,24}") {
        let xml = file_of(&code.replace("]]>", ""));
        if let Ok(imported) = import(xml.as_bytes(), "x.xml") {
            prop_assert_eq!(imported.num_rules == 0, imported.untranslated.len() == 1);
            imported.toml.parse::<Table>().expect("TOML");
        }
    }

    #[test]
    fn any_description_is_plain_text(html in "(<|>|</|<a href=|<p>|<li>|<br>|<script>|<!--|-->|&|&amp;|&#|;|x|'|\"|http://|\n|\\PC){0,40}") {
        let description = super::html::to_plain(&html);
        for link in &description.links {
            let is_web = link.to_lowercase().starts_with("http://") || link.to_lowercase().starts_with("https://");
            prop_assert!(is_web && !link.contains(['<', '>', '"', ' ']), "{}", link);
        }
        prop_assert!(!description.text().contains(|c: char| c.is_control() && c != '\n'));
        prop_assert!(!description.text().contains("\n\n\n"));
    }
}
