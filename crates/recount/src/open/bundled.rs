//! The captures of a bundle: a tar or zip file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use recount_capture::Log;
use recount_model::{Content, Finding, FindingKind};
use recount_pcp::{PcpError, archives_among};

use super::directory::no_captures;
use super::{Opening, Series};
use crate::OpenError;
use crate::files::bundle::{Bundle, Member};
use crate::files::content::Pieces;
use crate::formats::PCP_ARCHIVE;

/// A member's file name, and its content.
type Files = BTreeMap<String, Arc<dyn Content>>;

impl Opening<'_> {
    /// The captures of a bundle, and of the bundles within it.
    pub(super) fn bundle(
        &mut self,
        name: String,
        kind: Bundle,
        content: &Arc<dyn Content>,
    ) -> Result<(), OpenError> {
        let is_in_directory = std::mem::replace(&mut self.is_in_directory, true);
        let noted = self.notes.clone();
        let opened = self.members(&name, kind, content, true);
        self.is_in_directory = is_in_directory;
        if opened? == 0 {
            let notes = self.notes.clone().since(&noted);
            let what = |finding: &Finding| match finding.capture.as_deref().filter(|file| *file != name) {
                Some(file) => format!("{file}: {}", finding.what),
                None => finding.what.clone(),
            };
            let left_out = notes.findings().iter().map(what).collect();
            let nothing = || OpenError::EmptyBundle { name, left_out };
            return Err(self.unreadable.take().unwrap_or_else(nothing));
        }
        Ok(())
    }

    /// Opens the members of a bundle. Returns how many are captures.
    fn members(
        &mut self,
        name: &str,
        kind: Bundle,
        content: &Arc<dyn Content>,
        is_outer: bool,
    ) -> Result<usize, OpenError> {
        let members = kind.members(name, content);
        let members = members.map_err(|source| OpenError::Io { name: name.to_owned(), source })?;
        self.notes.absorb(members.notes);
        let mut num_captures = 0;
        let mut archives: BTreeMap<String, Files> = BTreeMap::new();
        for Member { path, content } in members.captures {
            if PCP_ARCHIVE.recognises(content.head()) {
                let (folder, file) = path.rsplit_once('/').unwrap_or(("", &path));
                archives.entry(folder.to_owned()).or_default().insert(file.to_owned(), content);
                continue;
            }
            match self.member(format!("{name}/{path}"), content) {
                Ok(()) => num_captures += 1,
                Err(error) => self.leave_out(error),
            }
        }
        for (folder, files) in archives {
            let folder = if folder.is_empty() { name.to_owned() } else { format!("{name}/{folder}") };
            num_captures += self.archives_of(&folder, &files);
        }
        for Member { path, content } in members.bundles {
            let inner = format!("{name}/{path}");
            match Bundle::recognise(content.head()) {
                Some(kind) if is_outer => num_captures += self.members(&inner, kind, &content, false)?,
                _ => {
                    let what =
                        "left out: an archive within an archive within an archive; unpack the outer one";
                    self.notes.note_of(&inner, FindingKind::Dropped, what);
                }
            }
        }
        if members.num_others > 0 && num_captures > 0 {
            self.notes.note_of(name, FindingKind::Expected, no_captures(members.num_others));
        }
        Ok(num_captures)
    }

    fn member(&mut self, name: String, content: Arc<dyn Content>) -> Result<(), OpenError> {
        if Log::recognise(content.head()) {
            return self.log(name, Log::open(Box::new(Pieces(content))));
        }
        self.content(name, content)
    }

    /// The archives of PCP in a folder of a bundle. Returns how many.
    fn archives_of(&mut self, folder: &str, files: &Files) -> usize {
        let archives = archives_among(Path::new(folder), files.keys().map(String::as_str));
        for archive in archives.values() {
            let named = |path: &std::path::PathBuf| {
                let file = path.file_name()?.to_str()?;
                Some((format!("{folder}/{file}"), Arc::clone(files.get(file)?)))
            };
            let files = archive.files.iter().filter_map(named).collect();
            let series = Series { format: &PCP_ARCHIVE, files, is_in_directory: true };
            self.series.insert((PCP_ARCHIVE.name(), archive.base.display().to_string()), series);
        }
        if archives.is_empty() {
            let error = PcpError::NoMeta { base: folder.to_owned() };
            self.leave_out(OpenError::format(folder, &PCP_ARCHIVE, error.into()));
        }
        archives.len()
    }
}
