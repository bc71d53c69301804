//! Files that a threshold file inherits, directly or indirectly.

use roxmltree::Node;

use super::document::{Document, attribute, elements};
use super::encoding;
use super::obstacle::Obstacle;
use super::text::{LEN_NAME, LEN_SNIPPET, file_name, one_line};

/// PAL's own files inherit up to 5.
const MAX_FILES: usize = 50;

/// Inherited files, nearest first, without duplicates.
#[derive(Default)]
pub(super) struct Inherited {
    /// Name and text of each; a document of each is sound.
    pub(super) texts: Vec<(String, String)>,
    /// Files that can't be read, by the line that names them; line 1 for files inherited indirectly.
    pub(super) obstacles: Vec<(u32, Obstacle)>,
    /// Their names.
    pub(super) missing: Vec<String>,
}

pub(super) fn read(
    pal: Node<'_, '_>,
    name_of_file: &str,
    beside: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Inherited {
    let mut inherited = Inherited::default();
    let mut seen = vec![file_name(name_of_file).to_lowercase()];
    let line_of = |node: Node<'_, '_>| node.document().text_pos_at(node.range().start).row;
    let mut wanted: Vec<(u32, String)> = names(pal).map(|(node, name)| (line_of(node), name)).collect();
    wanted.reverse();
    while let Some((line, path)) = wanted.pop() {
        let name = file_name(&path);
        if name.is_empty() || seen.contains(&name.to_lowercase()) || seen.len() >= MAX_FILES {
            continue;
        }
        seen.push(name.to_lowercase());
        let Some(bytes) = beside(name) else {
            inherited.missing.push(one_line(name, LEN_NAME));
            inherited.obstacles.push((line, Obstacle::Inheritance(one_line(&path, LEN_NAME))));
            continue;
        };
        let text = encoding::decode(&bytes).and_then(|text| {
            let more: Vec<String> = names(Document::parse(&text)?.pal()?).map(|(_, name)| name).collect();
            Ok((text, more))
        });
        match text {
            Ok((text, more)) => {
                inherited.texts.push((name.to_owned(), text));
                wanted.extend(more.into_iter().rev().map(|path| (line, path)));
            }
            Err(error) => {
                let reason = one_line(&error.to_string(), LEN_NAME + LEN_SNIPPET);
                inherited.missing.push(format!("{} (unreadable)", one_line(name, LEN_NAME)));
                inherited.obstacles.push((line, Obstacle::Inherited(one_line(&path, LEN_NAME), reason)));
            }
        }
    }
    inherited
}

fn names<'a, 'i>(pal: Node<'a, 'i>) -> impl Iterator<Item = (Node<'a, 'i>, String)> {
    elements(pal, "INHERITANCE")
        .filter_map(|node| attribute(node, "FILEPATH").map(|path| (node, path.to_owned())))
}
