//! A directory's record of the captures that were converted into it: one line of text per event. The last line of an
//! output counts. A line that was cut off is ignored.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use recount_output::{Access, OutputError, write_aside};

use crate::files::walk::Stamp;

/// Hidden, so that the directory can be read as one of captures.
const NAME: &str = ".recount-converted";
const HEAD: &str = "# Of `recount convert --new-only`: size, time of change (microseconds since 1970), key of versions and options, output. \
                    The last line of an output counts; - is one that was begun, and none after the key one without counters.\n";

/// The record kept in a directory.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// What the last line of each output says, by the output's name.
    known: HashMap<String, String>,
    /// The key of the settings.
    key: String,
}

impl Journal {
    /// Reads the existing record. It lists names of captures: it gets no more than `access`, theirs.
    pub(super) fn open(directory: &Path, key: &str, access: &Access) -> Result<Journal, OutputError> {
        let path = directory.join(NAME);
        let failed = |source| OutputError::Io { path: path.clone(), source };
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let said =
            lines.clone().filter(|line| !line.starts_with('#')).filter_map(|line| line.rsplit_once('\t'));
        let known: HashMap<String, String> =
            said.map(|(what, output)| (output.to_owned(), what.to_owned())).collect();
        // Also if the last line was cut off: the next line must not be read as part of it.
        if text.is_empty() || !text.ends_with('\n') || lines.count() > 4 * known.len() + 100 {
            let line = |(output, what): (&String, &String)| format!("{what}\t{output}\n");
            let text = HEAD.to_owned() + &known.iter().map(line).collect::<String>();
            write_aside(&path, true, access, text.as_bytes())?;
        }
        access.limit(&path).map_err(failed)?;
        let file = File::options().append(true).open(&path).map_err(failed)?;
        Ok(Journal { path, file, known, key: key.to_owned() })
    }

    /// Whether this run or an earlier one began an output.
    pub(super) fn knows(&self, output: &str) -> bool {
        self.known.contains_key(&name_of(output))
    }

    /// Whether an output was made from the source in its current state, with these settings.
    pub(super) fn has(&self, output: &str, source: Stamp) -> bool {
        self.known.get(&name_of(output)).is_some_and(|known| *known == self.line(source))
    }

    /// Whether the source in its current state has none of the counters.
    pub(super) fn has_nothing(&self, output: &str, source: Stamp) -> bool {
        self.known.get(&name_of(output)).is_some_and(|known| *known == self.line_of_nothing(source))
    }

    /// The outputs that this run or an earlier one began, in any order.
    pub(super) fn outputs(&self) -> impl Iterator<Item = String> {
        self.known.keys().filter_map(|name| unquoted(name))
    }

    pub(super) fn begin(&mut self, output: &str) -> Result<(), OutputError> {
        self.write(output, "-".to_owned())
    }

    pub(super) fn done(&mut self, output: &str, source: Stamp) -> Result<(), OutputError> {
        self.write(output, self.line(source))
    }

    pub(super) fn done_with_nothing(&mut self, output: &str, source: Stamp) -> Result<(), OutputError> {
        self.write(output, self.line_of_nothing(source))
    }

    fn line_of_nothing(&self, source: Stamp) -> String {
        self.line(source) + "\tnone"
    }

    fn line(&self, source: Stamp) -> String {
        format!("{}\t{}\t{}", source.size, source.modified, self.key)
    }

    fn write(&mut self, output: &str, what: String) -> Result<(), OutputError> {
        let name = name_of(output);
        let written = self.file.write_all(format!("{what}\t{name}\n").as_bytes());
        written.map_err(|source| OutputError::Io { path: self.path.clone(), source })?;
        self.known.insert(name, what);
        Ok(())
    }
}

/// A name in quotes, without tabs and line ends.
fn name_of(output: &str) -> String {
    let mut name = String::from('"');
    for c in output.chars() {
        match c {
            '\t' => name.push_str(r"\t"),
            '\n' => name.push_str(r"\n"),
            '\r' => name.push_str(r"\r"),
            '"' | '\\' => name.extend(['\\', c]),
            c => name.push(c),
        }
    }
    name.push('"');
    name
}

/// What [`name_of`] was made from; `None` if it wasn't.
fn unquoted(name: &str) -> Option<String> {
    let inner = name.strip_prefix('"')?.strip_suffix('"')?;
    let mut output = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        output.push(match c {
            '\\' => match chars.next()? {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                other => other,
            },
            c => c,
        });
    }
    // A name that leads elsewhere isn't one of ours.
    let is_below = Path::new(&output).components().all(|part| matches!(part, Component::Normal(_)));
    is_below.then_some(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(directory: &Path, key: &str) -> Result<Journal, OutputError> {
        Journal::open(directory, key, &Access::default())
    }

    const STAMP: Stamp = Stamp { size: 7, modified: 1_000_000 };

    #[test]
    fn the_last_whole_line_counts() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut journal = open(directory.path(), "as it is").expect("new");
        assert!(!journal.knows("a\tb\n"));
        journal.begin("a\tb\n").expect("written");
        assert!(journal.knows("a\tb\n") && !journal.has("a\tb\n", STAMP));
        journal.done("a\tb\n", STAMP).expect("written");
        let has = |settings: &str, stamp| {
            let journal = open(directory.path(), settings).expect("read");
            journal.has("a\tb\n", stamp)
        };
        assert!(has("as it is", STAMP));
        assert!(!has("otherwise", STAMP) && !has("as it is", Stamp { size: 8, ..STAMP }));
        // A write cut off at every possible place.
        let path = directory.path().join(NAME);
        let whole = fs::read(&path).expect("read");
        for len in 0..whole.len() {
            fs::write(&path, &whole[..len]).expect("written");
            assert!(!has("as it is", STAMP), "{len}");
            let mut journal = open(directory.path(), "as it is").expect("read");
            journal.done("other", STAMP).expect("written");
            assert!(open(directory.path(), "as it is").expect("read").has("other", STAMP), "{len}");
        }
    }

    #[test]
    fn names_are_in_one_line() {
        assert_eq!(name_of("web1/monday.blg.parquet"), "\"web1/monday.blg.parquet\"");
        assert_eq!(name_of("a\tb\nc\rd\\\"é"), r#""a\tb\nc\rd\\\"é""#);
        for name in ["web1/monday.blg.parquet", "a\tb\nc\rd\\\"é", "\\t"] {
            assert_eq!(unquoted(&name_of(name)).as_deref(), Some(name));
        }
        for name in ["", "\"", "\"../x\"", "\"/etc/passwd\"", "\"a\\\""] {
            assert_eq!(unquoted(name), None, "{name}");
        }
    }

    #[test]
    fn old_lines_go() {
        let directory = tempfile::tempdir().expect("a directory");
        for round in 0..3 {
            let mut journal = open(directory.path(), "").expect("read");
            for modified in 0..200 {
                journal.done("a", Stamp { size: round, modified }).expect("written");
            }
        }
        let text = fs::read_to_string(directory.path().join(NAME)).expect("read");
        assert_eq!(text.lines().count(), 2 + 200);
        let journal = open(directory.path(), "").expect("read");
        assert!(journal.has("a", Stamp { size: 2, modified: 199 }));
    }

    #[cfg(unix)]
    #[test]
    fn it_is_as_private_as_the_captures() {
        use std::os::unix::fs::PermissionsExt;

        let directory = tempfile::tempdir().expect("a directory");
        let capture = directory.path().join("a.blg");
        fs::write(&capture, "").expect("written");
        let path = directory.path().join(NAME);
        for mode in [0o644, 0o640, 0o600] {
            fs::set_permissions(&capture, fs::Permissions::from_mode(mode)).expect("set");
            // Also a record that was there before.
            Journal::open(directory.path(), "", &Access::of([&capture])).expect("read");
            let found = path.metadata().expect("there").permissions().mode() & 0o777;
            assert_eq!(found & !mode, 0, "{found:o} {mode:o}");
        }
    }
}
