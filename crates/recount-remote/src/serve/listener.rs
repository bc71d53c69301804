//! Where clients come from: a port, or Samba.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
#[cfg(unix)]
use std::path::{Path, PathBuf};

use crate::transport::Socket;

/// A listening socket.
#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Samba(SambaListener),
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A port.
    Tcp(SocketAddr),
    /// The socket of a pipe of Samba.
    #[cfg(unix)]
    Samba(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => address.fmt(f),
            #[cfg(unix)]
            Address::Samba(path) => path.display().fmt(f),
        }
    }
}

impl Listener {
    pub(super) fn tcp(address: impl ToSocketAddrs) -> io::Result<Listener> {
        TcpListener::bind(address).map(Listener::Tcp)
    }

    pub(super) fn address(&self) -> io::Result<Address> {
        match self {
            Listener::Tcp(listener) => listener.local_addr().map(Address::Tcp),
            #[cfg(unix)]
            Listener::Samba(samba) => Ok(Address::Samba(samba.path.clone())),
        }
    }

    pub(super) fn set_nonblocking(&self) -> io::Result<()> {
        match self {
            Listener::Tcp(listener) => listener.set_nonblocking(true),
            #[cfg(unix)]
            Listener::Samba(samba) => samba.listener.set_nonblocking(true),
        }
    }

    /// The next connection, and what it is called in reports.
    pub(super) fn accept(&self) -> io::Result<(Socket, String)> {
        match self {
            Listener::Tcp(listener) => {
                listener.accept().map(|(stream, peer)| (Socket::Tcp(stream), peer.to_string()))
            }
            #[cfg(unix)]
            Listener::Samba(samba) => samba
                .listener
                .accept()
                .map(|(stream, _)| (Socket::Unix(stream), "a client of Samba".to_owned())),
        }
    }
}

/// The socket at which Samba's SMB server expects the server of a pipe.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct SambaListener {
    listener: std::os::unix::net::UnixListener,
    path: PathBuf,
}

#[cfg(unix)]
impl SambaListener {
    /// Listens in Samba's folder of pipes, `np` in its `ncalrpc dir`.
    ///
    /// Fails if other users can open the folder: what comes through the socket is believed to be Samba. Fails also if
    /// another server has the pipe.
    pub(super) fn bind(folder: &Path) -> io::Result<SambaListener> {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        use std::os::unix::net::{UnixListener, UnixStream};

        /// The pipe of both interfaces.
        const PIPE: &str = "winreg";
        let found = std::fs::metadata(folder)?;
        if !found.is_dir() || found.mode() & 0o077 != 0 {
            let what = "it isn't a folder that only its owner can open, as Samba makes it (mode 0700)";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
        }
        let path = folder.join(PIPE);
        if UnixStream::connect(&path).is_ok() {
            let what =
                "another server has the pipe: let samba-dcerpcd run without rpcd_winreg, or not at all";
            return Err(io::Error::new(io::ErrorKind::AddrInUse, what));
        }
        // A socket that a server left there.
        if std::fs::symlink_metadata(&path).is_ok_and(|found| found.file_type().is_socket()) {
            std::fs::remove_file(&path)?;
        }
        let listener = UnixListener::bind(&path)?;
        Ok(SambaListener { listener, path })
    }
}

#[cfg(unix)]
impl Drop for SambaListener {
    fn drop(&mut self) {
        // If it is gone already, all is well.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn folder(name: &str, mode: u32) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("recount-np-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).expect("set");
        folder
    }

    #[test]
    fn folders_of_others_are_refused() {
        let folder = folder("open", 0o755);
        let error = SambaListener::bind(&folder).expect_err("open to all");
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        std::fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn a_pipe_has_one_server_and_a_left_socket_is_replaced() {
        let folder = folder("own", 0o700);
        let first = SambaListener::bind(&folder).expect("free");
        let error = SambaListener::bind(&folder).expect_err("taken");
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        drop(first);
        assert!(!folder.join("winreg").exists());
        drop(std::os::unix::net::UnixListener::bind(folder.join("winreg")).expect("a socket"));
        drop(SambaListener::bind(&folder).expect("replaced"));
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
