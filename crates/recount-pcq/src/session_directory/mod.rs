//! Directories of MS-PCQ buffers, one file each, as sessions (`formats/ms-pcq.md#directories`).
//!
//! ```text
//! countersets.bin                    f9fb0e1c-.../registration.bin      query-1/000001-info.bin
//!                                    f9fb0e1c-.../english-name.bin      query-1/000002-data.bin
//! ```

mod name;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use name::{Call, counterset_call, query_call, query_number};

use crate::{Guid, Message, MessageHeader, opnum};

/// The only file next to the directories: the answer of `PerflibV2EnumerateCounterSet`.
const COUNTERSETS: &str = "countersets.bin";

/// A directory of buffers, which have not been read.
pub struct SessionDirectory {
    parts: Vec<SessionFile>,
    left_aside: Vec<PathBuf>,
}

/// A file and its contents, in the order of the session: first the registration, then queries by number.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SessionFile {
    /// For a query's file.
    number: u64,
    query: u32,
    guid: [u8; 16],
    call: Call,
    path: PathBuf,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirectoryEntry {
    /// Its path, with that of the directory.
    pub path: PathBuf,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry of a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// An ordinary file.
    File,
    /// A directory.
    Directory,
    /// Anything else, such as a pipe, which may be endless.
    Other,
}

impl SessionDirectory {
    /// Looks at the names of the files in a directory; `None` if no file belongs to a session, or if this is not a directory.
    pub fn open(path: &Path) -> io::Result<Option<SessionDirectory>> {
        if !path.is_dir() {
            return Ok(None);
        }
        SessionDirectory::open_by(path, entries)
    }

    /// Like [`SessionDirectory::open`], of a directory that need not be on a disk: `entries` lists what is in one.
    pub fn open_by(
        path: &Path,
        entries: impl Fn(&Path) -> io::Result<Vec<DirectoryEntry>>,
    ) -> io::Result<Option<SessionDirectory>> {
        let list = |path: &Path| {
            entries(path).map(|mut entries| {
                entries.retain(|entry| !file_name(&entry.path).starts_with('.'));
                entries.sort();
                entries
            })
        };
        let mut session = SessionDirectory { parts: Vec::new(), left_aside: Vec::new() };
        for DirectoryEntry { path, kind } in list(path)? {
            let name = file_name(&path);
            if kind == EntryKind::Directory {
                session.add_directory(path, &name, list)?;
            } else if name == COUNTERSETS && kind == EntryKind::File {
                let call = Call::plain(opnum::ENUMERATE_COUNTER_SET);
                session.parts.push(SessionFile { number: 0, query: 0, guid: [0; 16], call, path });
            } else {
                session.left_aside.push(path);
            }
        }
        session.parts.sort();
        Ok((!session.parts.is_empty()).then_some(session))
    }

    /// Its files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().map(|part| part.path.as_path())
    }

    /// Files and directories whose names do not belong to a session.
    pub fn left_aside(&self) -> &[PathBuf] {
        &self.left_aside
    }

    /// Reads the buffers one by one, and writes them as a stream of messages (`formats/ms-pcq.md#streams`).
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_by(out, |path| std::fs::read(path))
    }

    /// Like [`SessionDirectory::write`], for files that need not be on a disk: `read` reads one.
    pub fn write_by(
        &self,
        out: &mut impl Write,
        read: impl Fn(&Path) -> io::Result<Vec<u8>>,
    ) -> io::Result<()> {
        let mut message = Vec::new();
        for part in &self.parts {
            let buffer = read(&part.path)
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", part.path.display())))?;
            message.clear();
            Message { header: part.header(), buffer: &buffer }.write(&mut message);
            message.resize(message.len().next_multiple_of(Message::ALIGNMENT), 0);
            out.write_all(&message)?;
        }
        Ok(())
    }

    /// A subdirectory: for a counterset, a query, or something else.
    fn add_directory(
        &mut self,
        directory: PathBuf,
        name: &str,
        list: impl Fn(&Path) -> io::Result<Vec<DirectoryEntry>>,
    ) -> io::Result<()> {
        let (guid, query) = (name.parse::<Guid>().ok(), query_number(name));
        if guid.is_none() && query.is_none() {
            self.left_aside.push(directory);
            return Ok(());
        }
        for DirectoryEntry { path, kind } in list(&directory)? {
            let name = file_name(&path);
            let of_query = query.and_then(|query| Some((query_call(&name)?, query)));
            let of_set = guid.and_then(|guid| Some((counterset_call(&name)?, guid)));
            match (of_query, of_set) {
                _ if kind != EntryKind::File => self.left_aside.push(path),
                (Some(((number, call), query)), _) => {
                    self.parts.push(SessionFile { number, query, guid: [0; 16], call, path });
                }
                (None, Some((call, guid))) => {
                    self.parts.push(SessionFile { number: 0, query: 0, guid: guid.0, call, path });
                }
                (None, None) => self.left_aside.push(path),
            }
        }
        Ok(())
    }
}

impl SessionFile {
    fn header(&self) -> MessageHeader {
        let Call { opnum, request_code, argument } = self.call;
        let (guid, query) = (Guid(self.guid), self.query);
        MessageHeader { opnum, request_code, argument, guid, query, ..MessageHeader::default() }
    }
}

/// The entries of a directory on a disk.
fn entries(path: &Path) -> io::Result<Vec<DirectoryEntry>> {
    let entry = |entry: io::Result<std::fs::DirEntry>| {
        let path = entry?.path();
        let kind = match path.metadata() {
            Ok(metadata) if metadata.is_dir() => EntryKind::Directory,
            Ok(metadata) if metadata.is_file() => EntryKind::File,
            _ => EntryKind::Other,
        };
        Ok(DirectoryEntry { path, kind })
    };
    std::fs::read_dir(path)?.map(entry).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
