//! What MS-PCQ lists: names, words and numbers, kept in `items.json` next to this file.
//!
//! `RECOUNT_BLESS=1` extracts them again from the text of the document, which is with the shared data.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::extract::Document;

/// The lists, by their subject.
pub(crate) struct Items(Value);

impl Items {
    pub(crate) fn read() -> Items {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/coverage/items.json");
        if std::env::var_os("RECOUNT_BLESS").is_some() {
            let text = serde_json::to_string_pretty(&extracted()).expect("JSON");
            std::fs::write(&path, text + "\n").expect("renewing");
        }
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Items(serde_json::from_str(&text).expect("JSON"))
    }

    /// The fields of each structure.
    pub(crate) fn structures(&self) -> BTreeMap<String, Vec<String>> {
        let structures = self.0["structures"].as_object().expect("structures");
        structures.iter().map(|(name, fields)| (name.clone(), strings(fields))).collect()
    }

    /// One of the other lists.
    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        strings(&self.0[name])
    }
}

fn strings(list: &Value) -> Vec<String> {
    let items = list.as_array().expect("a list");
    items.iter().map(|item| item.as_str().expect("a text").to_owned()).collect()
}

fn extracted() -> Value {
    let document = Document::read();
    let methods: Vec<String> = document.methods().into_iter().map(|(name, _)| name).collect();
    json!({
        "structures": document.structures(),
        "counter_types": document.types(),
        "block_types": document.block_types(),
        "request_codes": document.request_codes(),
        "attributes": document.attributes(),
        "instance_types": document.instance_types(),
        "aggregate_functions": document.aggregate_functions(),
        "detail_levels": document.detail_levels(),
        "methods": methods,
        "return_codes": document.return_codes(),
        "statuses": document.statuses(),
    })
}
