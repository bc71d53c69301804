//! Joins modules into one script.
//!
//! No name is changed: imports use the exporting module's own names, and no two modules share a name at their top
//! level. So it is enough to put modules after those that they import, and to leave out the words `import` and
//! `export`. `faults.rs` tests that modules obey the rules for this.

use crate::files::File;

/// The text of an entry and of all that it needs, each module after those that it imports.
pub(crate) fn linked(modules: &[File], entry: &str) -> String {
    let mut order = Vec::new();
    visit(modules, entry, &mut Vec::new(), &mut order);
    order.into_iter().map(|(_, text)| plain(text)).collect()
}

/// Adds a module after those that it imports.
fn visit<'a>(
    modules: &[(&'a str, &'a str)],
    path: &str,
    seen: &mut Vec<String>,
    order: &mut Vec<(&'a str, &'a str)>,
) {
    if seen.iter().any(|one| one == path) {
        return;
    }
    seen.push(path.to_owned());
    let Some(&module) = modules.iter().find(|(one, _)| *one == path) else { return };
    for import in imports(module.1) {
        visit(modules, &resolved(path, import.from), seen, order);
    }
    order.push(module);
}

/// `import { names } from "from";`
#[derive(Debug, PartialEq)]
pub(crate) struct Import<'a> {
    pub(crate) names: Vec<&'a str>,
    /// Path from the folder of the module that imports.
    pub(crate) from: &'a str,
}

/// The imports of a module, each of which is on one line.
pub(crate) fn imports(text: &str) -> impl Iterator<Item = Import<'_>> {
    text.lines().filter_map(import)
}

fn import(line: &str) -> Option<Import<'_>> {
    let (names, from) = line.strip_prefix("import { ")?.strip_suffix("\";")?.split_once(" } from \"")?;
    Some(Import { names: names.split(", ").collect(), from })
}

/// The path of `from` as a module at `path` sees it.
pub(crate) fn resolved(path: &str, from: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in from.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// A module without its imports, and without the word `export`.
fn plain(text: &str) -> String {
    let lines = text.lines().filter(|line| import(line).is_none());
    lines.flat_map(|line| [line.strip_prefix("export ").unwrap_or(line), "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_after_what_they_import_and_once() {
        let modules = [
            ("page.js", "import { b } from \"./parts/b.js\";\nimport { a } from \"./parts/a.js\";\nb(a);\n"),
            ("parts/a.js", "export const a = 1;\n"),
            (
                "parts/b.js",
                "// Of b.\nimport { a } from \"../parts/a.js\";\nexport function b(x) {\n  return a + x;\n}\n",
            ),
            ("parts/c.js", "export const c = 3;\n"),
        ];
        let expected = "const a = 1;\n// Of b.\nfunction b(x) {\n  return a + x;\n}\nb(a);\n";
        assert_eq!(linked(&modules, "page.js"), expected);
    }

    #[test]
    fn a_circle_ends() {
        let modules =
            [("a.js", "import { b } from \"./b.js\";\na\n"), ("b.js", "import { a } from \"./a.js\";\nb\n")];
        assert_eq!(linked(&modules, "a.js"), "b\na\n");
    }

    #[test]
    fn paths_are_seen_from_the_folder_of_who_imports() {
        assert_eq!(resolved("chart/chart.js", "./lines.js"), "chart/lines.js");
        assert_eq!(resolved("chart/chart.js", "../text/numbers.js"), "text/numbers.js");
        assert_eq!(resolved("page.js", "./text/numbers.js"), "text/numbers.js");
    }

    #[test]
    fn words_in_the_text_stay() {
        let module = [("a.js", "  // import { b } from \"./b.js\";\nconst exported = \"export const\";\n")];
        assert_eq!(linked(&module, "a.js"), module[0].1);
    }
}
