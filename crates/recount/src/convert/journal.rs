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
const HEAD: &str = "# Of `recount convert --new-only`: size, time of change (microseconds since 1970), key of versions and options, \
                    size and time of the output (after @), capture, output. \
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
    /// Whether a file of this name was there, and isn't a record.
    is_unreadable: bool,
}

impl Journal {
    /// Reads the existing record. It lists names of captures: it gets no more than `access`, theirs.
    pub(super) fn open(directory: &Path, key: &str, access: &Access) -> Result<Journal, OutputError> {
        let path = directory.join(NAME);
        let failed = |source| OutputError::Io { path: path.clone(), source };
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(failed(error)),
        };
        // A line that was cut off may end within a character.
        let is_text = match std::str::from_utf8(&bytes) {
            Ok(text) => !text.contains('\0'),
            Err(error) => error.error_len().is_none(),
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let said =
            lines.clone().filter(|line| !line.starts_with('#')).filter_map(|line| line.rsplit_once('\t'));
        let is_unreadable =
            !is_text || (!text.is_empty() && !text.starts_with('#') && said.clone().next().is_none());
        let known: HashMap<String, String> =
            said.map(|(what, output)| (output.to_owned(), what.to_owned())).collect();
        // Also if the last line was cut off: the next line must not be read as part of it.
        if text.is_empty() || is_unreadable || !text.ends_with('\n') || lines.count() > 4 * known.len() + 100
        {
            let line = |(output, what): (&String, &String)| format!("{what}\t{output}\n");
            let text = HEAD.to_owned() + &known.iter().map(line).collect::<String>();
            write_aside(&path, true, access, text.as_bytes())?;
        }
        access.limit(&path).map_err(failed)?;
        let file = File::options().append(true).open(&path).map_err(failed)?;
        Ok(Journal { path, file, known, key: key.to_owned(), is_unreadable })
    }

    /// Its path, if a file of this name was there and isn't a record.
    pub(super) fn unreadable(&self) -> Option<&Path> {
        self.is_unreadable.then_some(&self.path)
    }

    /// Whether this run or an earlier one began an output.
    pub(super) fn knows(&self, output: &str) -> bool {
        self.known.contains_key(&name_of(output))
    }

    /// Whether an output was made from the source in its current state, with these settings.
    pub(super) fn has(&self, output: &str, source: Stamp) -> bool {
        self.known.get(&name_of(output)).is_some_and(|known| Said::of(known).what == self.line(source))
    }

    /// Whether the source in its current state has none of the counters.
    pub(super) fn has_nothing(&self, output: &str, source: Stamp) -> bool {
        self.known
            .get(&name_of(output))
            .is_some_and(|known| Said::of(known).what == self.line_of_nothing(source))
    }

    /// The capture that an output was made from last; `None` if a version that didn't record it made it.
    pub(super) fn source(&self, output: &str) -> Option<PathBuf> {
        Said::of(self.known.get(&name_of(output))?).source.map(PathBuf::from)
    }

    /// The output as it was left: `None` if a version that didn't record it made it.
    pub(super) fn made(&self, output: &str) -> Option<Stamp> {
        Said::of(self.known.get(&name_of(output))?).made
    }

    /// The outputs that this run or an earlier one began, in any order.
    pub(super) fn outputs(&self) -> impl Iterator<Item = String> {
        let is_below = |output: &String| {
            // A name that leads elsewhere isn't one of ours.
            Path::new(output).components().all(|part| matches!(part, Component::Normal(_)))
        };
        self.known.keys().filter_map(move |name| unquoted(name).filter(is_below))
    }

    pub(super) fn begin(&mut self, output: &str, capture: &Path) -> Result<(), OutputError> {
        self.write(output, &format!("-\t{}", name_of(&capture.to_string_lossy())))
    }

    /// `made` is the output as it is now.
    pub(super) fn done(
        &mut self,
        output: &str,
        (capture, source): (&Path, Stamp),
        made: Option<Stamp>,
    ) -> Result<(), OutputError> {
        let made = made.map_or_else(String::new, |made| format!("\t@{},{}", made.size, made.modified));
        self.write(output, &format!("{}{made}\t{}", self.line(source), name_of(&capture.to_string_lossy())))
    }

    pub(super) fn done_with_nothing(
        &mut self,
        output: &str,
        (capture, source): (&Path, Stamp),
    ) -> Result<(), OutputError> {
        self.write(
            output,
            &format!("{}\t{}", self.line_of_nothing(source), name_of(&capture.to_string_lossy())),
        )
    }

    fn line_of_nothing(&self, source: Stamp) -> String {
        self.line(source) + "\tnone"
    }

    fn line(&self, source: Stamp) -> String {
        format!("{}\t{}\t{}", source.size, source.modified, self.key)
    }

    fn write(&mut self, output: &str, what: &str) -> Result<(), OutputError> {
        let name = name_of(output);
        let written = self.file.write_all(format!("{what}\t{name}\n").as_bytes());
        written.map_err(|source| OutputError::Io { path: self.path.clone(), source })?;
        self.known.insert(name, what.to_owned());
        Ok(())
    }
}

/// What a line says of an output.
struct Said<'a> {
    /// State of the capture, key of the settings, and whether there was nothing.
    what: &'a str,
    made: Option<Stamp>,
    source: Option<String>,
}

impl<'a> Said<'a> {
    /// The parts of a line before the output's name. Lines of older versions have the first only.
    fn of(line: &'a str) -> Said<'a> {
        let (rest, source) = match line.rsplit_once('\t') {
            Some((rest, quoted)) if quoted.starts_with('"') => (rest, unquoted(quoted)),
            _ => (line, None),
        };
        let stamp = |text: &str| {
            let (size, modified) = text.strip_prefix('@')?.split_once(',')?;
            Some(Stamp { size: size.parse().ok()?, modified: modified.parse().ok()? })
        };
        match rest.rsplit_once('\t').map(|(what, last)| (what, stamp(last))) {
            Some((what, Some(made))) => Said { what, made: Some(made), source },
            _ => Said { what: rest, made: None, source },
        }
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
    Some(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(directory: &Path, key: &str) -> Result<Journal, OutputError> {
        Journal::open(directory, key, &Access::default())
    }

    const STAMP: Stamp = Stamp { size: 7, modified: 1_000_000 };
    const MADE: Stamp = Stamp { size: 9, modified: 2_000_000 };
    const FROM: &str = "/captures/a\tb\n";

    #[test]
    fn the_last_whole_line_counts() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut journal = open(directory.path(), "as it is").expect("new");
        assert!(!journal.knows("a\tb\n"));
        journal.begin("a\tb\n", FROM.as_ref()).expect("written");
        assert!(journal.knows("a\tb\n") && !journal.has("a\tb\n", STAMP));
        journal.done("a\tb\n", (FROM.as_ref(), STAMP), Some(MADE)).expect("written");
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
            journal.done("other", (FROM.as_ref(), STAMP), None).expect("written");
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
        for name in ["", "\"", "\"a\\\""] {
            assert_eq!(unquoted(name), None, "{name}");
        }
        // A name that leads elsewhere isn't that of an output.
        let directory = tempfile::tempdir().expect("a directory");
        let lines = "#\n1\t2\tkey\t\"../x\"\n1\t2\tkey\t\"/etc/passwd\"\n1\t2\tkey\t\"x\"\n";
        fs::write(directory.path().join(NAME), lines).expect("written");
        let journal = open(directory.path(), "key").expect("read");
        assert_eq!(journal.outputs().collect::<Vec<_>>(), ["x"]);
    }

    #[test]
    fn lines_of_all_versions_are_read() {
        let said = |line| {
            let Said { what, made, source } = Said::of(line);
            (what.to_owned(), made, source)
        };
        assert_eq!(said("1\t2\tkey"), ("1\t2\tkey".to_owned(), None, None));
        assert_eq!(said("1\t2\tkey\tnone"), ("1\t2\tkey\tnone".to_owned(), None, None));
        let directory = tempfile::tempdir().expect("a directory");
        let mut journal = open(directory.path(), "key").expect("new");
        journal.done("a", (FROM.as_ref(), STAMP), Some(MADE)).expect("written");
        journal.done_with_nothing("b", (FROM.as_ref(), STAMP)).expect("written");
        journal.begin("c", FROM.as_ref()).expect("written");
        let journal = open(directory.path(), "key").expect("read");
        assert!(journal.has("a", STAMP) && journal.has_nothing("b", STAMP) && !journal.has("c", STAMP));
        assert_eq!((journal.made("a"), journal.made("b")), (Some(MADE), None));
        for output in ["a", "b", "c"] {
            assert_eq!(journal.source(output), Some(PathBuf::from(FROM)));
        }
    }

    #[test]
    fn old_lines_go() {
        let directory = tempfile::tempdir().expect("a directory");
        for round in 0..3 {
            let mut journal = open(directory.path(), "").expect("read");
            for modified in 0..200 {
                journal.done("a", (FROM.as_ref(), Stamp { size: round, modified }), None).expect("written");
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
