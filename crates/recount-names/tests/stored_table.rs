//! The table of names matches PAL's `CounterLang.xml`. `RECOUNT_BLESS=1` regenerates it.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use roxmltree::{Document, Node};

fn row(node: Node<'_, '_>, languages: &[&str]) -> String {
    let english = node.attribute("enUS").expect("an English name");
    let cell =
        |language: &&str| node.attribute(*language).filter(|name| *name != english).unwrap_or_default();
    let cells: Vec<&str> = std::iter::once(english).chain(languages.iter().map(cell)).collect();
    assert!(cells.iter().all(|cell| !cell.contains(['\t', '\n'])), "{cells:?}");
    cells.join("\t").trim_end_matches('\t').to_owned()
}

#[test]
#[ignore = "reads ../shared/data"]
fn the_table_is_that_of_pal() {
    let xml = String::from_utf8(recount_testdata::shared("pal/CounterLang.xml")).expect("UTF-8");
    let document = Document::parse(&xml).expect("XML");
    let all = || document.descendants().filter(|node| node.attribute("enUS").is_some());
    let is_used = |language: &&str| all().any(|node| node.attribute(*language) != node.attribute("enUS"));
    let first = all().next().expect("an object");
    let languages: Vec<&str> = first.attributes().map(|attribute| attribute.name()).filter(is_used).collect();
    let mut text = format!("enUS\t{}\n", languages.join("\t"));
    for node in all() {
        let blank = if node.has_tag_name("CounterName") { " " } else { "" };
        text.push_str(&format!("{blank}{}\n", row(node, &languages)));
    }
    if std::env::var_os("RECOUNT_BLESS").is_some() {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text.as_bytes()).expect("memory");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/counter-names.z");
        std::fs::write(path, encoder.finish().expect("memory")).expect(path);
        return;
    }
    assert!(recount_names::table_text() == text, "RECOUNT_BLESS=1 renews the table");
}
