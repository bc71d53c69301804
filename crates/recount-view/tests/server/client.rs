//! An HTTP/1.1 client over a socket, and the server for it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use recount::analysis::report::ViewFile;
use recount::analysis::rules::{SETS, parse_rules};
use recount_view::{Align, Opener, Opening, Quit, Viewer};
use serde_json::Value;

/// A server in a separate thread, which ends with this value.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) token: String,
    quit: Quit,
    thread: Option<JoinHandle<std::io::Result<()>>>,
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

fn opener(paths: Vec<PathBuf>) -> Opener {
    Box::new(move || recount::open_all(&paths, &recount::NameTable::new()).map_err(Into::into))
}

impl Server {
    pub(crate) fn of(paths: &[PathBuf]) -> Server {
        Server::comparing(paths, None, Align::Start)
    }

    pub(crate) fn comparing(paths: &[PathBuf], compared: Option<PathBuf>, align: Align) -> Server {
        Server::start(paths, compared, align, None)
    }

    pub(crate) fn with_view(paths: &[PathBuf], view: ViewFile) -> Server {
        Server::start(paths, None, Align::Start, Some(("saved.view.toml".into(), view)))
    }

    fn start(
        paths: &[PathBuf],
        compared: Option<PathBuf>,
        align: Align,
        view: Option<(PathBuf, ViewFile)>,
    ) -> Server {
        Server::opened(Server::opening(paths, compared, align, view))
    }

    pub(crate) fn opened(opening: Opening) -> Server {
        let viewer = Viewer::start(opening, 0).expect("a server");
        let url = viewer.url();
        let parts: Vec<&str> = url.trim_start_matches("http://127.0.0.1:").split('/').collect();
        let (port, token) = (parts[0].parse().expect("a port"), parts[1].to_owned());
        assert_eq!(token.len(), 32, "128 bits");
        let quit = viewer.quit();
        let thread = Some(std::thread::spawn(move || viewer.run()));
        Server { port, token, quit, thread }
    }

    /// Why a view can't be opened.
    pub(crate) fn refused(paths: &[PathBuf], view: ViewFile) -> String {
        let view = Some(("saved.view.toml".into(), view));
        let started = Viewer::start(Server::opening(paths, None, Align::Start, view), 0);
        started.err().expect("an error").to_string()
    }

    pub(crate) fn opening(
        paths: &[PathBuf],
        compared: Option<PathBuf>,
        align: Align,
        view: Option<(PathBuf, ViewFile)>,
    ) -> Opening {
        let sets = SETS.iter().map(|(_, text)| parse_rules(text).expect("a set"));
        Opening {
            open: opener(paths.to_vec()),
            compare: compared.clone().map(|path| opener(vec![path])),
            align,
            inputs: paths.to_vec(),
            beside: Vec::new(),
            shift: None,
            compared,
            reading: Vec::new(),
            title: "A <title>".into(),
            sets: sets.collect(),
            view,
        }
    }

    /// A server that has counted everything.
    pub(crate) fn counted(paths: &[PathBuf]) -> Server {
        let server = Server::of(paths);
        server.until(|server| server.get("progress")["state"] == "done");
        server
    }

    pub(crate) fn until(&self, is_so: impl Fn(&Server) -> bool) {
        while !is_so(self) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).expect("a connection")
    }

    /// Sends bytes and reads the whole reply.
    pub(crate) fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        // The server may answer before it has read everything.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(bytes[..end].to_vec()).expect("a text");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Reply { status, head, body: bytes[end + 4..].to_vec() }
    }

    pub(crate) fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        self.raw(&[request.as_bytes(), body].concat())
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn get(&self, name: &str) -> Value {
        let path = format!("/{}/api/{name}", self.token);
        let reply = self.request("GET", &path, &[("Host", &self.host())], b"");
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
        serde_json::from_slice(&reply.body).expect("JSON")
    }

    pub(crate) fn ask(&self, name: &str, body: &Value) -> Reply {
        let path = format!("/{}/api/{name}", self.token);
        let origin = format!("http://{}", self.host());
        let headers = [("Host", &*self.host()), ("Origin", &*origin)];
        self.request("POST", &path, &headers, body.to_string().as_bytes())
    }

    pub(crate) fn post(&self, name: &str, body: &Value) -> Value {
        let reply = self.ask(name, body);
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
        serde_json::from_slice(&reply.body).expect("JSON")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.quit.quit();
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
    }
}

/// A sample capture of the repository.
pub(crate) fn sample(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples")).join(name)
}
