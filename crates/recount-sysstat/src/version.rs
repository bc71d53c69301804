//! Versions of sysstat.

use std::fmt;

/// A version of sysstat: `12.6.1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub [u8; 4]);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z, patch] = self.0;
        write!(f, "{x}.{y}.{z}")?;
        if patch == 0 { Ok(()) } else { write!(f, ".{patch}") }
    }
}
