//! Which files may be read and written.

use std::collections::BTreeSet;
use std::fs::FileType;
use std::path::{Component, Path, PathBuf};

use crate::ServeError;
use crate::plain;
use crate::refusal::{Refusal, shown};

/// How many entries of folders are looked at.
const MAX_ENTRIES: usize = 20_000;

/// The allowed folders, without links.
#[derive(Clone, Debug)]
pub(crate) struct Folders(Vec<PathBuf>);

impl Folders {
    /// Checks that folders exist.
    pub(crate) fn new(allowed: &[PathBuf]) -> Result<Folders, ServeError> {
        let mut folders = Vec::new();
        for path in allowed {
            let error = |source| ServeError::Folder { path: path.clone(), source };
            let folder = path.canonicalize().map_err(error)?;
            if !folder.is_dir() {
                return Err(error(std::io::ErrorKind::NotADirectory.into()));
            }
            folders.push(folder);
        }
        if folders.is_empty() { Err(ServeError::NoFolder) } else { Ok(Folders(folders)) }
    }

    /// A capture: a file in an allowed folder, or a folder that has only such files. No links lead out of it, nor from the files
    /// beside it that belong to it (volumes of PCP). A path that isn't absolute begins in an allowed folder.
    pub(crate) fn capture(&self, path: &str) -> Result<PathBuf, Refusal> {
        let found = self.find(path)?;
        self.check(&found)?;
        Ok(found)
    }

    /// The same of a path that was found.
    pub(crate) fn check(&self, found: &Path) -> Result<(), Refusal> {
        if found.is_dir() {
            Walk::new(self).folder(found)
        } else {
            self.check_file(found)?;
            self.check_siblings(found)
        }
    }

    /// A file to write: its folder is allowed, and it doesn't exist.
    pub(crate) fn output(&self, path: &str) -> Result<PathBuf, Refusal> {
        let typed = Path::new(path);
        let name = match typed.components().next_back() {
            Some(Component::Normal(name)) if !path.ends_with(['/', '\\']) => name,
            _ => return Err(Refusal::new("output: the path of a file is needed")),
        };
        if !typed.extension().is_some_and(|end| end.eq_ignore_ascii_case("html")) {
            return Err(Refusal::new("output: the name must end in .html"));
        }
        let parent = typed.parent().map(Path::to_string_lossy).unwrap_or_default();
        let folder = self.find(if parent.is_empty() { "." } else { &parent })?;
        let target = folder.join(name);
        // A colon would be a stream of another file on Windows.
        let shown = name.to_string_lossy();
        if shown.contains(':') || plain::line(&shown, usize::MAX) != shown {
            return Err(Refusal::new("output: the name has a colon, or characters that can't be seen"));
        }
        if target.symlink_metadata().is_ok() {
            return Err(Refusal::new(format!(
                "output: {} exists, and is never replaced",
                path_shown(&target)
            )));
        }
        Ok(target)
    }

    /// All files in allowed folders, sorted, without hidden ones; and whether there are more.
    pub(crate) fn files(&self) -> (Vec<PathBuf>, bool) {
        let mut walk = Walk { is_lenient: true, ..Walk::new(self) };
        let is_whole = self.0.iter().all(|folder| walk.folder(folder).is_ok());
        (walk.files.into_iter().collect(), !is_whole)
    }

    /// The folders, for messages.
    pub(crate) fn shown(&self) -> String {
        self.0.iter().map(|folder| path_shown(folder)).collect::<Vec<_>>().join(", ")
    }

    /// The real path of something that exists in an allowed folder. What is outside is never distinguished from what doesn't exist.
    fn find(&self, path: &str) -> Result<PathBuf, Refusal> {
        let nothing = || {
            let text =
                format!("{}: nothing of this name is in the allowed folders ({})", shown(path), self.shown());
            Refusal::new(text).hint("find_captures lists the captures in them")
        };
        if path.is_empty() || path.contains('\0') || path == "-" {
            return Err(nothing());
        }
        // As answers show it, or else as it is: a name that looks as if it were escaped has an escape more in answers.
        let original = plain::unescaped(path).filter(|path| !path.contains('\0'));
        let typed: Vec<&Path> = original.as_deref().into_iter().chain([path]).map(Path::new).collect();
        let there = |candidate: PathBuf| candidate.canonicalize().ok().filter(|found| self.contains(found));
        let within = |path: &Path| self.0.iter().find_map(|folder| there(folder.join(path)));
        if let Some(found) = typed.iter().find_map(|path| within(path)) {
            return Ok(found);
        }
        let archive = typed.iter().flat_map(|path| path.ancestors().skip(1)).find_map(within);
        match archive.filter(|archive| archive.is_file()) {
            Some(archive) => {
                let text = format!("{}: what is in an archive has no path of its own", shown(path));
                Err(Refusal::new(format!("{text}: ask for {}", path_shown(&archive))))
            }
            None => Err(nothing()),
        }
    }

    fn contains(&self, real: &Path) -> bool {
        self.0.iter().any(|folder| real.starts_with(folder))
    }

    /// Regular files alone: pipes would never end, devices aren't captures.
    fn check_file(&self, path: &Path) -> Result<(), Refusal> {
        let real = path.canonicalize().ok().filter(|real| self.contains(real));
        match real {
            Some(real) if real.is_file() => Ok(()),
            Some(_) => Err(Refusal::new(format!("{}: not a regular file", path_shown(path)))),
            None => Err(Refusal::new(format!(
                "{}: a link that leads out of the allowed folders",
                path_shown(path)
            ))),
        }
    }

    fn check_siblings(&self, path: &Path) -> Result<(), Refusal> {
        let stem = |path: &Path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            name.and_then(|name| name.split('.').next().map(str::to_owned))
        };
        let Some(folder) = path.parent() else { return Ok(()) };
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_ENTRIES) {
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if is_link && stem(&entry.path()) == stem(path) {
                self.check_file(&entry.path())?;
            }
        }
        Ok(())
    }
}

fn path_shown(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

/// A walk through folders.
struct Walk<'a> {
    folders: &'a Folders,
    /// Leaves out what isn't allowed, instead of refusing everything.
    is_lenient: bool,
    seen: BTreeSet<PathBuf>,
    files: BTreeSet<PathBuf>,
    num_entries: usize,
}

impl<'a> Walk<'a> {
    fn new(folders: &'a Folders) -> Walk<'a> {
        Walk { folders, is_lenient: false, seen: BTreeSet::new(), files: BTreeSet::new(), num_entries: 0 }
    }

    fn folder(&mut self, folder: &Path) -> Result<(), Refusal> {
        let mut open = vec![folder.to_path_buf()];
        while let Some(folder) = open.pop() {
            if !self.seen.insert(folder.clone()) {
                continue;
            }
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                self.num_entries += 1;
                if self.num_entries > MAX_ENTRIES {
                    let text =
                        format!("{} has more than {MAX_ENTRIES} entries: name a file", path_shown(&folder));
                    return Err(Refusal::new(text));
                }
                let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                if self.is_lenient && is_hidden {
                    continue;
                }
                if let Ok(kind) = entry.file_type() {
                    open.extend(self.entry(&entry.path(), kind)?);
                }
            }
        }
        Ok(())
    }

    /// Takes a file, or gives back a folder.
    fn entry(&mut self, path: &Path, kind: FileType) -> Result<Option<PathBuf>, Refusal> {
        let real = if kind.is_symlink() { path.canonicalize().unwrap_or_default() } else { path.to_owned() };
        if real.is_dir() && self.folders.contains(&real) {
            return Ok(Some(real));
        }
        match self.folders.check_file(path) {
            Ok(()) => {
                self.files.insert(real);
                Ok(None)
            }
            Err(_) if self.is_lenient => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> (tempfile::TempDir, Folders) {
        let root = tempfile::tempdir().expect("a folder");
        for folder in ["in/sub", "out"] {
            std::fs::create_dir_all(root.path().join(folder)).expect("a folder");
        }
        for file in ["in/a.csv", "in/sub/b.csv", "in/-c", "in/.hidden", "out/secret"] {
            std::fs::write(root.path().join(file), "x").expect("a file");
        }
        let folders = Folders::new(&[root.path().join("in")]).expect("folders");
        (root, folders)
    }

    #[test]
    fn paths_stay_in_allowed_folders() {
        let (root, folders) = folders();
        let real = root.path().canonicalize().expect("a path");
        assert_eq!(folders.capture("a.csv").expect("a capture"), real.join("in/a.csv"));
        assert_eq!(folders.capture("-c").expect("a capture"), real.join("in/-c"));
        assert_eq!(folders.capture("sub/../sub/b.csv").expect("a capture"), real.join("in/sub/b.csv"));
        assert_eq!(folders.capture(".").expect("a folder"), real.join("in"));
        let absolute = root.path().join("in/a.csv").display().to_string();
        assert!(folders.capture(&absolute).is_ok());
        let outside = root.path().join("out/secret").display().to_string();
        for path in
            ["../out/secret", "/etc/passwd", &outside, "", "-", "nothing", "a\0b", "http://a/b", "..", "/"]
        {
            let refusal = folders.capture(path).expect_err(path).to_string();
            assert!(refusal.contains("nothing of this name is in the allowed folders"), "{refusal}");
        }
        assert_eq!(folders.files().0.len(), 3);
    }

    #[test]
    #[cfg(unix)]
    fn names_may_be_asked_for_as_answers_show_them() {
        let (root, folders) = folders();
        let real = root.path().canonicalize().expect("a path");
        let name = "fi\u{202e}le\nname.csv";
        std::fs::write(root.path().join("in").join(name), "x").expect("a file");
        assert_eq!(folders.capture(name).expect("a capture"), real.join("in").join(name));
        assert_eq!(
            folders.capture(r"fi\u{202e}le\u{a}name.csv").expect("a capture"),
            real.join("in").join(name)
        );
        std::fs::write(root.path().join("in").join(r"fi\u{202e}le\u{a}name.csv"), "x").expect("a file");
        assert_eq!(
            folders.capture(r"fi\u{202e}le\u{a}name.csv").expect("a capture"),
            real.join("in").join(name)
        );
        assert_eq!(
            folders.capture(r"fi\u{5c}u{202e}le\u{5c}u{a}name.csv").expect("a capture"),
            real.join(r"in/fi\u{202e}le\u{a}name.csv")
        );
        for path in ["no\nsuch", r"no\u{a}such", r"..\u{2f}out/secret", r"a.csv\u{0}"] {
            let refusal = folders.capture(path).expect_err(path).to_string();
            assert!(refusal.contains("nothing of this name") && refusal.lines().count() == 2, "{refusal}");
        }
    }

    #[test]
    fn members_of_archives_are_named_by_their_archive() {
        let (root, folders) = folders();
        let real = root.path().canonicalize().expect("a path").join("in/sub/b.csv");
        for path in ["sub/b.csv/var/log/a.meta".to_owned(), real.join("a.meta").display().to_string()] {
            let refusal = folders.capture(&path).expect_err("no path").to_string();
            assert!(refusal.ends_with(&format!("ask for {}", real.display())), "{refusal}");
        }
        let outside = root.path().join("out/secret/a.meta").display().to_string();
        let refusal = folders.capture(&outside).expect_err("outside").to_string();
        assert!(refusal.contains("nothing of this name"), "{refusal}");
    }

    #[test]
    #[cfg(unix)]
    fn links_that_lead_out_are_refused() {
        use std::os::unix::fs::symlink;
        let (root, folders) = folders();
        let at = |path: &str| root.path().join(path);
        symlink(at("in/sub/b.csv"), at("in/inner")).expect("a link");
        assert!(folders.capture("inner").is_ok());
        assert!(folders.capture(".").is_ok());
        symlink(at("out/secret"), at("in/sub/outer")).expect("a link");
        symlink(at("out"), at("in/folder")).expect("a link");
        for path in ["sub/outer", "folder", "folder/secret", "sub", "."] {
            assert!(folders.capture(path).is_err(), "{path}");
        }
        // A volume beside an archive of PCP.
        symlink(at("out/secret"), at("in/a.0")).expect("a link");
        assert!(folders.capture("a.csv").is_err());
        assert!(folders.capture("sub/b.csv").is_ok());
        assert!(folders.files().0.iter().all(|path| !path.ends_with("secret")));
        let pipe = std::process::Command::new("mkfifo").arg(at("in/pipe")).status();
        assert!(pipe.is_ok_and(|status| status.success()));
        let refusal = folders.capture("pipe").expect_err("a pipe").to_string();
        assert!(refusal.contains("not a regular file"), "{refusal}");
    }

    #[test]
    fn outputs_are_new_files_in_allowed_folders() {
        let (root, folders) = folders();
        let real = root.path().canonicalize().expect("a path");
        assert_eq!(folders.output("a.html").expect("an output"), real.join("in/a.html"));
        assert_eq!(folders.output("sub/a.html").expect("an output"), real.join("in/sub/a.html"));
        std::fs::write(root.path().join("in/old.html"), "x").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path().join("out/new.html"), root.path().join("in/dangling.html"))
            .expect("a link");
        #[cfg(unix)]
        assert!(folders.output("dangling.html").is_err());
        for path in [
            "",
            ".",
            "..",
            "../a.html",
            "/tmp/a.html",
            "no/a.html",
            "old.html",
            "a.txt",
            "a.html/",
            "a\n.html",
            "a\u{202e}.html",
            "a:b.html",
            "-",
            "sub/..",
        ] {
            assert!(folders.output(path).is_err(), "{path}");
        }
    }
}
