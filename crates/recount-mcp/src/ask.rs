//! How tools ask the command.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::Options;
use crate::answer::Answer;
use crate::child::{self, Ended};
use crate::cut::Cutter;
use crate::folders::Folders;
use crate::gone::Gone;
use crate::plain;
use crate::refusal::Refusal;
use crate::words::Words;

/// How many commands run at once.
const MAX_CHILDREN: usize = 4;

/// The largest JSON of the command that is read as a whole.
const MAX_JSON: usize = 64 << 20;

/// The longest line of a table, in characters.
pub(crate) const TABLE_LINE: usize = 400;

/// What all calls of a server share.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub options: Arc<Options>,
    pub folders: Arc<Folders>,
    children: Arc<Semaphore>,
}

impl Shared {
    pub(crate) fn new(options: Options, folders: Folders) -> Shared {
        let children = Arc::new(Semaphore::new(MAX_CHILDREN));
        Shared { options: Arc::new(options), folders: Arc::new(folders), children }
    }
}

/// One call.
pub(crate) struct Call<'a> {
    shared: &'a Shared,
    context: &'a RequestContext<RoleServer>,
    begun: Instant,
    page: Page,
}

/// Which part of the output is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    pub max_bytes: usize,
    pub cursor: u64,
}

impl<'a> Call<'a> {
    pub(crate) fn new(shared: &'a Shared, context: &'a RequestContext<RoleServer>, page: Page) -> Call<'a> {
        Call { shared, context, begun: Instant::now(), page }
    }

    pub(crate) fn folders(&self) -> &Folders {
        &self.shared.folders
    }

    pub(crate) fn page(&self) -> Page {
        self.page
    }

    /// Takes lines of the part that is asked for.
    pub(crate) fn cutter(&self, max_line: usize) -> Cutter {
        Cutter::new(self.page.max_bytes, max_line, self.page.cursor)
    }

    /// What the command prints.
    pub(crate) async fn print(&self, words: &Words, max_line: usize) -> Result<Answer, Refusal> {
        self.print_to(words, self.cutter(max_line)).await
    }

    /// The same for a part that is begun.
    pub(crate) async fn print_to(&self, words: &Words, mut cutter: Cutter) -> Result<Answer, Refusal> {
        let ended = self
            .run(words, |bytes| {
                cutter.push(bytes);
                ControlFlow::Continue(())
            })
            .await?;
        let (output, next_cursor) = cutter.finish();
        let answer = Answer {
            command: words.shown(),
            output,
            exit_code: ended.code,
            next_cursor,
            notes: ended.notes(),
        };
        if answer.is_error() || ended.code.is_none() { Err(ended.refusal()) } else { Ok(answer) }
    }

    /// The command's JSON, with its texts as cells of a table, and what it said besides.
    pub(crate) async fn json(&self, words: &Words) -> Result<(Value, Ended), Refusal> {
        let mut text = Vec::new();
        let ended = self
            .run(words, |bytes| {
                text.extend_from_slice(bytes);
                if text.len() > MAX_JSON { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .await?;
        if text.len() > MAX_JSON {
            return Err(Refusal::new("too much matches: name fewer counters"));
        }
        if ended.code.is_none_or(|code| code > 1) {
            return Err(ended.refusal());
        }
        let value = serde_json::from_slice(&text)
            .map_err(|error| Refusal::new(format!("the command's JSON can't be read: {error}")))?;
        Ok((plain::cells(value), ended))
    }

    /// Runs the command. `take` gets its output as it arrives, and may end it.
    pub(crate) async fn run(
        &self,
        words: &Words,
        take: impl FnMut(&[u8]) -> ControlFlow<()> + Send,
    ) -> Result<Ended, Refusal> {
        self.run_for(words, self.time_left()?, take).await
    }

    /// The same within `limit`.
    pub(crate) async fn run_for(
        &self,
        words: &Words,
        limit: Duration,
        take: impl FnMut(&[u8]) -> ControlFlow<()> + Send,
    ) -> Result<Ended, Refusal> {
        let arguments = words.arguments()?;
        let closed = |_| Refusal::new("the server ends");
        let _permit = self.shared.children.acquire().await.map_err(closed)?;
        let cancelled = async {
            tokio::select! {
                () = self.context.ct.cancelled() => {}
                () = Gone::of(&self.context.extensions) => {}
            }
        };
        let running = child::run(&self.shared.options.program, arguments, limit, cancelled, take);
        match self.context.meta.get_progress_token() {
            None => running.await,
            Some(token) => {
                tokio::select! {
                    ended = running => ended,
                    never = self.report_progress(&self.context.peer, token) => never,
                }
            }
        }
    }

    /// Whether the client wants no answer any more.
    pub(crate) fn check_cancelled(&self) -> Result<(), Refusal> {
        if self.context.ct.is_cancelled() { Err(Refusal::new("cancelled")) } else { Ok(()) }
    }

    /// What is left of the time limit.
    pub(crate) fn time_left(&self) -> Result<Duration, Refusal> {
        let limit = self.shared.options.time_limit;
        limit.checked_sub(self.begun.elapsed()).ok_or_else(|| child::too_long(limit))
    }

    /// Says every second that a command runs.
    async fn report_progress(&self, peer: &Peer<RoleServer>, token: ProgressToken) -> Result<Ended, Refusal> {
        let limit = self.shared.options.time_limit.as_secs();
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let seconds = self.begun.elapsed().as_secs();
            let message = format!("running for {seconds} s; ended after {limit} s");
            let progress = ProgressNotificationParam::new(token.clone(), self.begun.elapsed().as_secs_f64());
            // A client that doesn't listen gets its answer nevertheless.
            let _ = peer.notify_progress(progress.with_message(message)).await;
        }
    }
}
