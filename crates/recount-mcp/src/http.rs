//! Streamable HTTP on this machine alone, with a token.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use crate::gone::Gone;
use crate::server::Server;
use crate::{Options, ServeError, runtime};

/// The path that clients ask.
const PATH: &str = "/mcp";

/// How many connections there may be.
const MAX_CONNECTIONS: usize = 32;

/// How long a client may take to ask.
const MAX_HEADER_TIME: Duration = Duration::from_secs(30);

/// How long a client may take to send the token.
const MAX_STRANGE_TIME: Duration = Duration::from_secs(5);

type Answered = Response<BoxBody<Bytes, std::convert::Infallible>>;

/// A server on a port of this machine.
pub struct Http {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    service: StreamableHttpService<Server, LocalSessionManager>,
    address: SocketAddr,
    token: String,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the token.
        f.debug_struct("Http").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Http {
    /// Listens at an address of the loopback interface; port 0 takes a free one.
    pub fn bind(options: Options, address: SocketAddr) -> Result<Http, ServeError> {
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback(address));
        }
        let server = Server::new(options)?;
        let runtime = runtime()?;
        let listener = runtime.block_on(TcpListener::bind(address))?;
        let address = listener.local_addr()?;
        // A browser's page could be made to ask this server under a name of its own: so Host is checked, and any Origin but this server,
        // which serves no pages, is refused.
        let hosts = [address.to_string(), format!("localhost:{}", address.port())];
        let origins = hosts.clone().map(|host| format!("http://{host}"));
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(hosts)
            .with_allowed_origins(origins)
            .enforce_origin_validation();
        let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::default(), config);
        let mut token = [0_u8; 32];
        getrandom::fill(&mut token).map_err(std::io::Error::other)?;
        let token = token.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        Ok(Http { runtime, listener, service, address, token })
    }

    /// What clients connect to.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// What they send as `Authorization: Bearer TOKEN`.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Serves, until the process ends.
    pub fn serve(self) -> Result<(), ServeError> {
        let Http { runtime, listener, service, token, .. } = self;
        let token: Arc<str> = token.into();
        runtime.block_on(async move {
            let mut open = VecDeque::new();
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    // Too many open files: others may be closed soon.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                };
                make_room(&mut open).await;
                let is_known = Arc::new(AtomicBool::new(false));
                let served = serve_client(stream, service.clone(), token.clone(), is_known.clone());
                open.push_back(Connection { is_known, task: tokio::spawn(served).abort_handle() });
            }
        })
    }
}

/// A connection, the oldest first.
struct Connection {
    /// Whether its client has sent the token.
    is_known: Arc<AtomicBool>,
    task: AbortHandle,
}

/// Waits until there may be one more connection. Of too many, the oldest without the token is closed: strangers don't keep clients out.
async fn make_room(open: &mut VecDeque<Connection>) {
    loop {
        open.retain(|one| !one.task.is_finished());
        if open.len() < MAX_CONNECTIONS {
            return;
        }
        match open.iter().position(|one| !one.is_known.load(Ordering::Relaxed)) {
            Some(at) => drop(open.remove(at).map(|one| one.task.abort())),
            None => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

/// Answers a client, until one of both closes the connection.
async fn serve_client(
    stream: TcpStream,
    service: StreamableHttpService<Server, LocalSessionManager>,
    token: Arc<str>,
    is_known: Arc<AtomicBool>,
) {
    let answer = service_fn(|request| respond(&service, &token, &is_known, request));
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(MAX_HEADER_TIME)
        .serve_connection(TokioIo::new(stream), answer);
    let strange = async {
        tokio::time::sleep(MAX_STRANGE_TIME).await;
        if is_known.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        // A client that goes away is no error of the server.
        _ = served => {}
        () = strange => {}
    }
}

async fn respond(
    service: &StreamableHttpService<Server, LocalSessionManager>,
    token: &str,
    is_known: &AtomicBool,
    request: Request<Incoming>,
) -> Result<Answered, std::convert::Infallible> {
    let refused = |status: StatusCode, text: &'static str| {
        let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
        *response.status_mut() = status;
        response
    };
    if !has_token(request.headers(), token) {
        let mut response =
            refused(StatusCode::UNAUTHORIZED, "the token that recount mcp printed is needed\n");
        response.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
        return Ok(response);
    }
    is_known.store(true, Ordering::Relaxed);
    if request.uri().path() != PATH {
        return Ok(refused(StatusCode::NOT_FOUND, "the path is /mcp\n"));
    }
    // Dropped with the answer: when it is sent, or when the client is gone.
    let (open, gone) = Gone::when_dropped();
    let mut request = request;
    request.extensions_mut().insert(gone);
    let answer = service.handle(request).await;
    Ok(answer.map(|body| {
        body.map_frame(move |frame| {
            let _ = &open;
            frame
        })
        .boxed()
    }))
}

/// Compares in a time that doesn't depend on how much is right.
fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let sent = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        // The name of a scheme has no case.
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer"))
        .map(|(_, token)| token.trim_start_matches(' '));
    sent.is_some_and(|sent| {
        sent.len() == token.len()
            && sent.bytes().zip(token.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_compared() {
        let mut headers = HeaderMap::new();
        assert!(!has_token(&headers, "abc"));
        for (sent, is_right) in [
            ("Bearer abc", true),
            ("bearer abc", true),
            ("BEARER  abc", true),
            ("Basic abc", false),
            ("Bearerabc", false),
            ("Bearer abd", false),
            ("Bearer ab", false),
            ("abc", false),
            ("Bearer ", false),
        ] {
            headers.insert(AUTHORIZATION, sent.parse().expect("a header"));
            assert_eq!(has_token(&headers, "abc"), is_right, "{sent}");
        }
    }
}
