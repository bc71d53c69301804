//! Makes HTTP responses.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;

use crate::engine::{Answer, JSON, Refusal};

pub(super) fn done(answer: Result<Answer, Refusal>) -> Response {
    match answer {
        Ok((kind, bytes)) => answer_of(StatusCode::OK, kind, bytes),
        Err(refusal) => refuse(&refusal),
    }
}

pub(super) fn answer_of(status: StatusCode, kind: &'static str, bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// The response for a refused request.
pub(super) fn refuse(refusal: &Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer_of(status, JSON, refusal.json())
}
