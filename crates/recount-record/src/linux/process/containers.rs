//! The names of containers, where their runtime keeps them in files that can be read.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;

/// Containers whose names are kept.
const MAX_KEPT: usize = 4096;
/// Bytes of a runtime's file that are read.
const MAX_LEN_FILE: u64 = 16 << 20;
/// A runtime may name a container after its first process runs: it is asked again after so long.
const AGAIN: Duration = Duration::from_secs(10);

/// Names by the ids that runtimes have in cgroups.
#[derive(Debug)]
pub(super) struct ContainerNames {
    /// The root of the file system.
    root: PathBuf,
    /// Where the user's own containers are, if not of root.
    storage_of_user: Option<PathBuf>,
    /// By id; of those without a name, when that was asked for.
    known: HashMap<String, Result<Arc<str>, Instant>>,
}

/// An entry of podman's `containers.json` (containers/storage, `Container`).
#[derive(Deserialize)]
struct PodmanContainer {
    id: String,
    #[serde(default)]
    names: Vec<String>,
}

/// Of docker's `config.v2.json` (moby, `container.Container`).
#[derive(Deserialize)]
struct DockerContainer {
    #[serde(rename = "Name")]
    name: String,
}

impl Default for ContainerNames {
    fn default() -> Self {
        let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
        let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share"));
        let storage_of_user = data.or_else(home).map(|data| data.join("containers/storage"));
        ContainerNames { root: PathBuf::from("/"), storage_of_user, known: HashMap::new() }
    }
}

impl ContainerNames {
    /// The name of a container. `None` if no runtime tells it.
    pub(super) fn name(&mut self, id: &str) -> Option<Arc<str>> {
        match self.known.get(id) {
            Some(Ok(name)) => return Some(Arc::clone(name)),
            Some(Err(asked)) if asked.elapsed() < AGAIN => return None,
            _ => {}
        }
        // Other ids are names themselves.
        let is_id = id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let name: Option<Arc<str>> = is_id.then(|| self.read(id)).flatten().map(Arc::from);
        if self.known.len() >= MAX_KEPT {
            self.known.clear();
        }
        self.known.insert(id.to_owned(), name.clone().ok_or_else(Instant::now));
        name
    }

    fn read(&self, id: &str) -> Option<String> {
        self.of_kubelet(id).or_else(|| self.of_docker(id)).or_else(|| self.of_podman(id))
    }

    /// The kubelet links a log for each container: `/var/log/containers/POD_NAMESPACE_CONTAINER-ID.log` (Kubernetes, "Logging
    /// Architecture"). None of the three has an underscore.
    fn of_kubelet(&self, id: &str) -> Option<String> {
        let end = format!("-{id}.log");
        let of_entry = |entry: std::io::Result<std::fs::DirEntry>| {
            let file_name = entry.ok()?.file_name();
            let mut parts = file_name.to_str()?.strip_suffix(&end)?.splitn(3, '_');
            let (pod, namespace, container) = (parts.next()?, parts.next()?, parts.next()?);
            Some(format!("{namespace}/{pod}/{container}"))
        };
        self.root.join("var/log/containers").read_dir().ok()?.find_map(of_entry)
    }

    fn of_docker(&self, id: &str) -> Option<String> {
        let path = self.root.join("var/lib/docker/containers").join(id).join("config.v2.json");
        let container: DockerContainer = json(&path)?;
        Some(container.name.trim_start_matches('/').to_owned()).filter(|name| !name.is_empty())
    }

    fn of_podman(&self, id: &str) -> Option<String> {
        let of_root = self.root.join("var/lib/containers/storage");
        let name = |storage: &Path| {
            let all: Vec<PodmanContainer> = json(&storage.join("overlay-containers/containers.json"))?;
            all.into_iter().find(|container| container.id == id)?.names.into_iter().next()
        };
        name(&of_root).or_else(|| name(self.storage_of_user.as_deref()?))
    }
}

fn json<T: for<'de> Deserialize<'de>>(path: &Path) -> Option<T> {
    let mut text = Vec::new();
    File::open(path).ok()?.take(MAX_LEN_FILE).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> String {
        digit.to_string().repeat(64)
    }

    /// Files as the runtimes write them, with what is left out here as `...`.
    #[test]
    fn each_runtime_says_its_names() {
        let root = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        };
        write(&format!("var/log/containers/shop-7d4_default_web-{}.log", id('a')), "");
        write(
            &format!("var/lib/docker/containers/{}/config.v2.json", id('b')),
            r#"{"State":{"Running":true},"Name":"/cache","Config":{"Hostname":"b"}}"#,
        );
        let podman = format!(
            r#"[{{"id":"{}","names":["queue"],"image":"","layer":"f9","created":"2026-12-01T04:55:58Z"}},{{"id":"{}"}}]"#,
            id('c'),
            id('d')
        );
        write("var/lib/containers/storage/overlay-containers/containers.json", &podman);
        write("home/containers/storage/overlay-containers/containers.json", &podman.replace('c', "e"));
        let mut names = ContainerNames {
            root: root.path().to_owned(),
            storage_of_user: Some(root.path().join("home/containers/storage")),
            known: HashMap::new(),
        };
        let mut of = |id: &str| names.name(id).as_deref().map(str::to_owned);
        let found = ['a', 'b', 'c', 'd', 'e', 'f'].map(|digit| of(&id(digit)));
        let expected =
            [Some("default/shop-7d4/web"), Some("cache"), Some("queue"), None, Some("queue"), None];
        assert_eq!(found.each_ref().map(Option::as_deref), expected);
        assert_eq!(of("../../etc"), None);
        // They are kept.
        std::fs::remove_dir_all(root.path().join("var")).expect("removed");
        assert_eq!(of(&id('c')).as_deref(), Some("queue"));
    }
}
