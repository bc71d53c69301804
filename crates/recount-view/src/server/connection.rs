//! Connections: so many at a time, and none that keeps the server waiting.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Connections at a time. A browser has six for a page; the room is for those that never ask for anything, and it stays below
/// the files that a process usually may have open.
const MAX_CONNECTIONS: usize = 512;
/// How long the head of a request may take: who is on this machine needs no time for it.
const HEAD_TIMEOUT: Duration = Duration::from_secs(4);
/// Longest head of a request, in bytes.
const MAX_LEN_HEAD: usize = 32 << 10;

/// Takes connections for ever.
pub(super) async fn accept(listener: TcpListener, router: Router) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        // The semaphore is never closed.
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of files, or a client that left at once.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        // Only a wish: answers are short.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .max_buf_size(MAX_LEN_HEAD)
                .serve_connection(TokioIo::new(stream), service);
            // Clients may leave when they like.
            let _ = connection.await;
            drop(place);
        });
    }
}
