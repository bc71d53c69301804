//! How a process is named: `python3 train.py (pid 1224, ml.service)`.

use recount_model::{Instance, ProcessDescription};

/// Instances of `Process`, without an id or with 0, that are the time in which nothing ran.
const NO_PROCESSES: [&str; 2] = ["Idle", "System Idle Process"];
/// A command line is cut after this many characters.
const MAX_LEN_PROGRAM: usize = 60;
/// This many digits of a container's id distinguish it, as runtimes themselves show it.
pub const LEN_SHORT_ID: usize = 12;
/// The kernel cuts the names of programs after this many bytes.
const LEN_COMM: usize = 15;

/// Whether an instance of `Process` is one, and not a sum or idle time.
pub fn is_process(instance: &Instance) -> bool {
    let is_named_idle = NO_PROCESSES.iter().any(|other| instance.name.eq_ignore_ascii_case(other));
    !(instance.is_total() || is_named_idle && instance.id.is_none_or(|id| id == 0))
}

/// A process with what is known of it: `python3 train.py (pid 1224, ml.service)`. `name` is that of its instance.
pub fn shown_process(name: &str, pid: Option<u64>, description: Option<&ProcessDescription>) -> String {
    let program = description.map_or_else(|| name.to_owned(), program_of);
    let pid = pid.map(|pid| format!("pid {pid}"));
    let place = description.and_then(place_of);
    let known: Vec<String> = pid.into_iter().chain(place).collect();
    if known.is_empty() { program } else { format!("{program} ({})", known.join(", ")) }
}

/// What it belongs to: its container, or its unit.
pub fn place_of(description: &ProcessDescription) -> Option<String> {
    let container = description.container_name.as_deref().map(str::to_owned);
    let id = || description.container.as_deref().map(|id| id.chars().take(LEN_SHORT_ID).collect());
    container.or_else(id).or_else(|| description.unit.as_deref().map(str::to_owned))
}

/// What it executes: its name, and the script of an interpreter.
pub fn program_of(description: &ProcessDescription) -> String {
    let name = whole_name(description);
    let Some((first, words)) = description.command.split_first() else { return name };
    let interpreter = base_of(first).trim_start_matches('-');
    let script = Interpreter::of(interpreter).and_then(|of| of.script(words));
    let Some(script) = script else { return name };
    let runs = cut(&format!("{interpreter} {script}"));
    let is_own_name = |own: &str| own.starts_with(&*name) || name.starts_with(own);
    let is_plain = name == interpreter || interpreter.starts_with(&name) || is_own_name(base_of(&script));
    let is_same_program = Interpreter::of(&name).is_some();
    if is_plain || is_same_program { runs } else { cut(&format!("{name}: {runs}")) }
}

/// Its name, in full where the kernel has cut it.
fn whole_name(description: &ProcessDescription) -> String {
    let name = &*description.name;
    let executable =
        description.executable.as_deref().map(|path| base_of(path.trim_end_matches(" (deleted)")));
    let whole = executable.filter(|whole| name.len() >= LEN_COMM && whole.starts_with(name));
    whole.unwrap_or(name).to_owned()
}

fn base_of(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path)
}

fn cut(text: &str) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(MAX_LEN_PROGRAM).collect();
    if chars.next().is_some() { head + "…" } else { head }
}

/// A program that runs programs of others, and how its command line names them.
struct Interpreter {
    /// Beginnings of its name.
    names: &'static [&'static str],
    /// Options whose value is another word.
    valued: &'static [&'static str],
    /// Options whose value is a program itself, or the name of a module: it is shown with them.
    naming: &'static [&'static str],
    /// Options whose value is the script.
    script: &'static [&'static str],
}

const INTERPRETERS: [Interpreter; 7] = [
    Interpreter {
        names: &["python", "pypy"],
        valued: &["-W", "-X", "--check-hash-based-pycs"],
        naming: &["-m", "-c"],
        script: &[],
    },
    Interpreter { names: &["perl"], valued: &[], naming: &["-e", "-E"], script: &[] },
    Interpreter { names: &["ruby"], valued: &["-C", "-E", "-I", "-r"], naming: &["-e"], script: &[] },
    Interpreter {
        names: &["bash", "sh", "dash", "ksh", "zsh", "ash"],
        valued: &["-o", "-O", "+o", "+O", "--rcfile", "--init-file"],
        naming: &["-c"],
        script: &[],
    },
    Interpreter {
        names: &["node", "nodejs"],
        valued: &["-r", "--require", "--import", "--loader", "-C", "--conditions"],
        naming: &["-e", "-p", "--eval", "--print"],
        script: &[],
    },
    Interpreter {
        names: &["java"],
        valued: &[
            "-cp",
            "-classpath",
            "--class-path",
            "-p",
            "--module-path",
            "--add-opens",
            "--add-exports",
            "--add-modules",
            "--add-reads",
        ],
        naming: &["-m", "--module"],
        script: &["-jar"],
    },
    Interpreter { names: &["php"], valued: &["-c", "-d", "-z"], naming: &["-r"], script: &["-f"] },
];

impl Interpreter {
    fn of(program: &str) -> Option<&'static Interpreter> {
        let program = program.trim_end_matches(".exe");
        let is_named = |name: &&str| {
            let rest = program.strip_prefix(*name);
            rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-'))
        };
        INTERPRETERS.iter().find(|one| one.names.iter().any(&is_named))
    }

    /// The script that a command line names; a program that is written in it, with its option.
    fn script<T: AsRef<str>>(&self, words: &[T]) -> Option<String> {
        let mut words = words.iter().map(AsRef::as_ref);
        while let Some(word) = words.next() {
            if self.script.contains(&word) {
                return words.next().map(|script| base_of(script).to_owned());
            }
            if let Some(option) = self.naming(word) {
                return words.next().map(|named| format!("{option} {}", one_line(named)));
            }
            if self.valued.contains(&word) {
                words.next();
            } else if word == "--" {
                return words.next().map(|script| base_of(script).to_owned());
            } else if !word.starts_with(['-', '+']) && !word.is_empty() {
                return Some(base_of(word).to_owned());
            }
        }
        None
    }

    /// The option that is followed by a program. Short ones may be written together: `bash -lc`.
    fn naming<'w>(&self, word: &'w str) -> Option<&'w str> {
        let is_joined = |option: &&&str| {
            let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            option.len() == 2
                && letters.is_some_and(|letters| {
                    letters.len() <= 4
                        && letters.chars().all(char::is_alphabetic)
                        && letters.ends_with(&option[1..])
                })
                && !self.valued.contains(&word)
                && self.names[0] != "java"
        };
        (self.naming.contains(&word) || self.naming.iter().find(is_joined).is_some()).then_some(word)
    }
}

/// The first line with anything in it.
fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(name: &str, command: &str) -> ProcessDescription {
        ProcessDescription {
            name: name.into(),
            command: command.split(' ').filter(|word| !word.is_empty()).map(Into::into).collect(),
            ..ProcessDescription::default()
        }
    }

    #[test]
    fn interpreters_are_named_with_their_scripts() {
        for (name, command, expected) in [
            ("python3", "python3 train.py --epochs 9", "python3 train.py"),
            ("python3.11", "/usr/bin/python3.11 -u -W ignore /srv/ml/train.py", "python3.11 train.py"),
            ("python3", "python3 -m http.server 80", "python3 -m http.server"),
            ("python3", "python3 -Bc pass", "python3 -Bc pass"),
            ("perl", "perl -w /usr/bin/exiftool x", "perl exiftool"),
            ("bash", "bash -e ./build.sh all", "bash build.sh"),
            ("sh", "/bin/sh -ec make all", "sh -ec make"),
            ("bash", "-bash", "bash"),
            ("sh", "sh -o errexit -- run.sh", "sh run.sh"),
            ("node", "node --max-old-space-size=99 -r dotenv/config server.js", "node server.js"),
            ("java", "java -Xmx4g -cp a.jar:b.jar org.example.Main x", "java org.example.Main"),
            ("java", "/opt/jdk/bin/java -jar /srv/app.jar --port 1", "java app.jar"),
            ("ruby", "ruby -I lib bin/rails server", "ruby rails"),
            ("build.sh", "/bin/bash ./build.sh", "bash build.sh"),
            ("a_very_long_scr", "/bin/sh /x/a_very_long_script.sh", "sh a_very_long_script.sh"),
            ("worker", "python3 app.py", "worker: python3 app.py"),
            // No interpreters, though their names begin like those of some.
            ("shutdown", "shutdown now", "shutdown"),
            ("nginx", "nginx: worker process", "nginx"),
            ("kworker/0:1", "", "kworker/0:1"),
            ("python3", "python3", "python3"),
        ] {
            assert_eq!(program_of(&described(name, command)), expected, "{command}");
        }
    }

    #[test]
    fn names_say_what_a_process_belongs_to() {
        let unit = ProcessDescription {
            unit: Some("ml.service".into()),
            ..described("python3", "python3 train.py")
        };
        assert_eq!(
            shown_process("python3", Some(1224), Some(&unit)),
            "python3 train.py (pid 1224, ml.service)"
        );
        let container = ProcessDescription { container: Some("3f2504e04f8941d39a0c".into()), ..unit.clone() };
        assert_eq!(
            shown_process("python3", Some(7), Some(&container)),
            "python3 train.py (pid 7, 3f2504e04f89)"
        );
        let named = ProcessDescription { container_name: Some("web".into()), ..container };
        assert_eq!(shown_process("python3", None, Some(&named)), "python3 train.py (web)");
        assert_eq!(shown_process("cc1", Some(7), None), "cc1 (pid 7)");
        let long = described("sh", &format!("sh {}", "x".repeat(4_000)));
        assert_eq!(program_of(&long).chars().count(), MAX_LEN_PROGRAM + 1);
        let cut = ProcessDescription {
            executable: Some("/usr/bin/recount-recorder-2 (deleted)".into()),
            ..described("recount-recorde", "x")
        };
        assert_eq!(program_of(&cut), "recount-recorder-2");
    }

    #[test]
    fn sums_and_idle_time_are_no_processes() {
        for name in ["_Total", "Idle", "System Idle Process", "idle"] {
            assert!(!is_process(&Instance::named(name)), "{name}");
            assert!(!is_process(&Instance { id: Some(0), ..Instance::named(name) }), "{name}");
        }
        // Somebody's program.
        assert!(is_process(&Instance { id: Some(812), ..Instance::named("idle") }));
        assert!(is_process(&Instance::named("idler")));
    }
}
