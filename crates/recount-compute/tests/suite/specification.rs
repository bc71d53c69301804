//! The specification lists what the code implements.

use recount_model::PREDEFINED;

#[test]
fn every_predefined_type_stands_in_the_specification() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../formats/counter-types.md");
    let text = std::fs::read_to_string(path).expect(path);
    for row in PREDEFINED {
        let line = format!("| {} | 0x{:08X} |", row.name, row.word);
        let line = text.lines().find(|found| found.starts_with(&line));
        let line = line.unwrap_or_else(|| panic!("{} {:#010X} isn't in {path}", row.name, row.word));
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells[5], row.unit, "unit of {}", row.name);
        let base = row.base.map_or(String::new(), |word| recount_model::CounterType(word).to_string());
        assert_eq!(
            cells[4],
            base.trim_start_matches("PERF_").trim_start_matches("COUNTER_"),
            "base of {}",
            row.name
        );
        let samples = if row.formula.needs_two_samples() { "2" } else { "1" };
        assert!(cells[2].is_empty() || cells[2] == samples, "samples of {}", row.name);
    }
}
