//! Templates, filled in.

use minijinja::Environment;
use minijinja::value::{Serde, Value};
use serde::Serialize;

use crate::files::TEMPLATES;

/// Why a page could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the page can't be made: {0:#}")]
pub struct PageError(#[from] minijinja::Error);

/// Fills in a template (`page.html`) with a context as `README.md` describes it. Everything that isn't our own markup is
/// escaped.
pub fn render(template: &str, context: &impl Serialize) -> Result<String, PageError> {
    let mut environment = Environment::new();
    for (path, text) in TEMPLATES {
        // The name ends in .html, which turns escaping on.
        environment.add_template(path.trim_start_matches("templates/"), text)?;
    }
    Ok(environment.get_template(template)?.render(Value::from(Serde(context)))?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_escaped() {
        let context = json!({
            "title": "<b>&", "script": "let a = 1 < 2;", "capture": {"names": [], "hosts": []},
            "findings": [], "num_critical": 0, "num_warning": 0, "num_info": 0, "objects": [], "overview": [], "marks": [], "rules": {}, "health": {},
        });
        let page = render("page.html", &context).expect("a page");
        assert!(page.contains("<title>&lt;b&gt;&amp; - recount</title>"), "{page}");
        assert!(page.contains("<script>let a = 1 < 2;</script>"), "{page}");
    }

    #[test]
    fn an_unknown_template_is_an_error() {
        let error = render("none.html", &json!({})).expect_err("an error");
        assert!(error.to_string().starts_with("the page can't be made: "), "{error}");
    }
}
