//! Opens the page in the user's browser.

use std::io;
use std::process::{Command, Stdio};

/// Asks the desktop to open an address. `Ok` only means that a program was started for it.
pub fn open_browser(url: &str) -> io::Result<()> {
    let mut command = if cfg!(windows) {
        let mut command = Command::new("cmd");
        // The empty argument is the title of the window; otherwise `start` would take the address for it.
        command.args(["/C", "start", "", url]);
        command
    } else {
        let mut command = Command::new(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
        command.arg(url);
        command
    };
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // A separate thread waits for it, so that the caller doesn't have to.
    std::thread::Builder::new().name("view-browser".into()).spawn(move || child.wait())?;
    Ok(())
}
