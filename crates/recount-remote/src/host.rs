//! Names of servers.

use std::fmt;
use std::str::FromStr;

/// A server, and how to reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its name or address.
    pub name: String,
    /// Its TCP port.
    pub port: u16,
    /// The protocol there.
    pub way: Way,
}

/// How calls reach a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `ncacn_np`: through the pipe `winreg`, by SMB. This is how Windows answers.
    Pipe,
    /// `ncacn_ip_tcp`: directly over TCP. This is how `recount serve` answers.
    Tcp,
}

/// Text that doesn't name a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?}: write SERVER or smb://SERVER:PORT for a Windows machine, SERVER:PORT for one that runs recount serve; \
     IPv6 addresses in brackets"
)]
pub struct HostError {
    text: String,
}

impl Host {
    /// Where SMB listens.
    const SMB_PORT: u16 = 445;

    fn new(way: Way, name: &str, port: Option<&str>) -> Option<Host> {
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        // Without brackets, the last part of an IPv6 address would look like a port.
        let name = bare.or((!name.contains(':')).then_some(name))?;
        let is_name = |c: char| c.is_alphanumeric() || ".-_:%".contains(c);
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        let port = match (port, way) {
            (Some(port), _) => port.parse().ok().filter(|port| *port > 0)?,
            (None, Way::Pipe) => Self::SMB_PORT,
            (None, Way::Tcp) => return None,
        };
        Some(Host { name: name.to_owned(), port, way })
    }

    fn parse(text: &str) -> Option<Host> {
        if let Some(binding) = text.strip_prefix("ncacn_ip_tcp:") {
            let (name, port) = binding.strip_suffix(']')?.rsplit_once('[')?;
            return Host::new(Way::Tcp, name, Some(port));
        }
        if let Some(binding) = text.strip_prefix("ncacn_np:") {
            let endpoint = binding.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
            let (name, pipe) = endpoint.unwrap_or((binding, r"\PIPE\winreg"));
            return pipe.eq_ignore_ascii_case(r"\PIPE\winreg").then(|| Host::new(Way::Pipe, name, None))?;
        }
        let (scheme, address) =
            text.split_once("://").map_or((None, text), |(scheme, rest)| (Some(scheme), rest));
        let port = address.rsplit_once(':').filter(|(name, _)| !name.contains(':') || name.ends_with(']'));
        let way = match (scheme, port) {
            (Some("smb"), _) | (None, None) => Way::Pipe,
            (Some("tcp"), _) | (None, Some(_)) => Way::Tcp,
            _ => return None,
        };
        match port {
            Some((name, port)) => Host::new(way, name, Some(port)),
            None => Host::new(way, address, None),
        }
    }
}

/// From `SERVER`, `smb://SERVER`, `smb://SERVER:PORT`, `SERVER:PORT` or `tcp://SERVER:PORT`, or from a string binding of RPC:
/// `ncacn_np:SERVER`, `ncacn_ip_tcp:SERVER[PORT]`.
impl FromStr for Host {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Host, HostError> {
        Host::parse(text).ok_or_else(|| HostError { text: text.chars().take(100).collect() })
    }
}

/// As it can be read back, in the shortest form.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name.contains(':') { format!("[{}]", self.name) } else { self.name.clone() };
        match (self.way, self.port) {
            (Way::Pipe, Self::SMB_PORT) => f.write_str(&name),
            (Way::Pipe, port) => write!(f, "smb://{name}:{port}"),
            (Way::Tcp, port) => write!(f, "{name}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read() {
        for (text, way, name, port, shown) in [
            ("web1", Way::Pipe, "web1", 445, "web1"),
            ("192.0.2.7", Way::Pipe, "192.0.2.7", 445, "192.0.2.7"),
            ("[::1]", Way::Pipe, "::1", 445, "[::1]"),
            ("smb://web1", Way::Pipe, "web1", 445, "web1"),
            ("smb://web1:4450", Way::Pipe, "web1", 4450, "smb://web1:4450"),
            ("smb://[::1]:4450", Way::Pipe, "::1", 4450, "smb://[::1]:4450"),
            ("ncacn_np:web1", Way::Pipe, "web1", 445, "web1"),
            (r"ncacn_np:web1[\pipe\winreg]", Way::Pipe, "web1", 445, "web1"),
            ("web1:4915", Way::Tcp, "web1", 4915, "web1:4915"),
            ("tcp://web1:4915", Way::Tcp, "web1", 4915, "web1:4915"),
            ("127.0.0.1:1", Way::Tcp, "127.0.0.1", 1, "127.0.0.1:1"),
            ("[::1]:4915", Way::Tcp, "::1", 4915, "[::1]:4915"),
            ("ncacn_ip_tcp:web1[4915]", Way::Tcp, "web1", 4915, "web1:4915"),
        ] {
            let host: Host = text.parse().expect(text);
            assert_eq!(host, Host { name: name.to_owned(), port, way }, "{text}");
            assert_eq!(host.to_string(), shown);
            assert_eq!(shown.parse(), Ok(host));
        }
        for bad in [
            "",
            "web1:",
            "web1:0",
            "web1:99999",
            ":1",
            "::1",
            "[::1",
            "tcp://web1",
            "ftp://web1:1",
            "smb://",
            "smb://web1/share",
            r"\\web1",
            "we b1",
            "ncacn_ip_tcp:web1",
            r"ncacn_np:web1[\pipe\epmapper]",
        ] {
            assert!(bad.parse::<Host>().is_err(), "{bad}");
        }
    }
}
