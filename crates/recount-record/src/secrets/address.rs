//! Addresses: the user and the password in them, and their parameters.

use std::borrow::Cow;

use super::{MASK, is_key, mask_value};

/// `SCHEME://USER:PASSWORD@HOST`, `https://TOKEN@HOST`, and `?token=...`.
pub(super) fn mask_address(value: &str) -> Option<String> {
    let (scheme, rest) = value.split_once("://")?;
    let (masked_user, len_user) = mask_user(scheme, rest).unwrap_or_default();
    let mut masked = format!("{scheme}://{masked_user}");
    let mut is_masked = len_user > 0;
    let path = &rest[len_user..];
    let Some(at) = path.find(['?', '#']) else {
        masked.push_str(path);
        return is_masked.then_some(masked);
    };
    masked.push_str(&path[..at]);
    for parameter in path[at..].split_inclusive(['?', '#', '&', ';']) {
        let ends = parameter.ends_with(['?', '#', '&', ';']);
        let (parameter, between) = parameter.split_at(parameter.len() - usize::from(ends));
        let part = mask_value(parameter);
        is_masked |= matches!(part, Cow::Owned(_)) || part == MASK;
        masked.push_str(&part);
        masked.push_str(between);
    }
    is_masked.then_some(masked)
}

/// Masks what stands before the host, if it is a secret. Returns it with the length of what it replaces.
fn mask_user(scheme: &str, rest: &str) -> Option<(String, usize)> {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = &rest[..end];
    if let Some(user) = authority.rfind('@').map(|at| &authority[..at]).filter(|user| !user.contains(':')) {
        // Browsers and their like send no name without a password: it is a token.
        let is_token = scheme.to_lowercase().ends_with("http") || scheme.to_lowercase().ends_with("https");
        return (!user.is_empty() && (is_token || is_key(user))).then(|| (MASK.to_owned(), user.len()));
    }
    let port = authority.rsplit(':').next().unwrap_or_default();
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    if !authority.contains(':') || (is_port && !authority.contains('@')) {
        return None;
    }
    // A password may contain any of these characters if nobody escaped them, so the last @ counts.
    let at = rest.rfind('@')?;
    let (user, password) = rest[..at].split_once(':')?;
    // `https://TOKEN:@HOST`, `https://TOKEN:x-oauth-basic@HOST`
    let is_token = is_key(user) || matches!(password, "" | "x-oauth-basic" | "x-oauth-token");
    let user = if is_token { MASK } else { user };
    Some((format!("{user}:{MASK}"), at))
}
