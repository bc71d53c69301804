//! Connections: limited in number, and none can keep the server waiting.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Maximum number of simultaneous connections. A browser opens six per page; the rest is for connections that never
/// send a request. It is less than the usual limit of open files per process.
const MAX_CONNECTIONS: usize = 512;
/// How long the head of a request may take: a local client needs no time for it.
const HEAD_TIMEOUT: Duration = Duration::from_secs(4);
/// Maximum length of a request's head, in bytes.
const MAX_LEN_HEAD: usize = 32 << 10;

/// Accepts connections forever.
pub(super) async fn accept(listener: TcpListener, router: Router, connections: Arc<GracefulShutdown>) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        // The semaphore is never closed.
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, or a client that disconnected immediately.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        // Failure doesn't matter: answers are short.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .max_buf_size(MAX_LEN_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            // Clients may disconnect at any time.
            let _ = connection.await;
            drop(place);
        });
    }
}
