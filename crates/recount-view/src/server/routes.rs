//! The routes of all requests.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use tokio::sync::Semaphore;

use super::guard::{Gate, guard};
use super::page::Page;
use super::response::{answer_of, done, refuse};
use super::{NUM_AT_ONCE, Quit};
use crate::engine::{Cancel, Engine, Question, Refusal};

/// Maximum length of a request's body, in bytes.
const MAX_LEN_BODY: usize = 1 << 20;
/// How long a body may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The state shared by handlers.
#[derive(Clone)]
struct App {
    engine: Arc<Engine>,
    quit: Quit,
    page: Option<Arc<Page>>,
    /// One for quick requests and one for slow ones: the latter never block the former.
    quick: Arc<Semaphore>,
    slow: Arc<Semaphore>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    Quick,
    Slow,
}

pub(super) fn router(engine: &Arc<Engine>, gate: Gate, quit: &Quit) -> Router {
    let lane = || Arc::new(Semaphore::new(NUM_AT_ONCE));
    let made = Page::new(&engine.opening.title).map(Arc::new);
    let app = App { page: made, engine: Arc::clone(engine), quit: quit.clone(), quick: lane(), slow: lane() };
    let questions = Question::ALL.into_iter().fold(Router::new(), |router, question| {
        let answer =
            move |State(app): State<App>, body: Body| async move { answered(&app, question, body).await };
        let how = if question.is_plain() { get(answer) } else { post(answer) };
        router.route(&format!("/{{token}}/api/{}", question.name()), how)
    });
    questions
        .route("/{token}", get(to_page))
        .route("/{token}/", get(page))
        .route("/{token}/api/quit", post(end))
        .fallback(nothing)
        .method_not_allowed_fallback(wrong_method)
        .with_state(app)
        .layer(from_fn_with_state(gate, guard))
}

/// The page uses addresses relative to its own.
async fn to_page(Path(token): Path<String>) -> Response {
    let mut response = answer_of(StatusCode::PERMANENT_REDIRECT, "text/plain", Vec::new());
    if let Ok(place) = HeaderValue::from_str(&format!("/{token}/")) {
        response.headers_mut().insert(LOCATION, place);
    }
    response
}

async fn page(State(app): State<App>) -> Response {
    let Some(page) = &app.page else { return nothing().await };
    let mut response = answer_of(StatusCode::OK, "text/html; charset=utf-8", page.html.clone().into_bytes());
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, page.policy.clone());
    response
}

async fn nothing() -> Response {
    refuse(&Refusal::new(404, "there is nothing here"))
}

async fn wrong_method() -> Response {
    refuse(&Refusal::new(405, "method not allowed"))
}

async fn end(State(app): State<App>) -> Response {
    app.quit.quit();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// Reads the content of a question and answers it.
async fn answered(app: &App, question: Question, body: Body) -> Response {
    let content = if question.is_plain() { Ok(Bytes::new()) } else { read(body).await };
    let content = match content {
        Ok(content) => content,
        Err(refusal) => return refuse(&refusal),
    };
    if question == Question::Progress {
        // This is cheap and never waits: it also shows that the server is alive.
        return done(app.engine.ask(question, &content, &Cancel::default()));
    }
    let lane = if question.is_slow(&content) { Lane::Slow } else { Lane::Quick };
    done(run(app, lane, move |engine, cancel| engine.ask(question, &content, cancel)).await)
}

/// Cancels the work when the client disconnects: its handler is dropped then.
struct GiveUp(Cancel);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs work on a thread that may block.
async fn run<T: Send + 'static>(
    app: &App,
    lane: Lane,
    work: impl FnOnce(&Engine, &Cancel) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let lane = if lane == Lane::Slow { &app.slow } else { &app.quick };
    let give_up = GiveUp(Cancel::default());
    let gone = |_| Refusal::new(503, "the server ends");
    let place = Arc::clone(lane).acquire_owned().await.map_err(gone)?;
    let (engine, cancel) = (Arc::clone(&app.engine), give_up.0.clone());
    let answer = tokio::task::spawn_blocking(move || {
        let answer = match cancel.check() {
            Ok(()) => work(&engine, &cancel),
            Err(cancelled) => Err(cancelled.into()),
        };
        drop(place);
        answer
    });
    answer.await.unwrap_or_else(|_| Err(Refusal::new(500, "the answer could not be computed; this is a bug")))
}

/// Reads a request's body.
async fn read(body: Body) -> Result<Bytes, Refusal> {
    let too_long = || Refusal::new(413, "a request has at most 1 MB");
    if body.size_hint().lower() > MAX_LEN_BODY as u64 {
        return Err(too_long());
    }
    let read = tokio::time::timeout(BODY_TIMEOUT, axum::body::to_bytes(body, MAX_LEN_BODY)).await;
    match read {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(too_long()),
        Err(_) => Err(Refusal::new(408, "the request took too long")),
    }
}
