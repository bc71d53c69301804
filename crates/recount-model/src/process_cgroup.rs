//! What the path of a process's cgroup says: its unit and its container (`formats/rcap.md#cgroups-of-processes`).

/// The types of units whose processes have cgroups of their own. Slices only contain these.
const UNIT_TYPES: [&str; 5] = ["service", "scope", "socket", "mount", "swap"];

/// What runtimes write before a container's id. Those of their monitors (`libpod-conmon-`) are no containers.
const ID_PREFIXES: [&str; 7] =
    ["", "docker-", "libpod-", "crio-", "cri-containerd-", "nerdctl-", "containerd-"];

/// Hexadecimal digits of a container's id.
const LEN_ID: usize = 64;

/// The unit of systemd that a cgroup belongs to: the innermost of its path.
pub fn unit_of_cgroup(path: &str) -> Option<&str> {
    path.rsplit('/').find(|name| is_unit(name))
}

fn is_unit(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, kind)| !stem.is_empty() && UNIT_TYPES.contains(&kind))
}

/// The id of the container that a cgroup belongs to, or its name if its runtime has no ids: the innermost of its path.
pub fn container_of_cgroup(path: &str) -> Option<String> {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    (0..names.len()).rev().find_map(|at| {
        let before = at.checked_sub(1).map(|before| names[before]);
        container_of_name(names[at], before)
    })
}

/// The container that a name in the path stands for; the name before it says which runtime it is.
fn container_of_name(name: &str, before: Option<&str>) -> Option<String> {
    let stem = name.strip_suffix(".scope").or_else(|| name.strip_suffix(".service")).unwrap_or(name);
    let id = ID_PREFIXES.iter().filter_map(|prefix| stem.strip_prefix(prefix)).find(|id| is_id(id));
    if let Some(id) = id {
        return Some(id.to_owned());
    }
    if let Some(name) = name.strip_prefix("lxc.payload.") {
        return Some(name.to_owned()).filter(|name| !name.is_empty());
    }
    if matches!(before, Some("lxc" | "lxc.payload")) {
        return Some(name.to_owned());
    }
    let of_machine = name.strip_suffix(".scope").and_then(|stem| stem.strip_prefix("machine-"));
    let of_nspawn = name.strip_suffix(".service").and_then(|stem| stem.strip_prefix("systemd-nspawn@"));
    of_machine.or(of_nspawn).map(unescaped).filter(|name| !name.is_empty())
}

fn is_id(text: &str) -> bool {
    text.len() == LEN_ID && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A name of which systemd has written some characters as `\xHH`.
fn unescaped(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped =
            after.strip_prefix(b"x").and_then(|hex| hex.first_chunk::<2>()).filter(|_| byte == b'\\');
        let escaped = escaped.and_then(|hex| Some((digit(hex[0])? << 4) | digit(hex[1])?));
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &after[3..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn digit(hex: u8) -> Option<u8> {
    char::from(hex).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "3f2504e04f8941d39a0c0305e82c33013f2504e04f8941d39a0c0305e82c3301";

    #[test]
    fn units_are_the_innermost() {
        let unit = unit_of_cgroup;
        assert_eq!(unit("/system.slice/nginx.service"), Some("nginx.service"));
        assert_eq!(unit("/system.slice/ml.service/worker"), Some("ml.service"));
        let user = "/user.slice/user-1000.slice/user@1000.service/app.slice/code\\x2dserver.service";
        assert_eq!(unit(user), Some("code\\x2dserver.service"));
        assert_eq!(unit("/user.slice/user-0.slice/session-3.scope"), Some("session-3.scope"));
        assert_eq!(unit("/system.slice"), None);
        assert_eq!(unit("/"), None);
        assert_eq!(unit("/.service/x.timer"), None);
    }

    #[test]
    fn containers_of_every_runtime() {
        let of = |path: &str| container_of_cgroup(&path.replace("ID", ID));
        for path in [
            "/docker/ID",
            "/system.slice/docker-ID.scope",
            "/machine.slice/libpod-ID.scope/container",
            "/libpod_parent/libpod-ID",
            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice/cri-containerd-ID.scope",
            "/kubepods/burstable/pod1-2/ID",
            "/kubepods.slice/kubepods-pod1.slice/crio-ID.scope",
            "/default/ID",
            "/ecs/task/ID",
        ] {
            assert_eq!(of(path).as_deref(), Some(ID), "{path}");
        }
        assert_eq!(of("/lxc.payload.web1/system.slice/x.service").as_deref(), Some("web1"));
        assert_eq!(of("/lxc/web1").as_deref(), Some("web1"));
        assert_eq!(of("/machine.slice/machine-web\\x2d1.scope/payload").as_deref(), Some("web-1"));
        assert_eq!(of("/machine.slice/systemd-nspawn@web1.service/payload").as_deref(), Some("web1"));
    }

    #[test]
    fn monitors_of_containers_are_outside_them() {
        let of = |path: &str| container_of_cgroup(&path.replace("ID", ID));
        for path in [
            "/machine.slice/libpod-conmon-ID.scope",
            "/crio-conmon-ID.scope",
            "/lxc.monitor.web1",
            "/system.slice/docker.service",
            "/kubepods/burstable/pod1-2",
            "/",
            "",
            "/machine.slice/machine-.scope",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
        assert_eq!(unescaped("a\\x2"), "a\\x2");
        assert_eq!(unescaped("a\\xzz\\x2d"), "a\\xzz-");
    }
}
