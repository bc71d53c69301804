//! Programs with options that take secrets, though their names don't say so.

/// A program, and such options.
pub(super) struct Program {
    names: &'static [&'static str],
    /// The command of the program that has these options; empty: all of it has.
    pub(super) command: &'static str,
    /// Options of one letter.
    letters: &'static str,
    /// Options of one letter without a value, which may stand before another one in the same word (`-su`).
    flags: &'static str,
    /// Long options that take the same.
    long: &'static [&'static str],
    pub(super) takes: Takes,
    /// Options of the same program that take something else.
    others: &'static [Program],
}

/// What such an option takes, in the same word or as the next.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    Password,
    /// Only in the same word.
    PasswordAttached,
    /// `USER:PASSWORD` or `USER%PASSWORD`.
    UserAndPassword,
    /// `NAME=VALUE`; without `=` it is a file.
    Cookie,
    /// No option does, but the first argument of the command is a secret.
    Argument,
}

/// What most have.
const PLAIN: Program = Program {
    names: &[],
    command: "",
    letters: "p",
    flags: "",
    long: &[],
    takes: Takes::Password,
    others: &[],
};

const CURL_FLAGS: &str = "#01234:6BGIJLMNORSVZafgijklnpqsv";

#[rustfmt::skip]
const PROGRAMS: [Program; 15] = [
    Program {
        names: &[
            "mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlcheck", "mysqlshow", "mysqlslap", "mysqlpump", "mysqlbinlog",
            "mysqlsh", "mariadb", "mariadb-dump", "mariadb-admin", "mariadb-import", "mariadb-check", "mariadb-show",
            "mariadb-slap", "mariadb-binlog", "mariabackup", "mytop", "xtrabackup",
        ],
        flags: "ABCEGHNXbcfijnqrstvw",
        takes: Takes::PasswordAttached,
        ..PLAIN
    },
    Program { names: &["7z", "7za", "7zr", "7zz", "rar", "unrar"], flags: "h", takes: Takes::PasswordAttached, ..PLAIN },
    Program { names: &["sshpass"], flags: "v", ..PLAIN },
    Program {
        names: &[
            "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport", "mongostat", "mongotop", "mongofiles",
            "cqlsh", "rabbitmqadmin", "rdesktop", "beeline",
        ],
        ..PLAIN
    },
    Program {
        names: &[
            "docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oras", "crane", "oc", "cf", "az", "argocd", "heroku",
        ],
        command: "login",
        ..PLAIN
    },
    Program {
        names: &["sqlcmd", "bcp", "tsql", "ipmitool", "mosquitto_pub", "mosquitto_sub", "mosquitto_rr"],
        letters: "P",
        ..PLAIN
    },
    Program { names: &["zip", "unzip"], letters: "P", flags: "ABCDFGJLMNRSTVXacdefhjklmnopqruvz0123456789@", ..PLAIN },
    Program {
        names: &[
            "snmpwalk", "snmpbulkwalk", "snmpget", "snmpbulkget", "snmpgetnext", "snmpset", "snmptable", "snmpstatus", "snmptrap",
        ],
        letters: "AXc",
        ..PLAIN
    },
    Program {
        names: &["curl"],
        // `-E` takes `CERTIFICATE:PASSWORD`.
        letters: "uUE",
        flags: CURL_FLAGS,
        long: &["--user", "--proxy-user", "--cert", "--proxy-cert"],
        takes: Takes::UserAndPassword,
        others: &[Program { letters: "b", flags: CURL_FLAGS, long: &["--cookie"], takes: Takes::Cookie, ..PLAIN }],
        ..PLAIN
    },
    Program {
        names: &["smbclient", "rpcclient", "smbget", "smbcacls", "net", "winexe", "etcdctl"],
        letters: "U",
        flags: "ENPgk",
        long: &["--user"],
        takes: Takes::UserAndPassword,
        ..PLAIN
    },
    Program { names: &["redis-cli", "valkey-cli"], letters: "a", ..PLAIN },
    Program { names: &["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami", "ldappasswd"], letters: "w", flags: "ACLMNQWZcntuvx", ..PLAIN },
    Program {
        names: &["xfreerdp", "xfreerdp3", "wlfreerdp", "wlfreerdp3", "wfreerdp", "sdl-freerdp", "sdl-freerdp3"],
        long: &["/p:", "/gp:", "/pth:"],
        ..PLAIN
    },
    // Other options of it begin with `-k`.
    Program { names: &["openssl"], command: "enc", letters: "", long: &["-k", "-K"], ..PLAIN },
    Program { names: &["vault", "bao"], command: "login", letters: "", takes: Takes::Argument, ..PLAIN },
];

impl Program {
    pub(super) fn named(word: &str) -> Option<&'static Program> {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        PROGRAMS.iter().find(|program| program.names.contains(&name))
    }

    /// The value that an option has in its own word, and whose option it is; empty: it is the next word. `None`: it is another
    /// option.
    pub(super) fn value_in<'w>(&'static self, word: &'w str) -> Option<(&'static Program, &'w str)> {
        let mut all = std::iter::once(self).chain(self.others);
        all.find_map(|program| program.own_value_in(word).map(|value| (program, value)))
    }

    fn own_value_in<'w>(&self, word: &'w str) -> Option<&'w str> {
        let of_option = |option: &&str| {
            let rest = word.strip_prefix(option)?;
            if rest.is_empty() || option.ends_with(':') { Some(rest) } else { rest.strip_prefix('=') }
        };
        if let Some(value) = self.long.iter().find_map(of_option) {
            return Some(value);
        }
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let (at, letter) = letters.char_indices().find(|(_, letter)| !self.flags.contains(*letter))?;
        self.letters.contains(letter).then(|| &letters[at + letter.len_utf8()..])
    }
}
