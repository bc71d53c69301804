//! Whether the client of a request still waits for its answer.

use rmcp::model::Extensions;
use tokio::sync::watch;

/// Says that the client of a request is gone.
#[derive(Clone, Debug)]
pub(crate) struct Gone(watch::Receiver<()>);

impl Gone {
    /// And what says so when it is dropped.
    pub(crate) fn when_dropped() -> (watch::Sender<()>, Gone) {
        let (open, gone) = watch::channel(());
        (open, Gone(gone))
    }

    /// Waits until the client of a request over HTTP is gone, or has its answer.
    pub(crate) async fn of(extensions: &Extensions) {
        let of_request =
            extensions.get::<http::request::Parts>().and_then(|parts| parts.extensions.get::<Gone>());
        let Some(Gone(mut open)) = of_request.cloned() else { return std::future::pending().await };
        while open.changed().await.is_ok() {}
    }
}
