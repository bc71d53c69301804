//! Files of cgroups, version 2.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::Tally;

/// `crates/recount-record/src/linux/cgroup`: what is read of each, and the controller that it takes.
const FILES: [(&str, Option<&str>); 9] = [
    ("cpu.stat", None),
    ("cpu.stat", Some("cpu")),
    ("memory.current", Some("memory")),
    ("memory.stat", Some("memory")),
    ("memory.swap.current", Some("memory")),
    ("io.stat", Some("io")),
    ("cpu.pressure", None),
    ("memory.pressure", None),
    ("io.pressure", None),
];

/// The hierarchy.
pub(crate) struct Cgroups {
    mount: PathBuf,
    files: Vec<&'static str>,
    buffer: Vec<u8>,
}

impl Cgroups {
    /// Where it is mounted; `None` if it isn't.
    pub(crate) fn find() -> Option<Cgroups> {
        let text = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let line = text.lines().find(|line| line.contains(" - cgroup2 "))?;
        let mount = PathBuf::from(line.split(' ').nth(4)?);
        let controllers = fs::read_to_string(mount.join("cgroup.controllers")).unwrap_or_default();
        let has = |name: &str| controllers.split_ascii_whitespace().any(|controller| controller == name);
        let files = FILES.into_iter().filter(|(_, controller)| controller.is_none_or(has));
        Some(Cgroups { mount, files: files.map(|(file, _)| file).collect(), buffer: vec![0; 64 << 10] })
    }

    /// Walks it and reads the files of each.
    pub(crate) fn read(&mut self, tally: &mut Tally) {
        let mount = self.mount.clone();
        self.visit(&mount, tally);
    }

    fn visit(&mut self, folder: &Path, tally: &mut Tally) {
        for file in &self.files {
            // One that isn't there is asked for all the same, as the recorder does.
            let Ok(mut file) = File::open(folder.join(file)) else { continue };
            if let Ok(len) = file.read(&mut self.buffer) {
                tally.add(len);
            }
        }
        // A folder of two links has no folders in it.
        let has_none = || fs::metadata(folder).is_ok_and(|folder| folder.nlink() == 2);
        if folder != self.mount && has_none() {
            return;
        }
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let below: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
        for folder in &below {
            self.visit(folder, tally);
        }
    }
}
