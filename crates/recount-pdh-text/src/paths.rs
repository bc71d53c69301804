//! The counter paths of a header, with the backslashes that were lost or doubled on the way
//! (`formats/pdh-text.md#header`).

use std::collections::HashMap;

use recount_model::{CounterPath, FindingKind, Health, Occurrence};

use crate::header::HeaderCell;
use crate::text::Text;

/// The paths of header cells; `None` for a cell that isn't the path of one counter.
pub(crate) fn paths_of(cells: &[HeaderCell], text: &Text, health: &mut Health) -> Vec<Option<CounterPath>> {
    let mut note = |cell: &HeaderCell, what: String| {
        health.note(FindingKind::Odd, text.header_place(cell.ofs, Some("counter path")), what);
    };
    if let Some(first) = cells.first().filter(|_| are_doubled(cells)) {
        note(first, "every backslash of the paths is doubled: read as one".to_owned());
        return cells.iter().map(|cell| path_of(&cell.text.replace(r"\\", r"\"))).collect();
    }
    let mut paths: Vec<Option<CounterPath>> = cells.iter().map(|cell| path_of(&cell.text)).collect();
    let objects = objects_of_hosts(&paths);
    let (mut num_lost, mut first_lost) = (0_usize, None);
    for (cell, path) in cells.iter().zip(&mut paths) {
        let is_host = |path: &CounterPath| {
            path.host.is_none() && objects.get(&path.object.to_lowercase()) == Some(&true)
        };
        if path.as_ref().is_some_and(is_host) {
            *path = path_of(&format!(r"\{}", cell.text));
            num_lost += 1;
            first_lost.get_or_insert(cell);
        }
    }
    if let Some(first) = first_lost {
        let what = format!(
            "{num_lost} paths begin with one backslash before the host, and two are expected: the first is `{}`, read as `\\{}`",
            first.text, first.text
        );
        note(first, what);
    }
    paths
}

/// The path of a cell; `None` if it isn't the path of one counter.
fn path_of(text: &str) -> Option<CounterPath> {
    let path: CounterPath = text.parse().ok()?;
    (path.index != Some(Occurrence::Any)).then_some(path)
}

/// Whether all backslashes come in pairs, in all paths.
fn are_doubled(cells: &[HeaderCell]) -> bool {
    let is_doubled = |text: &str| {
        let mut rest = text;
        let mut num_runs = 0;
        while let Some(at) = rest.find('\\') {
            let behind = rest[at..].trim_start_matches('\\');
            if (rest.len() - at - behind.len()) % 2 == 1 {
                return false;
            }
            num_runs += 1;
            rest = behind;
        }
        num_runs > 1 && text.starts_with(r"\\")
    };
    let mut with_paths = cells.iter().filter(|cell| cell.text.contains('\\')).peekable();
    with_paths.peek().is_some() && with_paths.all(|cell| is_doubled(&cell.text))
}

/// The objects without a host, in lower case, and whether each is a host in fact: an object without instances, each of
/// whose counters is an object and its counter.
fn objects_of_hosts(paths: &[Option<CounterPath>]) -> HashMap<String, bool> {
    let mut objects = HashMap::new();
    for path in paths.iter().flatten().filter(|path| path.host.is_none()) {
        let is_path = || path_of(&format!(r"\{}", path.counter)).is_some();
        let is_host = path.instance.is_none() && path.counter.contains('\\') && is_path();
        objects.entry(path.object.to_lowercase()).and_modify(|all| *all &= is_host).or_insert(is_host);
    }
    objects
}
