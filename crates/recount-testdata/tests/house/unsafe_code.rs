//! `unsafe` is denied but in the files that CONTRIBUTING.md names.

use crate::{crates, named, read, sources_below, workspace};

#[test]
fn files_with_unsafe_code_are_named() {
    let mut paths = Vec::new();
    for folder in crates() {
        sources_below(&folder, &mut paths);
    }
    // Built by Cargo, not written.
    paths.retain(|path| !path.iter().any(|part| part == "target"));
    let exempt = concat!("(unsafe", "_code");
    let mut with_unsafe: Vec<String> =
        paths.iter().filter(|path| read(path).contains(exempt)).map(|path| named(path)).collect();
    with_unsafe.sort();

    let text = read(&workspace().join("CONTRIBUTING.md"));
    let (_, list) = text.split_once("`unsafe` is denied").expect("the rule");
    let (list, _) = list.split_once("\n\n").expect("its end");
    let mut listed: Vec<&str> = list.split('`').filter(|part| part.strip_suffix(".rs").is_some()).collect();
    listed.sort_unstable();
    assert_eq!(with_unsafe, listed, "CONTRIBUTING.md, \"Errors, output, panics\"");
}
