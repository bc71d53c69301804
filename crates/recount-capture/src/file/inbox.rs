//! Marks that wait next to a log until its writer adds them (`formats/rcap.md#marks-beside`).
//!
//! For `web1.rcap` this is the directory `web1.rcap.marks`, with a file for every mark. It is created with the first mark
//! and removed with the last. A mark is deleted only once it is in the log, so it may be at both places for a moment, or
//! for longer if a process is killed in between; therefore marks with the same time and text count once.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use recount_model::Mark;
use recount_output::{Access, write_aside};

use crate::random_id::new_number;
use crate::{read_mark_request, write_mark_request};

/// The end of the directory's name.
const SUFFIX: &str = ".marks";
/// Extension of the files in it. Other files are incomplete, or not recount's.
const EXTENSION: &str = "mark";
/// The maximum length of such a file.
const MAX_LEN: u64 = 16 << 10;
/// Files read at a time; more have to wait for the next time.
const MAX_NUM: usize = 1_000;
/// How often creating a file is repeated, since the directory goes with the last mark in it.
const MAX_ATTEMPTS: u32 = 200;

/// The marks next to a log.
#[derive(Clone, Debug)]
pub struct Inbox {
    directory: PathBuf,
}

/// A mark that waits.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its file.
    pub path: PathBuf,
    /// Time and text.
    pub mark: Mark,
}

/// All marks next to a log, for whichever log they are.
#[derive(Default)]
pub struct Waiting(Vec<(PathBuf, Vec<u8>)>);

impl Waiting {
    /// Those that are for the log of this tag.
    pub fn for_log(&self, tag: u32) -> Vec<Request> {
        let request = |(path, bytes): &(PathBuf, Vec<u8>)| {
            read_mark_request(tag, bytes).map(|mark| Request { path: path.clone(), mark })
        };
        let mut requests: Vec<Request> = self.0.iter().filter_map(request).collect();
        requests.sort_by(|a, b| a.mark.cmp(&b.mark));
        requests
    }

    /// The names of all that was found.
    pub fn names(&self) -> impl Iterator<Item = OsString> {
        self.0.iter().filter_map(|(path, _)| path.file_name().map(OsStr::to_os_string))
    }
}

impl Inbox {
    /// The inbox of a log, which need not exist yet.
    pub fn of(log: &Path) -> Inbox {
        // A log may be read by several names; its recorder uses one.
        let log = log.canonicalize().unwrap_or_else(|_| log.to_path_buf());
        let mut name = log.file_name().unwrap_or_default().to_owned();
        name.push(SUFFIX);
        Inbox { directory: log.with_file_name(name) }
    }

    /// Where marks wait.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Leaves a mark for the log of this tag. Returns the file, which is complete as soon as it has its name.
    pub fn leave(&self, tag: u32, mark: &Mark) -> io::Result<PathBuf> {
        let request = write_mark_request(tag, mark);
        let mut attempt = 1;
        loop {
            match self.try_leave(&request, mark) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < MAX_ATTEMPTS => {
                    attempt += 1;
                    std::thread::sleep(Duration::from_millis(1));
                }
                done => return done,
            }
        }
    }

    fn try_leave(&self, request: &[u8], mark: &Mark) -> io::Result<PathBuf> {
        match fs::create_dir(&self.directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // Its recorder must be able to read it, who may be another user than the one who marks.
        // A name that was never used, so that nobody who deletes a mark by its name deletes another.
        let number = new_number()?;
        let path = self.directory.join(format!("{}-{number:016x}.{EXTENSION}", mark.time.0));
        if let Err(error) = write_aside(&path, false, &Access::default(), request) {
            let error = io::Error::from(error);
            // As on a full disk. The directory stays if there are other marks in it. If it is gone, it may be another's by now, who is about
            // to use it.
            if error.kind() != io::ErrorKind::NotFound {
                let _ = fs::remove_dir(&self.directory);
            }
            return Err(error);
        }
        Ok(path)
    }

    /// The marks that wait, except the named files.
    pub fn look(&self, known: &HashSet<OsString>) -> Waiting {
        let Ok(entries) = fs::read_dir(&self.directory) else { return Waiting::default() };
        let is_new = |name: &OsString| {
            Path::new(name).extension() == Some(OsStr::new(EXTENSION)) && !known.contains(name)
        };
        let names = entries.filter_map(|entry| Some(entry.ok()?.file_name())).filter(is_new);
        let paths = names.take(MAX_NUM).map(|name| self.directory.join(name));
        // An unreadable file isn't a mark, but needn't be read again.
        let found = paths.map(|path| (path.clone(), read(&path).unwrap_or_default()));
        Waiting(found.collect())
    }

    /// The marks that wait for the log of this tag.
    pub fn requests(&self, tag: u32) -> Vec<Request> {
        self.look(&HashSet::new()).for_log(tag)
    }

    /// Deletes marks, and the directory once it is empty.
    pub fn remove(&self, requests: &[Request]) {
        for request in requests {
            // It may already be deleted, or belong to another user. Then it is at both places, and counts once.
            let _ = fs::remove_file(&request.path);
        }
        let _ = fs::remove_dir(&self.directory);
    }

    /// Deletes everything, since the log no longer exists.
    pub fn discard(&self) {
        let waiting = self.look(&HashSet::new());
        for (path, _) in &waiting.0 {
            let _ = fs::remove_file(path);
        }
        let _ = fs::remove_dir(&self.directory);
    }
}

/// The bytes of an ordinary file of at most the maximum length. A pipe in its place would block the recorder.
fn read(path: &Path) -> Option<Vec<u8>> {
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_LEN {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(MAX_LEN).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use recount_model::Timestamp;

    use super::*;

    fn mark(time: i64, text: &str) -> Mark {
        Mark { time: Timestamp(time), text: text.to_owned() }
    }

    fn marks(inbox: &Inbox, tag: u32) -> Vec<Mark> {
        let mut marks: Vec<Mark> = inbox.requests(tag).into_iter().map(|request| request.mark).collect();
        marks.sort();
        marks
    }

    #[test]
    fn marks_wait_until_they_are_taken_away() {
        let directory = tempfile::tempdir().expect("a directory");
        let inbox = Inbox::of(&directory.path().join("a.rcap"));
        assert!(marks(&inbox, 7).is_empty() && !inbox.directory().exists());
        let all = [mark(5, "one"), mark(5, "two"), mark(-9, "one")];
        for one in &all {
            inbox.leave(7, one).expect("left");
        }
        inbox.leave(8, &mark(1, "for another log")).expect("left");
        let mut expected = all.to_vec();
        expected.sort();
        assert_eq!(marks(&inbox, 7), expected);
        assert!(inbox.directory().ends_with("a.rcap.marks"));
        let requests = inbox.requests(7);
        let known = requests[..2].iter().filter_map(|request| request.path.file_name());
        let known = known.map(OsStr::to_os_string).collect();
        assert_eq!(inbox.look(&known).for_log(7).len(), 1);
        inbox.remove(&requests);
        assert_eq!((marks(&inbox, 7).len(), marks(&inbox, 8).len()), (0, 1));
        inbox.discard();
        assert!(!inbox.directory().exists());
    }

    #[test]
    fn what_is_no_mark_is_passed_over() {
        let directory = tempfile::tempdir().expect("a directory");
        let inbox = Inbox::of(&directory.path().join("a.rcap"));
        inbox.leave(7, &mark(5, "one")).expect("left");
        let within = |name: &str| inbox.directory().join(name);
        fs::write(within("1.mark"), "no mark").expect("written");
        fs::write(within("2.mark"), vec![0; 1 << 20]).expect("written");
        fs::write(within("3.part"), write_mark_request(7, &mark(1, "in the making"))).expect("written");
        fs::create_dir(within("4.mark")).expect("made");
        #[cfg(unix)]
        std::os::unix::fs::symlink("/dev/zero", within("5.mark")).expect("made");
        assert_eq!(marks(&inbox, 7), [mark(5, "one")]);
    }

    /// Marks are left and taken away at the same time: none is lost, though the directory comes and goes.
    #[test]
    fn many_at_once() {
        let directory = tempfile::tempdir().expect("a directory");
        let inbox = Inbox::of(&directory.path().join("a.rcap"));
        let leaving: Vec<_> = (0..4)
            .map(|thread| {
                let inbox = inbox.clone();
                std::thread::spawn(move || {
                    for number in 0..50 {
                        inbox.leave(7, &mark(number, &format!("{thread}"))).expect("left");
                    }
                })
            })
            .collect();
        let mut taken = Vec::new();
        let mut is_over = false;
        while !is_over {
            // Once more after the last.
            is_over = leaving.iter().all(std::thread::JoinHandle::is_finished);
            let requests = inbox.requests(7);
            inbox.remove(&requests);
            taken.extend(requests.into_iter().map(|request| request.mark));
            // A recorder looks now and then. One that never stops removing the directory leaves nobody the time to use it.
            std::thread::sleep(Duration::from_millis(1));
        }
        for thread in leaving {
            thread.join().expect("no panic");
        }
        taken.sort();
        taken.dedup();
        assert_eq!(taken.len(), 200);
        assert!(marks(&inbox, 7).is_empty());
    }
}
