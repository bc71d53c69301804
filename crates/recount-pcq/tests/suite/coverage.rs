//! "What covers what" of formats/ms-pcq.md: the tables are complete, as measured by the text of MS-PCQ, no
//! cell is empty, and every test that they name exists.

use std::collections::BTreeSet;

mod extract;
mod items;
mod page;

use items::Items;
use page::{Table, has_test, read_page, source, tables, tests_in};

/// The sections of the page whose tables name tests.
const SECTIONS: [&str; 2] = ["What the document leaves open", "What covers what"];

fn covering() -> Vec<Table> {
    let mut tables = tables(&read_page());
    tables.retain(|table| SECTIONS.contains(&table.section.as_str()));
    tables
}

/// The items of the table below a heading that state their word, name or number. The others are rules, and items
/// without a value in the document.
fn items_below(heading: &str, key: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let tables = covering();
    let mut of_heading = tables.iter().filter(|table| table.heading == heading);
    let table = of_heading.next().unwrap_or_else(|| panic!("no table below {heading:?}"));
    assert!(of_heading.next().is_none(), "two tables below {heading:?}");
    table.items().filter_map(key).collect()
}

/// Both hold the same, once each.
fn assert_same(heading: &str, found: &[String], expected: &[String]) {
    let set = |items: &[String]| items.iter().cloned().collect::<BTreeSet<_>>();
    let (found_set, expected_set) = (set(found), set(expected));
    let missing: Vec<_> = expected_set.difference(&found_set).collect();
    let surplus: Vec<_> = found_set.difference(&expected_set).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "{heading}: missing {missing:?}, surplus {surplus:?}");
    assert_eq!(found.len(), found_set.len(), "{heading}: a row is repeated");
}

fn whole(item: &str) -> Option<String> {
    item.starts_with('`').then(|| item.to_owned())
}

/// The number that an item begins with.
fn number(item: &str) -> Option<String> {
    item.split(' ').next().filter(|word| word.starts_with("0x") && word.len() > 4).map(str::to_owned)
}

#[test]
fn no_cell_is_empty() {
    let tables = covering();
    for section in SECTIONS {
        assert!(tables.iter().any(|table| table.section == section), "no table below {section:?}");
    }
    for Table { section, heading, header, rows } in &tables {
        assert_eq!(header.last().map(String::as_str), Some("test"), "{section}, {heading}");
        assert!(!rows.is_empty(), "{section}, {heading}: no rows");
        for row in rows {
            assert_eq!(row.len(), header.len(), "{section}, {heading}: {row:?}");
            assert!(row.iter().all(|cell| !cell.is_empty()), "{section}, {heading}: {row:?}");
            let named = row.last().map_or(0, |cell| tests_in(cell).count());
            assert!(named > 0, "{section}, {heading}: no test in {row:?}");
            let is_choice = section == SECTIONS[0];
            assert_eq!(row[1].starts_with("**choice**: "), is_choice, "{section}, {heading}: {row:?}");
        }
    }
}

#[test]
fn every_test_is_there() {
    let page = read_page();
    let named: BTreeSet<(&str, &str)> = tests_in(&page).collect();
    assert!(named.len() > 100, "{} tests", named.len());
    let faults = named.iter().filter_map(|(path, name)| match source(path) {
        Err(error) => Some(error),
        Ok(source) => (!has_test(&source, name)).then(|| format!("{path} has no test {name}")),
    });
    assert_eq!(faults.collect::<Vec<_>>(), [] as [String; 0]);
}

/// Checks the helper used by the test above.
#[test]
fn only_tests_are_tests() {
    let source = "
        /// A test.
        #[test]
        #[expect(clippy::unwrap_used, reason = \"...\")]
        fn plain() {}

        fn helper() {}
        // fn gone() {}
        #[test]
        #[ignore = \"slow\"]
        fn left_out() {}
        #[test]
        #[ignore = \"reads ../shared/data\"]
        fn stored() {}
        proptest! {
            #[test]
            fn with_arguments(x in 0..9) {}
        }";
    let names = ["plain", "helper", "gone", "left_out", "stored", "with_arguments", "plai"];
    let found: Vec<&str> = names.into_iter().filter(|name| has_test(source, name)).collect();
    assert_eq!(found, ["plain", "stored", "with_arguments"]);
}

#[test]
fn structures_and_fields_are_complete() {
    let structures = Items::read().structures();
    assert_eq!(structures.len(), 11);
    let names = structures.keys().map(|name| format!("`{name}`"));
    let types = ["RPC_HQUERY", "PRPC_HQUERY", "error_status_t"].map(|name| format!("`{name}`"));
    let heading = "Types and structures";
    assert_same(heading, &items_below(heading, whole), &names.chain(types).collect::<Vec<_>>());
    let fields = structures.iter().flat_map(|(name, fields)| {
        assert!(fields.len() >= 2, "{name}: {fields:?}");
        fields.iter().map(move |field| format!("`{name}.{field}`"))
    });
    assert_same("Fields", &items_below("Fields", whole), &fields.collect::<Vec<_>>());
}

#[test]
fn types_and_values_are_complete() {
    let document = Items::read();
    for (heading, key, expected, num) in [
        ("Counter types", whole as fn(&str) -> Option<String>, document.list("counter_types"), 34),
        ("Block types", whole, document.list("block_types"), 5),
        ("Request codes", number, document.list("request_codes"), 10),
        ("Attributes", number, document.list("attributes"), 5),
        ("Instance types", number, document.list("instance_types"), 6),
        ("Aggregate functions", number, document.list("aggregate_functions"), 5),
        ("Detail levels and scales", number, document.list("detail_levels"), 2),
    ] {
        assert_eq!(expected.len(), num, "{heading}: {expected:?}");
        assert_same(heading, &items_below(heading, key), &expected);
    }
}

#[test]
fn methods_and_their_codes_are_complete() {
    let document = Items::read();
    let methods = document.list("methods").into_iter().enumerate();
    let methods: Vec<String> = methods.map(|(opnum, name)| format!("`{name}` opnum {opnum}")).collect();
    assert_same("Methods", &items_below("Methods", whole), &methods);
    let (codes, statuses) = (document.list("return_codes"), document.list("statuses"));
    assert_eq!((codes.len(), statuses.len()), (33, 7));
    assert_same("Return codes", &items_below("Return codes", whole), &codes);
    let all_of = |item: &str| Some(item.to_owned());
    assert_same("Statuses of identifiers", &items_below("Statuses of identifiers", all_of), &statuses);
}

/// Tests that go over all counter types list them by their words.
#[test]
fn the_tests_of_a_counter_type_name_its_word() {
    let tables = covering();
    let types = tables.iter().find(|table| table.heading == "Counter types").expect("a table");
    for row in &types.rows {
        let word = row[0].split(' ').next_back().expect("a word");
        let literal = format!("{}_{}", &word[..6], &word[6..]);
        for (path, _) in tests_in(&row[3]) {
            let is_there = source(path).expect("a file").contains(&literal);
            assert!(is_there, "{path} doesn't name {literal}, of {}", row[0]);
        }
    }
}
