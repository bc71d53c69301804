//! Lists the files below `page/`, so that a new one needs no line anywhere: `src/files.rs` includes the lists.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Each list with the extension of its files, in the order of their paths.
const LISTS: [(&str, &str, &str); 3] = [
    ("STYLES", "css", "In the order of their names, in which later rules win over earlier ones."),
    ("MODULES", "js", "All modules; which of them a page has, its entry says."),
    ("TEMPLATES", "html", "All templates."),
];

/// The chart library, which isn't ours.
const NOT_OURS: &str = "uplot";

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("page");
    println!("cargo::rerun-if-changed=page");
    let mut code = String::new();
    for (name, extension, what) in LISTS {
        let mut files = Vec::new();
        collect(&root, extension, &mut files)?;
        let mut named = Vec::new();
        for file in &files {
            let inside: Option<Vec<&str>> =
                file.strip_prefix(&root)?.iter().map(|part| part.to_str()).collect();
            let place = file.to_str().ok_or("a path in UTF-8")?;
            named.push((inside.ok_or("a path in UTF-8")?.join("/"), place));
        }
        named.sort();
        writeln!(code, "/// {what}\npub(crate) const {name}: &[File] = &[")?;
        for (inside, file) in named {
            writeln!(code, "    ({inside:?}, include_str!({file:?})),")?;
        }
        writeln!(code, "];\n")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("files.rs"), code)?;
    Ok(())
}

/// Our files below a folder that have an extension.
fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with(NOT_OURS) {
                collect(&path, extension, files)?;
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    Ok(())
}
