//! The captures of a directory: those in it, or if it has none, those in the folders below it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use recount_model::FindingKind;
use recount_pcp::{archives_among, is_companion};

use super::Opening;
use super::place::Place;
use crate::OpenError;

/// Folders that are searched below a directory.
const MAX_FOLDERS: usize = 20_000;

impl Opening<'_> {
    /// The captures in a directory. If it has none, the folders below it are searched.
    pub(super) fn directory(&mut self, place: &dyn Place, path: &Path) -> Result<(), OpenError> {
        let (num_captures, others) = self.files_in(place, path)?;
        for error in others {
            let what = format!("skipped: {}", error.without_name());
            self.notes.note_of(error.name(), FindingKind::Odd, what);
        }
        if num_captures == 0 && self.folders_below(place, path) == 0 {
            let nothing = || OpenError::EmptyDirectory { name: path.display().to_string() };
            return Err(self.unreadable.take().unwrap_or_else(nothing));
        }
        Ok(())
    }

    /// Opens what is in the folders below a directory. Returns the number of captures.
    fn folders_below(&mut self, place: &dyn Place, path: &Path) -> usize {
        let mut seen: HashSet<PathBuf> = place.real(path).into_iter().collect();
        let mut waiting = place.folders_in(path);
        let (mut num_captures, mut num_others) = (0, 0);
        while let Some(folder) = waiting.pop() {
            // A folder may be linked to from within itself.
            if !place.real(&folder).is_some_and(|real| seen.insert(real)) {
                continue;
            }
            if seen.len() > MAX_FOLDERS {
                let what = format!("has more than {MAX_FOLDERS} folders: the others aren't searched");
                self.notes.note_of(&path.display().to_string(), FindingKind::Dropped, what);
                break;
            }
            match self.folder(place, &folder, &mut waiting) {
                Ok((captures, others)) => {
                    num_captures += captures;
                    num_others += others;
                }
                Err(error) => self.leave_out(error),
            }
        }
        if num_captures > 0 && num_others > 0 {
            self.notes.note_of(&path.display().to_string(), FindingKind::Expected, no_captures(num_others));
        }
        num_captures
    }

    /// Opens one of the folders below a directory. Returns the number of its captures and of its other files.
    fn folder(
        &mut self,
        place: &dyn Place,
        path: &Path,
        waiting: &mut Vec<PathBuf>,
    ) -> Result<(usize, usize), OpenError> {
        self.is_in_directory = true;
        let opened = match self.capture_of_folder(place, path) {
            Ok(true) => Ok((1, 0)),
            Ok(false) => {
                waiting.extend(place.folders_in(path));
                self.files_in(place, path).map(|(captures, others)| (captures, others.len()))
            }
            Err(error) => Err(error),
        };
        self.is_in_directory = false;
        opened
    }

    /// Opens a directory that is one capture. Returns whether it is.
    pub(super) fn capture_of_folder(&mut self, place: &dyn Place, path: &Path) -> Result<bool, OpenError> {
        let failed = |source| OpenError::Io { name: path.display().to_string(), source };
        if let Some(files) = place.tables(path).map_err(failed)? {
            self.tables(path.display().to_string(), files)?;
        } else if let Some(session) = place.session(path).map_err(failed)? {
            self.session(place, path, &session)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Opens the files in a directory, by name, without hidden ones. Returns the number of captures, and why others aren't ones.
    fn files_in(&mut self, place: &dyn Place, path: &Path) -> Result<(usize, Vec<OpenError>), OpenError> {
        let failed = |source| OpenError::Io { name: path.display().to_string(), source };
        let mut inside = place.files_in(path).map_err(failed)?;
        leave_companions(path, &mut inside);
        let (mut num_captures, mut others) = (0, Vec::new());
        self.is_in_directory = true;
        for file in inside {
            match place.open(self, &file) {
                Ok(()) => num_captures += 1,
                Err(OpenError::Unknown { .. }) if self.has_names(&file) => {}
                Err(error) if error.is_no_capture() => others.push(error),
                Err(error) => self.leave_out(error),
            }
        }
        self.is_in_directory = false;
        Ok((num_captures, others))
    }

    /// Whether the names of objects and counters were read from a file.
    fn has_names(&self, file: &Path) -> bool {
        let is_same =
            |other: &PathBuf| matches!((file.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b);
        self.options.name_files.iter().any(is_same)
    }
}

/// The note about files that nobody named.
pub(super) fn no_captures(num: usize) -> String {
    if num == 1 {
        "1 other file isn't a capture".to_owned()
    } else {
        format!("{num} other files aren't captures")
    }
}

/// Removes the files that recorders of PCP keep next to their archives, which are no captures.
fn leave_companions(directory: &Path, files: &mut Vec<PathBuf>) {
    let name = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let names: Vec<String> = files.iter().filter_map(name).collect();
    if !archives_among(directory, names.iter().map(String::as_str)).is_empty() {
        files.retain(|path| !name(path).is_some_and(|name| is_companion(&name)));
    }
}
