//! The answer as JSON.

use serde_json::Value;

use super::answer::Moved;

/// The answer as JSON. Times are UTC, or local times without `Z` if the zone is unknown.
pub fn moved_json(moved: &Moved) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(moved)?;
    if moved.is_zone_unknown {
        local_times(&mut value);
    }
    Ok(value)
}

/// Removes the `Z` of times that aren't UTC.
pub(crate) fn local_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                match field.as_str() {
                    Some(text) if matches!(name.as_str(), "begin" | "end") => {
                        *field = text.trim_end_matches('Z').into();
                    }
                    _ => local_times(field),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(local_times),
        _ => {}
    }
}
