//! The rules that modules must obey so that `link.rs` can join them, and the test that they do.

use std::collections::BTreeMap;

use crate::Entry;
use crate::files::{File, MODULES};
use crate::link::{imports, resolved};

/// Words that begin a declaration.
const DECLARATIONS: [&str; 7] =
    ["const ", "let ", "var ", "class ", "function* ", "function ", "async function "];

/// The name that a line declares at the top level of its module, without `export`. For patterns (`const { a, b } = c`)
/// the result isn't a name.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let rest = DECLARATIONS.iter().find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|letter: char| !is_of_a_name(letter)).unwrap_or(rest.len());
    Some(&rest[..end])
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '$'
}

/// Everything by which modules break the rules.
fn faults(modules: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for &(path, text) in modules {
        for line in text.lines() {
            found.extend(fault_of(line).map(|fault| format!("{path}: {fault}: {line}")));
            let Some(name) = declared(line).filter(|name| !name.is_empty()) else { continue };
            if let Some(other) = owners.insert(name, path) {
                found.push(format!("{path}: {name} is declared in {other} as well"));
            }
        }
        for import in imports(text) {
            let from = resolved(path, import.from);
            let Some((_, other)) = modules.iter().find(|(one, _)| *one == from) else {
                found.push(format!("{path}: there is no module {from}"));
                continue;
            };
            for name in import.names {
                if !exports(other, name) {
                    found.push(format!("{path}: {from} doesn't export {name}"));
                }
            }
        }
    }
    found.extend(
        modules
            .iter()
            .filter_map(|(path, _)| circle(modules, &mut vec![(*path).to_owned()], &mut Vec::new())),
    );
    found
}

fn exports(text: &str, name: &str) -> bool {
    text.lines().any(|line| line.starts_with("export ") && declared(line) == Some(name))
}

/// The kind of a line that joining doesn't support.
fn fault_of(line: &str) -> Option<&'static str> {
    if line.starts_with("import") {
        let is_known = imports(line).next().is_some_and(|import| {
            import.from.starts_with('.') && import.names.iter().all(|name| name.chars().all(is_of_a_name))
        });
        return (!is_known).then_some("imports are of the form: import { a, b } from \"./c.js\";");
    }
    if line.starts_with("export") && declared(line).is_none() {
        return Some("only declarations are exported");
    }
    if declared(line) == Some("") {
        return Some("a declaration at the top level has one name");
    }
    (!line.trim_start().starts_with("//") && line.contains("import(") && !line.contains("* "))
        .then_some("imports are static")
}

/// The first cycle of imports back to the start of a path, except through modules already seen.
fn circle(modules: &[File], path: &mut Vec<String>, seen: &mut Vec<String>) -> Option<String> {
    let last = path.last()?.clone();
    let (_, text) = modules.iter().find(|(one, _)| *one == last)?;
    for import in imports(text) {
        let next = resolved(&last, import.from);
        if next == path[0] {
            return Some(format!("{}: imports itself by way of {}", path[0], path[1..].join(", ")));
        }
        if seen.contains(&next) {
            continue;
        }
        seen.push(next.clone());
        path.push(next);
        if let Some(found) = circle(modules, path, seen) {
            return Some(found);
        }
        path.pop();
    }
    None
}

#[test]
fn modules_can_be_joined() {
    assert_eq!(faults(MODULES), Vec::<String>::new());
}

#[test]
fn entries_are_modules() {
    for entry in Entry::ALL {
        assert!(MODULES.iter().any(|(path, _)| *path == entry.module()), "{entry:?}");
    }
}

fn assert_fault(modules: &[File], expected: &str) {
    let found = faults(modules);
    assert!(found.iter().any(|fault| fault.contains(expected)), "no {expected:?} in {found:?}");
}

#[test]
fn faults_are_found() {
    let one = |text| [("a.js", text), ("b.js", "export const b = 1;\nconst inner = 2;\n")];
    assert_eq!(faults(&one("import { b } from \"./b.js\";\nexport const a = b;\n")), Vec::<String>::new());
    assert_fault(&one("function inner() {\n}\n"), "inner is declared in a.js as well");
    assert_fault(&one("export async function b() {\n}\n"), "b is declared in a.js as well");
    assert_fault(&one("import { inner } from \"./b.js\";\ninner();\n"), "b.js doesn't export inner");
    assert_fault(&one("import { c } from \"./c.js\";\n"), "there is no module c.js");
    for line in [
        "import b from \"./b.js\";",
        "import { b as c } from \"./b.js\";",
        "import \"./b.js\";",
        "import {",
        "import { b } from \"b\";",
    ] {
        assert_fault(&one(line), "imports are of the form");
    }
    for line in ["export default 1;", "export { a };", "export * from \"./b.js\";"] {
        assert_fault(&one(line), "only declarations are exported");
    }
    assert_fault(&one("const { x, y } = z;\n"), "has one name");
    assert_fault(&one("  const x = await import(\"./b.js\");\n"), "imports are static");
}

#[test]
fn circles_are_found() {
    let modules = [
        ("a.js", "import { b } from \"./b.js\";\nexport const a = b;\n"),
        ("b.js", "import { c } from \"./c.js\";\nexport const b = c;\n"),
        ("c.js", "import { a } from \"./a.js\";\nexport const c = a;\n"),
    ];
    assert_fault(&modules, "a.js: imports itself by way of b.js, c.js");
}
