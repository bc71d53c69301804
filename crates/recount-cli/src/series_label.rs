//! What the rows of `stats` and `show` are called.

use std::collections::HashMap;

/// The paths of series, with the id where processes of one name would have the same: `\Process(svchost)\Thread Count (pid
/// 1234)`.
pub(crate) fn series_labels(series: impl Iterator<Item = (String, Option<u64>)> + Clone) -> Vec<String> {
    let mut ids: HashMap<String, Vec<Option<u64>>> = HashMap::new();
    for (path, id) in series.clone() {
        let known = ids.entry(path).or_default();
        if !known.contains(&id) {
            known.push(id);
        }
    }
    let label = |(path, id): (String, Option<u64>)| match id {
        Some(id) if ids[&path].len() > 1 => format!("{path} ({} {id})", word(&path)),
        _ => path,
    };
    series.map(label).collect()
}

/// What the ids are of.
fn word(path: &str) -> &'static str {
    let object = path.trim_start_matches('\\');
    let is_thread = |object: &str| object.get(..7).is_some_and(|name| name.eq_ignore_ascii_case("thread("));
    let parts = || object.split('\\');
    if parts().take(2).any(is_thread) { "id" } else { "pid" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_processes_of_one_name_apart() {
        let of = |rows: &[(&str, Option<u64>)]| {
            let rows: Vec<_> = rows.iter().map(|(path, id)| ((*path).to_owned(), *id)).collect();
            series_labels(rows.iter().cloned())
        };
        let (one, other) = (r"\\A\Process(a)\X", r"\\A\Process(b)\X");
        assert_eq!(of(&[(one, Some(1)), (other, Some(2)), (one, Some(1))]), [one, other, one]);
        let apart = [format!("{one} (pid 1)"), other.to_owned(), format!("{one} (pid 3)"), one.to_owned()];
        assert_eq!(of(&[(one, Some(1)), (other, None), (one, Some(3)), (one, None)]), apart);
        assert_eq!(
            of(&[(r"\Thread(a/0)\X", Some(1)), (r"\Thread(a/0)\X", Some(2))])[0],
            r"\Thread(a/0)\X (id 1)"
        );
    }
}
