//! PAL's own threshold files: how much is translated, and that every rule passes the check.

use std::collections::BTreeMap;

use recount_analysis::rules::parse_rules;
use recount_pal::import;

/// At least this share of all thresholds in these files becomes rules.
const LEAST_SHARE: f64 = 0.95;

#[test]
#[ignore = "reads ../shared/data"]
fn thresholds_of_pal_become_rules_that_pass_the_check() {
    let folder = recount_testdata::shared_path("pal");
    let (mut num_thresholds, mut num_translated) = (0, 0);
    let mut left: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "xml") && !path.ends_with("CounterLang.xml")
        })
        .collect();
    names.sort();
    assert!(names.len() >= 27, "{names:?}");
    for path in names {
        let name = path.file_name().expect("a name").display().to_string();
        let bytes = std::fs::read(&path).expect("a file");
        for beside in [true, false] {
            let read = |other: &str| beside.then(|| std::fs::read(folder.join(other)).ok()).flatten();
            let imported = import(&bytes, &name, &read).unwrap_or_else(|error| panic!("{name}: {error}"));
            let set = parse_rules(&imported.toml).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
            assert_eq!(set.rules.len(), imported.num_rules, "{name}");
            if !beside {
                continue;
            }
            let file = &imported.files[0];
            num_thresholds += file.num_thresholds;
            num_translated += file.num_translated;
            let of_file = imported.untranslated.iter().filter(|entry| entry.file.is_none());
            let of_thresholds: Vec<_> = of_file.filter(|entry| entry.threshold.is_some()).collect();
            assert_eq!(file.num_thresholds, file.num_translated + of_thresholds.len(), "{name}");
            for entry in of_thresholds {
                let threshold = entry.threshold.as_deref().unwrap_or_default();
                let text =
                    format!("{name}:{}: {}, {threshold}: {}", entry.line, entry.analysis, entry.reason);
                left.entry(entry.kind).or_default().push(text);
            }
        }
    }
    assert!(
        num_translated as f64 >= LEAST_SHARE * num_thresholds as f64,
        "{num_translated} of {num_thresholds} thresholds; left: {left:#?}"
    );
}
