//! The names of users, from `/etc/passwd`. Those that only a directory service knows have none.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::time::SystemTime;

const PATH: &str = "/etc/passwd";
/// Longer than the file of any machine whose users are in it.
const MAX_LEN: u64 = 4 << 20;

/// The users of this machine.
#[derive(Debug, Default)]
pub(super) struct Users {
    names: HashMap<u32, Arc<str>>,
    /// When the file was changed last, as far as it was read.
    changed: Option<SystemTime>,
}

impl Users {
    /// To be called once per sample: reads the file again if it has changed.
    pub(super) fn refresh(&mut self) {
        let Ok(metadata) = fs::metadata(PATH) else { return };
        let changed = metadata.modified().ok();
        if self.changed == changed || metadata.len() > MAX_LEN {
            return;
        }
        self.changed = changed;
        if let Ok(bytes) = fs::read(PATH) {
            self.names = names(&String::from_utf8_lossy(&bytes));
        }
    }

    /// The name of a user, if it is known.
    pub(super) fn name(&self, user_id: u32) -> Option<Arc<str>> {
        self.names.get(&user_id).cloned()
    }
}

/// Of two names with one number the first counts, as for `getpwuid(3)`.
fn names(text: &str) -> HashMap<u32, Arc<str>> {
    let mut names = HashMap::new();
    for line in text.lines() {
        let mut fields = line.split(':');
        let (Some(name), Some(user_id)) = (fields.next(), fields.nth(1)) else { continue };
        if let (Ok(user_id), false) = (user_id.parse(), name.is_empty()) {
            names.entry(user_id).or_insert_with(|| name.into());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_others_passed_over() {
        let names = names(
            "root:x:0:0:root:/root:/bin/sh\ntoor:x:0:0::/:/bin/sh\n# a\n+\nweb:x:33:33::/:\nbad:x:y:1\n",
        );
        assert_eq!(names.len(), 2);
        assert_eq!((&*names[&0], &*names[&33]), ("root", "web"));
    }
}
