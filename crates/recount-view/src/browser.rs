//! Opens the page in the user's browser.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file that leads the browser to the page. Arguments of a process can be read by every user of the machine, and the
/// page's address is its key; so the browser gets the name of a file that only its user can read. Dropping it removes it.
#[derive(Debug)]
pub struct Redirect {
    path: PathBuf,
}

impl Redirect {
    /// Writes the file into a directory, under a name that nobody can know before.
    pub fn new(url: &str, directory: &Path) -> io::Result<Redirect> {
        let number = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
        let path = directory.join(format!("recount-view-{number:016x}.html"));
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path)?;
        let redirect = Redirect { path };
        file.write_all(page(url).as_bytes())?;
        Ok(redirect)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Redirect {
    fn drop(&mut self) {
        // If it stays, it leads nowhere: the server and its key are gone.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The address has no characters with a meaning in HTML.
fn page(url: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>recount view</title>\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={url}\">\n<p><a href=\"{url}\">recount view</a></p>\n"
    )
}

/// Asks the desktop to open an address, by way of a file in `directory` that has to exist for as long as it may be read.
/// `Ok` only means that a program was started for it.
pub fn open_browser(url: &str, directory: &Path) -> io::Result<Redirect> {
    let redirect = Redirect::new(url, directory)?;
    let mut command = if cfg!(windows) {
        let mut command = Command::new("cmd");
        // The empty argument is the title of the window; otherwise `start` would take the file for it.
        command.args(["/C", "start", ""]);
        command
    } else {
        Command::new(if cfg!(target_os = "macos") { "open" } else { "xdg-open" })
    };
    command.arg(redirect.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    // A separate thread waits for it, so that the caller doesn't have to.
    std::thread::Builder::new().name("view-browser".into()).spawn(move || child.wait())?;
    Ok(redirect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_in_a_file_of_its_user_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let url = "http://127.0.0.1:8000/0123abcd/";
        let redirect = Redirect::new(url, directory.path()).expect("written");
        let path = redirect.path().to_path_buf();
        assert!(!path.display().to_string().contains("0123abcd"));
        assert!(std::fs::read_to_string(&path).expect("there").contains(&format!("url={url}\"")));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(path.metadata().expect("there").permissions().mode() & 0o777, 0o600);
        }
        drop(redirect);
        assert!(!path.exists());
    }
}
