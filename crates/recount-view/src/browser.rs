//! Opening the page where its user looks at pages.

use std::io;
use std::process::{Command, Stdio};

/// Asks the desktop to open an address. `Ok` says only that somebody took the request.
pub fn open_browser(url: &str) -> io::Result<()> {
    let mut command = if cfg!(windows) {
        let mut command = Command::new("cmd");
        // The empty text is the title of the window, which `start` would take the address for.
        command.args(["/C", "start", "", url]);
        command
    } else {
        let mut command = Command::new(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
        command.arg(url);
        command
    };
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // Whoever waits for it isn't the one who started it.
    std::thread::Builder::new().name("view-browser".into()).spawn(move || child.wait())?;
    Ok(())
}
