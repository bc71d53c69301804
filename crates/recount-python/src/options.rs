//! Options of the command, which the library's hints name, as arguments in Python.

/// The text with `--zone Europe/Moscow` as `zone="Europe/Moscow"` and `--force` as `force=True`.
pub(crate) fn as_arguments(text: &str) -> String {
    let mut words = text.split(' ').peekable();
    let mut named: Vec<String> = Vec::new();
    while let Some(word) = words.next() {
        let bare = word.trim_end_matches([',', ';', ':', '.', ')']);
        let after = &word[bare.len()..];
        let Some(name) = bare.strip_prefix("--").filter(|name| is_name(name)) else {
            named.push(word.to_owned());
            continue;
        };
        let name = name.replace('-', "_");
        let value = if after.is_empty() { words.next_if(|next| is_value(next)) } else { None };
        named.push(match value {
            Some(value) => {
                let bare = value.trim_end_matches([',', ';', ':', ')']);
                format!("{name}=\"{bare}\"{}", &value[bare.len()..])
            }
            None if name == "force" => format!("force=True{after}"),
            None => format!("{name}{after}"),
        });
    }
    named.join(" ")
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|char| char.is_ascii_lowercase() || char == '-')
}

/// Whether a word after an option is its value: a time, an offset, a zone, or a placeholder such as `FILE`.
fn is_value(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_uppercase() || first.is_ascii_digit() || first == '+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_arguments() {
        let cases = [
            (
                "choose another name, or --force to replace it",
                "choose another name, or force=True to replace it",
            ),
            (
                "name its zone: --zone Europe/Moscow; or give its local time: 2015-03-26T22:15",
                "name its zone: zone=\"Europe/Moscow\"; or give its local time: 2015-03-26T22:15",
            ),
            ("times are local, not UTC. Set it with --zone", "times are local, not UTC. Set it with zone"),
            ("use --zone Europe/Moscow, or --zone +03:00", "use zone=\"Europe/Moscow\", or zone=\"+03:00\""),
            ("keep fewer logs: --max-size with --keep", "keep fewer logs: max_size with keep"),
            ("the file --odd_name.blg -- or another", "the file --odd_name.blg -- or another"),
        ];
        for (of_command, in_python) in cases {
            assert_eq!(as_arguments(of_command), in_python);
        }
    }
}
