//! Converts regular expressions in counter paths to wildcards.
//!
//! PAL's files use them to choose the objects of named SQL Server instances:
//! `\(MSSQL|SQLServer).*:Locks(*)\Lock Waits/sec` becomes `\*:Locks(*)\Lock Waits/sec`. Where an expression
//! matches one of several texts, the wildcard matches any text.

/// The path with wildcards; `which` of object, instance and counter are regular expressions. `None` if
/// wildcards can't express it.
pub(super) fn path(expression: &str, which: [bool; 3]) -> Option<String> {
    let inner = expression.trim().trim_start_matches('^').trim_start_matches('\\');
    let (place, counter) = inner.rsplit_once('\\')?;
    let place = place.strip_suffix('\\').unwrap_or(place);
    let place = place.strip_suffix(r"\)").map_or_else(|| place.to_owned(), |place| format!("{place})"));
    // The last parentheses contain the instance, unless they are the whole object or are repeated.
    let instance_at = place.strip_suffix(')').and_then(|_| opening(&place)).filter(|at| *at > 0);
    let (object, instance) = match instance_at {
        Some(at) => (place.get(..at)?, Some(place.get(at + 1..place.len() - 1)?)),
        None => (place.as_str(), None),
    };
    let object = object.strip_suffix('\\').unwrap_or(object);
    let part = |text: &str, is_expression: bool| {
        if is_expression { wildcard(text) } else { Some(text.replace('\\', "")) }
    };
    let instance = match instance {
        Some(text) if text != "*" => format!("({})", part(text, which[1])?),
        Some(_) => "(*)".to_owned(),
        None => String::new(),
    };
    Some(format!(r"\{}{instance}\{}", part(object, which[0])?, part(counter, which[2])?))
}

/// The position of the opening parenthesis that matches the one at the end of a text.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn wildcard(expression: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = expression.trim_start_matches('^').trim_end_matches('$');
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..)?;
        let taken = match c {
            '(' => {
                let end = rest.find(')')?;
                let (inner, behind) = (rest.get(..end)?, rest.get(end + 1..)?);
                rest = behind;
                if inner.contains('(') {
                    return None;
                }
                None
            }
            '[' => {
                rest = rest.split_once(']')?.1;
                None
            }
            '\\' => {
                let escaped = rest.chars().next()?;
                rest = rest.get(escaped.len_utf8()..)?;
                if escaped.is_alphanumeric() { None } else { Some(escaped) }
            }
            // In `Avg. Disk` the dot is meant literally.
            '.' if !rest.starts_with(['*', '+', '{', '?']) => Some('.'),
            '.' => None,
            '*' | '+' | '?' | '{' | ')' | ']' | '}' | '|' => return None,
            c => Some(c),
        };
        let is_repeated = rest.starts_with(['*', '+', '?', '{']);
        if is_repeated && taken.is_some() {
            return None;
        }
        rest = repeated(rest)?;
        match taken {
            Some(c) => text.push(c),
            None if text.ends_with('*') => {}
            None => text.push('*'),
        }
    }
    Some(text)
}

/// The text after a repetition.
fn repeated(rest: &str) -> Option<&str> {
    match rest.chars().next() {
        Some('*' | '+' | '?') => Some(rest.get(1..)?.trim_start_matches('?')),
        Some('{') => Some(rest.split_once('}')?.1),
        _ => Some(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn objects_of_named_instances_become_wildcards() {
        let object = [true, false, false];
        for (expression, expected) in [
            (r"\(MSSQL|SQLServer).*:Locks(*)\Lock Waits/sec", r"\*:Locks(*)\Lock Waits/sec"),
            (r"\(MSSQL|SQLServer).*:Locks(_Total)\Lock Requests/sec", r"\*:Locks(_Total)\Lock Requests/sec"),
            (
                r"\\(MSSQL|SQLServer).*:Buffer Manager\\Page life expectancy",
                r"\*:Buffer Manager\Page life expectancy",
            ),
            (
                r"\MSSQL\$.*:Databases(*)\Log File(s) Size (KB)",
                r"\MSSQL$*:Databases(*)\Log File(s) Size (KB)",
            ),
            (r"\MSExchange.*\Latency", r"\MSExchange*\Latency"),
        ] {
            assert_eq!(path(expression, object).as_deref(), Some(expected), "{expression}");
        }
        assert_eq!(
            path(r"\Process(w3wp.*)\% Processor Time", [false, true, false]).as_deref(),
            Some(r"\Process(w3wp*)\% Processor Time")
        );
        for refused in [r"\(a(b)c)\X", r"\(a\X", "", r"\(a|b", r"\a**\b"] {
            assert_eq!(path(refused, object), None, "{refused}");
        }
    }
}
