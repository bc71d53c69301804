//! The rule sets that come with recount.

/// Name and text of every set.
pub const SETS: [(&str, &str); 8] = [
    ("load", include_str!("sets/load.toml")),
    ("linux-system", include_str!("sets/linux-system.toml")),
    ("windows-system", include_str!("sets/windows-system.toml")),
    ("disk", include_str!("sets/disk.toml")),
    ("network", include_str!("sets/network.toml")),
    ("process-leaks", include_str!("sets/process-leaks.toml")),
    ("sql-server", include_str!("sets/sql-server.toml")),
    ("esxtop", include_str!("sets/esxtop.toml")),
];

/// The text of a set.
pub fn builtin(name: &str) -> Option<&'static str> {
    SETS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Whether a set of this name comes with recount.
pub(crate) fn is_builtin(name: &str) -> bool {
    builtin(name).is_some()
}

/// Whether a file has a list of tables by this name, `rule` or `tolerance`. Of one that isn't TOML, a line that begins it says so.
pub fn has_list(text: &str, name: &str) -> bool {
    match text.parse::<toml::Table>() {
        Ok(table) => table.contains_key(name),
        Err(_) => text.lines().any(|line| line.trim_start().starts_with(&format!("[[{name}]]"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::parse_rules;

    #[test]
    fn every_set_is_sound_and_every_rule_has_its_reasons() {
        for (name, text) in SETS {
            let set = parse_rules(text).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
            assert_eq!(set.name, name);
            assert!(!set.rules.is_empty(), "{name}");
            for rule in &set.rules {
                assert!(rule.source.len() > 10 && rule.explanation.len() > 40, "{name}: {}", rule.id);
            }
        }
    }
}
