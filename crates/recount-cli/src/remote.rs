//! Arguments about users and other machines.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use recount::{Account, Host, RemoteOptions, Via};
use zeroize::Zeroizing;

/// Who calls another machine.
#[derive(Debug, Args)]
pub(crate) struct Remote {
    /// Another machine instead: SERVER, a Windows machine, through its pipe of SMB (smb://SERVER:PORT with another port than
    /// 445); or SERVER:PORT, as `recount serve` prints it
    #[arg(long, value_name = "SERVER")]
    pub host: Option<Host>,
    /// What is asked there: countersets of Performance Library 2.0 (MS-PCQ), or the classic objects in
    /// HKEY_PERFORMANCE_DATA of its registry
    #[expect(clippy::doc_markdown, reason = "help, shown as it is")]
    #[arg(long, value_enum, default_value_t = Interface::Pcq, requires = "host")]
    via: Interface,
    /// User there: NAME, DOMAIN\NAME or NAME@DOMAIN
    #[arg(long, value_name = "NAME", requires = "host")]
    user: Option<String>,
    /// File whose first line is the password, or $NT$ and its NT hash
    #[arg(long, value_name = "FILE", requires = "host")]
    password_file: Option<PathBuf>,
    /// Ask for the password
    #[arg(long, requires = "host", conflicts_with = "password_file")]
    ask: bool,
}

/// What another machine is asked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Interface {
    /// Countersets
    Pcq,
    /// Classic objects
    Registry,
}

impl Remote {
    /// The machine, if one was named.
    pub(crate) fn options(&self) -> anyhow::Result<Option<RemoteOptions>> {
        let Some(host) = &self.host else { return Ok(None) };
        let Some(user) = &self.user else { bail!("--host needs --user, and --password-file or --ask") };
        let password = match (&self.password_file, self.ask) {
            (Some(file), _) => password(file)?,
            (None, true) => {
                let typed = rpassword::prompt_password(format!("Password of {user} at {host}: "));
                Zeroizing::new(typed.context("--ask needs a terminal; without one, use --password-file")?)
            }
            (None, false) => bail!("--host needs a password: --password-file FILE or --ask"),
        };
        let mut options = RemoteOptions::new(host.clone(), Account::from_secret(user, password)?);
        options.via = match self.via {
            Interface::Pcq => Via::Pcq,
            Interface::Registry => Via::Registry,
        };
        Ok(Some(options))
    }
}

/// Longer than any password: Windows has at most 256 characters.
const MAX_LEN: usize = 4096;

/// Refuses a file that other users can read, or that belongs to one, as they then know the password.
#[cfg(unix)]
fn check_private(file: &std::fs::File, path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::MetadataExt;

    let found = file.metadata().with_context(|| path.display().to_string())?;
    // Of a pipe, the mode means nothing.
    if found.is_file() && found.mode() & 0o077 != 0 {
        let mode = found.mode() & 0o777;
        bail!("{0}: other users can read the password (mode {mode:04o}): chmod 600 {0}", path.display());
    }
    let own = rustix::process::geteuid().as_raw();
    if found.is_file() && !is_trusted(found.uid(), own) {
        let owner = found.uid();
        bail!(
            "{0}: it belongs to another user ({owner}), who can read and replace the password: chown {own} {0}",
            path.display()
        );
    }
    Ok(())
}

/// Root can read every file.
#[cfg(unix)]
fn is_trusted(owner: u32, own: u32) -> bool {
    owner == own || owner == 0
}

/// Modes say nothing here.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn check_private(_: &std::fs::File, _: &Path) -> anyhow::Result<()> {
    Ok(())
}

/// The first line of a file.
pub(crate) fn password(path: &Path) -> anyhow::Result<Zeroizing<String>> {
    let name = || path.display().to_string();
    // With its maximum capacity, so that growing leaves no copies in memory.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_LEN + 1));
    let file = std::fs::File::open(path).with_context(name)?;
    check_private(&file, path)?;
    file.take(MAX_LEN as u64).read_to_end(&mut bytes).with_context(name)?;
    // Editors on Windows begin a file with a byte order mark.
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // The error would quote the text.
    let Ok(text) = std::str::from_utf8(line) else { bail!("{}: the password isn't UTF-8", name()) };
    if text.is_empty() {
        bail!("{}: the first line, the password, is empty", name());
    }
    Ok(Zeroizing::new(text.to_owned()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_users_are_not_trusted() {
        for (owner, own, expected) in
            [(0, 0, true), (0, 1000, true), (1000, 1000, true), (1000, 0, false), (1001, 1000, false)]
        {
            assert_eq!(is_trusted(owner, own), expected, "{owner} {own}");
        }
    }

    /// Only root can give a file away.
    #[test]
    fn a_private_file_of_another_user_is_refused() {
        use std::os::unix::fs::{PermissionsExt, chown};

        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("password");
        std::fs::write(&path, "open sesame\n").expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("set");
        assert_eq!(password(&path).expect("our own").as_str(), "open sesame");
        if rustix::process::geteuid().is_root() && chown(&path, Some(12345), None).is_ok() {
            let error = password(&path).expect_err("of another").to_string();
            assert!(error.contains("belongs to another user (12345)"), "{error}");
        }
    }
}
