//! The server: local only, for clients that have the token.

mod connection;
mod guard;
mod page;
mod response;
mod routes;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hyper_util::server::graceful::GracefulShutdown;
use recount::Health;
use tokio::sync::Notify;

use crate::engine::{Engine, Opening, ViewError, start};
use guard::Gate;

/// A viewer that listens.
pub struct Viewer {
    engine: Arc<Engine>,
    listener: TcpListener,
    gate: Gate,
    quit: Quit,
}

/// Ends a viewer; all clones end the same one.
#[derive(Clone, Debug, Default)]
pub struct Quit(Arc<Notify>);

impl Quit {
    /// Asks it to end.
    pub fn quit(&self) {
        self.0.notify_one();
    }
}

/// What isn't answered so long after the end was asked for, isn't.
const LONGEST_END: Duration = Duration::from_millis(200);

/// Maximum number of requests answered at a time, per lane.
const NUM_AT_ONCE: usize = 4;

impl Viewer {
    /// Opens the captures and listens on a port of 127.0.0.1; 0 selects a free one.
    pub fn start(opening: Opening, port: u16) -> Result<Viewer, ViewError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let listener = listener.map_err(|source| ViewError::Listen { port, source })?;
        let port = listener.local_addr().map_err(|source| ViewError::Listen { port, source })?.port();
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).map_err(|error| ViewError::Start(error.to_string()))?;
        let token = format!("{:032x}", u128::from_be_bytes(random));
        let engine = start(opening)?;
        Ok(Viewer { engine, listener, gate: Gate::new(token, port), quit: Quit::default() })
    }

    /// What could not be read, per time line: the findings of opening, and more once [everything has been
    /// counted](Viewer::is_counted).
    pub fn health(&self) -> Vec<(String, Health)> {
        self.engine.health()
    }

    /// Whether everything has been read once.
    pub fn is_counted(&self) -> bool {
        self.engine.state().is_done
    }

    /// Why the span of the saved view can't be found in the captures.
    pub fn view_error(&self) -> Option<String> {
        self.engine.saved_view()?.error().map(str::to_owned)
    }

    /// The page's address.
    pub fn url(&self) -> String {
        self.gate.url()
    }

    /// A handle that ends it.
    pub fn quit(&self) -> Quit {
        self.quit.clone()
    }

    /// Answers requests until it is asked to end.
    pub fn run(&self) -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .thread_name("view-server")
            .max_blocking_threads(3 * NUM_AT_ONCE)
            .build()?;
        self.listener.set_nonblocking(true)?;
        let router = routes::router(&self.engine, self.gate.clone(), &self.quit);
        let listener = self.listener.try_clone()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let connections = Arc::new(GracefulShutdown::new());
            let accepting = tokio::spawn(connection::accept(listener, router, Arc::clone(&connections)));
            self.quit.0.notified().await;
            accepting.abort();
            let _ = accepting.await;
            self.engine.end();
            // Answers that are on their way, as that to the request that ended it, are sent first.
            if let Some(connections) = Arc::into_inner(connections) {
                let _ = tokio::time::timeout(LONGEST_END, connections.shutdown()).await;
            }
            Ok::<(), std::io::Error>(())
        })?;
        runtime.shutdown_timeout(LONGEST_END);
        Ok(())
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.engine.end();
    }
}
