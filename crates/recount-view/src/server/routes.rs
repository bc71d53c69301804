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
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::guard::{Gate, guard};
use super::page::Page;
use super::response::{JSON, answer_of, done, refuse};
use super::{NUM_AT_ONCE, Quit};
use crate::engine::{
    Cancel, CommandRequest, Engine, InstancesRequest, MarkRequest, PointsRequest, QueryAnswer, QueryRequest,
    Refusal, TopRequest,
};

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
    Router::new()
        .route("/{token}", get(to_page))
        .route("/{token}/", get(page))
        .route("/{token}/api/capture", get(capture))
        .route("/{token}/api/progress", get(progress))
        .route("/{token}/api/report", get(report))
        .route("/{token}/api/points", post(points))
        .route("/{token}/api/top", post(top))
        .route("/{token}/api/instances", post(instances))
        .route("/{token}/api/query", post(query))
        .route("/{token}/api/mark", post(mark))
        .route("/{token}/api/command", post(command))
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

async fn capture(State(app): State<App>) -> Response {
    work(&app, Lane::Quick, |engine, _| Ok(engine.capture())).await
}

async fn progress(State(app): State<App>) -> Response {
    // This is cheap and never waits: it also shows that the server is alive.
    done(serde_json::to_vec(&app.engine.progress()).map_err(|error| Refusal::new(500, error.to_string())))
}

async fn report(State(app): State<App>) -> Response {
    work(&app, Lane::Quick, |engine, _| engine.report_answer()).await
}

async fn points(State(app): State<App>, body: Body) -> Response {
    let request: PointsRequest = match read(body).await {
        Ok(request) => request,
        Err(refusal) => return refuse(&refusal),
    };
    let lane = if request.wait { Lane::Slow } else { Lane::Quick };
    work(&app, lane, move |engine, cancel| engine.points(&request, cancel)).await
}

async fn top(State(app): State<App>, body: Body) -> Response {
    let answer = |engine: &Engine, request: TopRequest, cancel: &Cancel| engine.top(&request, cancel);
    answered(&app, Lane::Slow, body, answer).await
}

async fn instances(State(app): State<App>, body: Body) -> Response {
    let answer =
        |engine: &Engine, request: InstancesRequest, cancel: &Cancel| engine.instances(&request, cancel);
    answered(&app, Lane::Quick, body, answer).await
}

async fn mark(State(app): State<App>, body: Body) -> Response {
    answered(&app, Lane::Slow, body, |engine, request: MarkRequest, _| engine.mark(&request)).await
}

async fn command(State(app): State<App>, body: Body) -> Response {
    answered(&app, Lane::Quick, body, |engine, request: CommandRequest, _| engine.commands(&request)).await
}

async fn query(State(app): State<App>, body: Body) -> Response {
    let request: QueryRequest = match read(body).await {
        Ok(request) => request,
        Err(refusal) => return refuse(&refusal),
    };
    let answer = run(&app, Lane::Slow, move |engine, cancel| match engine.query(&request, cancel)? {
        QueryAnswer::Table(table) => {
            let text = serde_json::to_vec(&table).map_err(|error| Refusal::new(500, error.to_string()))?;
            Ok((JSON, text))
        }
        QueryAnswer::File(kind, bytes) => Ok((kind, bytes)),
    });
    match answer.await {
        Ok((kind, bytes)) => answer_of(StatusCode::OK, kind, bytes),
        Err(refusal) => refuse(&refusal),
    }
}

async fn end(State(app): State<App>) -> Response {
    app.quit.quit();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// Reads a request and answers it.
async fn answered<Q, T>(
    app: &App,
    lane: Lane,
    body: Body,
    answer: impl FnOnce(&Engine, Q, &Cancel) -> Result<T, Refusal> + Send + 'static,
) -> Response
where
    Q: DeserializeOwned + Send + 'static,
    T: Serialize + 'static,
{
    match read::<Q>(body).await {
        Ok(request) => work(app, lane, move |engine, cancel| answer(engine, request, cancel)).await,
        Err(refusal) => refuse(&refusal),
    }
}

/// Answers with JSON.
async fn work<T: Serialize + 'static>(
    app: &App,
    lane: Lane,
    answer: impl FnOnce(&Engine, &Cancel) -> Result<T, Refusal> + Send + 'static,
) -> Response {
    let text = run(app, lane, move |engine, cancel| {
        let answer = answer(engine, cancel)?;
        serde_json::to_vec(&answer).map_err(|error| Refusal::new(500, error.to_string()))
    });
    done(text.await)
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

/// Reads a request's body, which is JSON.
async fn read<Q: DeserializeOwned>(body: Body) -> Result<Q, Refusal> {
    let too_long = || Refusal::new(413, "a request has at most 1 MB");
    if body.size_hint().lower() > MAX_LEN_BODY as u64 {
        return Err(too_long());
    }
    let read = tokio::time::timeout(BODY_TIMEOUT, axum::body::to_bytes(body, MAX_LEN_BODY)).await;
    let bytes: Bytes = match read {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return Err(too_long()),
        Err(_) => return Err(Refusal::new(408, "the request took too long")),
    };
    serde_json::from_slice(&bytes)
        .map_err(|error| Refusal::new(400, format!("the request isn't understood: {error}")))
}
