//! Extracts the lists of MS-PCQ from its text, one long line in which tables have no borders. Used to update
//! `items.json`.

use std::collections::BTreeMap;

use recount_pcq::ReturnCode;

pub(crate) struct Document(String);

impl Document {
    pub(crate) fn read() -> Document {
        let path = recount_testdata::shared_path("").join("../seeds/ms-pcq.txt");
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Document(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The text between two texts, which must both exist.
    fn between(&self, start: &str, end: &str) -> &str {
        let (_, behind) = self.0.split_once(start).unwrap_or_else(|| panic!("{start:?} isn't there"));
        behind.split_once(end).unwrap_or_else(|| panic!("{end:?} isn't behind {start:?}")).0
    }

    /// The fields of each structure: of the form `typedef struct?NAME?{ TYPE?FIELD; TYPE?FIELD;} ...`.
    pub(crate) fn structures(&self) -> BTreeMap<String, Vec<String>> {
        let declared = self.0.split("typedef struct").skip(1).map(|behind| {
            let (name, behind) = behind.split_once('{').expect("fields");
            let (fields, _) = behind.split_once('}').expect("an end");
            let fields = fields.split(';').filter_map(|field| words(field).next_back().map(str::to_owned));
            (words(name).next().expect("a name").to_owned(), fields.collect())
        });
        declared.collect()
    }

    /// Counter types and words of 2.2.4.2.
    pub(crate) fn types(&self) -> Vec<String> {
        named(self.between("typedef struct?_PERF_COUNTER_REG_INFO", "Attrib:??The counter attributes"))
    }

    /// Block types of 2.2.4.8.
    pub(crate) fn block_types(&self) -> Vec<String> {
        named(self.between(
            "dwType:??The performance counter type",
            "dwSize:??The size, in bytes, of the structure and data",
        ))
    }

    /// 2.2.4.2.
    pub(crate) fn attributes(&self) -> Vec<String> {
        values::<16>(self.between("Attrib:??The counter attributes", "Note that only certain combinations"))
    }

    /// 2.2.4.1.
    pub(crate) fn instance_types(&self) -> Vec<String> {
        values::<8>(self.between("InstanceType:??There can be", "Not implemented."))
    }

    /// 2.2.4.1.
    pub(crate) fn detail_levels(&self) -> Vec<String> {
        values::<8>(self.between("DetailLevel:??The detail level of the counterset", "NumCounters:??"))
    }

    /// 2.2.4.2.
    pub(crate) fn aggregate_functions(&self) -> Vec<String> {
        values::<8>(self.between("AggregateFunc:??The aggregation", "Reserved:??This is a reserved field"))
    }

    /// 3.1.4.1.2.
    pub(crate) fn request_codes(&self) -> Vec<String> {
        values::<8>(self.between("RequestCode: The type of information", "RequestLCID: When the value"))
    }

    /// The methods by opnum, and what 3.1.4.1 says of each. The table of contents has the headings, too, but
    /// without a following index entry (`XE`).
    pub(crate) fn methods(&self) -> Vec<(String, &str)> {
        let headings = (0..8).map(|opnum| {
            let ofs = self.0.find(&format!(" (Opnum {opnum}) XE")).expect("a heading");
            (self.0[..ofs].rfind("PerflibV2").expect("a name"), ofs)
        });
        let headings: Vec<(usize, usize)> = headings.collect();
        let end = self.0.find("Timer Events XE \"Server:timer events\"").expect("the section behind");
        let text = |ofs: usize| {
            let ends = headings.iter().map(|(start, _)| *start).chain([end]);
            &self.0[ofs..ends.filter(|end| *end > ofs).min().expect("an end")]
        };
        headings.iter().map(|&(start, ofs)| (self.0[start..ofs].to_owned(), text(ofs))).collect()
    }

    /// Methods with their return codes.
    pub(crate) fn return_codes(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (method, text) in self.methods() {
            let own = text.split_once(STATUSES).map_or(text, |(before, _)| before);
            all.extend(codes(own).iter().map(|code| format!("`{method}` {code}")));
        }
        all
    }

    /// What `Status` may be after `PerflibV2ValidateCounters`.
    pub(crate) fn statuses(&self) -> Vec<String> {
        codes(self.methods()[7].1.split_once(STATUSES).expect("statuses").1)
    }
}

/// Stands before the table of statuses.
const STATUSES: &str = "then it MUST be one of the following values";

/// Words, which question marks part like spaces: they were spaces once.
fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| c == '?' || c.is_whitespace()).filter(|word| !word.is_empty())
}

/// Numbers with this many hexadecimal digits, each with the text before and after it. The following text may
/// look like another digit.
fn numbers<const LEN: usize>(text: &str) -> impl Iterator<Item = (&str, String, &str)> {
    let places = text.match_indices(['x', 'X']).map(|(ofs, _)| ofs);
    places.filter_map(move |ofs| {
        let before = text[..ofs].strip_suffix('0')?;
        let digits = text.get(ofs + 1..ofs + 1 + LEN)?;
        let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_number.then(|| (before, format!("0x{}", digits.to_uppercase()), &text[ofs + 1 + LEN..]))
    })
}

fn values<const LEN: usize>(text: &str) -> Vec<String> {
    numbers::<LEN>(text).map(|(_, number, _)| number).collect()
}

/// The name in capitals at the end of a text.
fn name_at_end(text: &str) -> &str {
    let text = text.trim_end();
    let is_other = |c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    text.rfind(is_other).map_or(text, |ofs| &text[ofs + 1..])
}

/// Numbers with the names before them.
fn named(text: &str) -> Vec<String> {
    numbers::<8>(text).map(|(before, number, _)| format!("`{}` {number}", name_at_end(before))).collect()
}

/// Error codes: their names come after or before them.
fn codes(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (before, number, behind) in numbers::<8>(text) {
        let is_code = behind.starts_with("ERROR_") || name_at_end(before).starts_with("ERROR_");
        if !is_code {
            continue;
        }
        let code = ReturnCode(u32::from_str_radix(&number[2..], 16).expect("digits"));
        // Some names are broken by a space, and success has a different name among the statuses.
        let behind: String = behind.chars().take(40).filter(|c| *c != ' ').collect();
        let name = code.to_string();
        let is_known =
            behind.starts_with(&name) || name_at_end(before) == name || behind.starts_with("ERROR_STATUS");
        assert!(is_known, "{number} isn't called {name}: {behind}");
        all.push(format!("{number} {name}"));
    }
    all
}
