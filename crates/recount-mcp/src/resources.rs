//! Captures as resources: the digest of each.

use std::fmt::Write as _;

use rmcp::RoleServer;
use rmcp::model::{
    ErrorData, ListResourcesResult, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use rmcp::service::RequestContext;

use crate::ask::{Call, Page, Shared};
use crate::plain;
use crate::refusal::{Refusal, SENTENCE_LINE, shown};
use crate::tools::{DIGEST_BYTES, digest_words, find};

/// What addresses of captures begin with.
const PREFIX: &str = "recount://capture/";

/// How many bytes of lines are looked for when captures are listed.
const LISTED: Page = Page { max_bytes: 10_000, cursor: 0 };

/// How captures are addressed.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{PREFIX}{{path}}"), "capture")
        .with_description("The digest of a capture. The path is percent-encoded")
        .with_mime_type("text/plain")
}

/// Captures in the allowed folders.
pub(crate) async fn list(
    shared: &Shared,
    context: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    let call = Call::new(shared, context, LISTED);
    let found = find(&call, None, 0).await.map_err(invalid)?;
    let resource = |path: &std::path::Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Resource::new(address(&plain::name(&path.to_string_lossy())), plain::line(&name, SENTENCE_LINE))
            .with_mime_type("text/plain")
    };
    let resources = found.captures.iter().map(|(_, capture)| resource(&capture.path)).collect();
    Ok(ListResourcesResult::with_all_items(resources))
}

/// The digest of a capture.
pub(crate) async fn read(
    shared: &Shared,
    uri: &str,
    context: &RequestContext<RoleServer>,
) -> Result<ReadResourceResponse, ErrorData> {
    let unknown = || Refusal::new(format!("{}: an address {PREFIX}PATH is needed", shown(uri)));
    let path = uri.strip_prefix(PREFIX).and_then(decoded).ok_or_else(unknown).map_err(invalid)?;
    let call = Call::new(shared, context, Page { max_bytes: DIGEST_BYTES, cursor: 0 });
    let words = digest_words(call.folders(), &path, &<_>::default(), DIGEST_BYTES).map_err(invalid)?;
    let answer = call.print(&words, SENTENCE_LINE).await.map_err(invalid)?;
    Ok(ReadResourceResponse::Complete(ReadResourceResult::new(vec![ResourceContents::text(
        answer.output,
        uri,
    )])))
}

#[expect(clippy::needless_pass_by_value, reason = "as the errors of results come")]
fn invalid(refusal: Refusal) -> ErrorData {
    ErrorData::invalid_params(refusal.to_string(), None)
}

/// The address of a path; everything but letters, digits and `-._~` is percent-encoded.
fn address(path: &str) -> String {
    let mut address = PREFIX.to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a string can't fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first == b'%' {
            let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = rest.get(2..)?;
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_give_back_their_paths() {
        let path = "/a b/ü%41/x.blg";
        let address = address(path);
        assert_eq!(address, "recount://capture/%2Fa%20b%2F%C3%BC%2541%2Fx.blg");
        assert_eq!(decoded(address.trim_start_matches(PREFIX)).as_deref(), Some(path));
        assert_eq!(decoded("/a/b"), Some("/a/b".into()));
        assert!(["%", "%4", "%zz", "%ff"].iter().all(|text| decoded(text).is_none()));
    }
}
