//! Admits only requests of the page that this server sent, by the token in its address.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;

use super::response::refuse;
use crate::engine::Refusal;

/// What requests must contain.
#[derive(Clone, Debug)]
pub(super) struct Gate(Arc<Secrets>);

#[derive(Debug)]
struct Secrets {
    token: String,
    port: u16,
    hosts: [String; 2],
    policy: HeaderValue,
}

impl Gate {
    pub(super) fn new(token: String, port: u16) -> Gate {
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        // Answers other than the page must not run any script.
        let policy = HeaderValue::from_static(
            "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
        );
        Gate(Arc::new(Secrets { token, port, hosts, policy }))
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.0.port, self.0.token)
    }

    /// Whether a request may be answered.
    fn check(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        let hosts = &self.0.hosts;
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        // Foreign pages reach local servers through names that resolve to this machine, but aren't ours.
        if headers.get_all(HOST).iter().count() != 1
            || !hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
        {
            return Err(Refusal::new(403, "this server answers only under its own address"));
        }
        let token = path.strip_prefix('/').unwrap_or_default().split('/').next().unwrap_or_default();
        if !is_same(token.as_bytes(), self.0.token.as_bytes()) {
            return Err(Refusal::new(404, "there is nothing here"));
        }
        let is_own = |origin: &HeaderValue| {
            let origin = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
            origin.is_some_and(|origin| hosts.iter().any(|own| own == origin))
        };
        if !headers.get_all(ORIGIN).iter().all(is_own) {
            return Err(Refusal::new(403, "only the viewer's own page may ask"));
        }
        if *method == Method::POST && !headers.contains_key(ORIGIN) {
            return Err(Refusal::new(403, "the request doesn't say which page it is from"));
        }
        Ok(())
    }
}

/// Compares in constant time, wherever two texts differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |found, (a, b)| found | (a ^ b)) == 0
}

/// Refuses requests that aren't allowed, and adds the security headers to every answer.
pub(super) async fn guard(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let checked = gate.check(request.method(), request.uri().path(), request.headers());
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(refusal) => refuse(&refusal),
    };
    let headers = response.headers_mut();
    headers.entry(CONTENT_SECURITY_POLICY).or_insert_with(|| gate.0.policy.clone());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // The address contains the token.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in all {
            headers.append(*name, value.parse().expect("a value"));
        }
        headers
    }

    #[test]
    fn only_the_own_page_gets_in() {
        let gate = Gate::new("00ff".into(), 8_000);
        let status = |method: Method, path: &str, all: &[(&'static str, &str)]| {
            gate.check(&method, path, &headers(all)).map_or_else(|refusal| refusal.status, |()| 200)
        };
        let (host, own) = (("host", "127.0.0.1:8000"), ("origin", "http://127.0.0.1:8000"));
        let api = "/00ff/api/capture";
        assert_eq!(status(Method::GET, api, &[host]), 200);
        assert_eq!(status(Method::GET, api, &[("host", "LOCALHOST:8000")]), 200);
        assert_eq!(status(Method::POST, api, &[host, own]), 200);
        assert_eq!(status(Method::POST, api, &[host]), 403);
        for foreign in ["http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:80", ""] {
            assert_eq!(status(Method::GET, api, &[host, ("origin", foreign)]), 403, "{foreign}");
        }
        assert_eq!(status(Method::POST, api, &[host, own, ("origin", "http://evil.example")]), 403);
        for foreign in ["evil.example:8000", "127.0.0.1", "127.0.0.1:80", ""] {
            assert_eq!(status(Method::GET, api, &[("host", foreign)]), 403, "{foreign}");
        }
        assert_eq!(status(Method::GET, api, &[]), 403);
        assert_eq!(status(Method::GET, api, &[host, host]), 403);
        for path in ["/", "", "/00fe/api/capture", "/00f/api/capture", "/api/00ff", "/00ffx/", "//00ff/"] {
            assert_eq!(status(Method::GET, path, &[host]), 404, "{path}");
        }
    }
}
