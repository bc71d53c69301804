//! Secrets in command lines, which don't belong in a log: the rule is `formats/rcap.md#secrets`.

use std::borrow::Cow;

/// What stands in place of a secret.
pub const MASK: &str = "***";

/// Names that say that a value is a secret, without `-` and `_`, in lower case: at the end of an option's or a variable's
/// name.
const SECRET_NAMES: [&str; 19] = [
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "pw",
    "secret",
    "secrets",
    "token",
    "tokens",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authkey",
    "credentials",
    "credential",
    "auth",
    "pat",
];
/// Beginnings of keys that are recognised wherever they stand.
const KEY_PREFIXES: [&str; 15] = [
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "sk-",
    "sk_live_",
    "rk_live_",
    "eyJ",
];
/// Shorter words aren't keys.
const MIN_LEN_KEY: usize = 16;
/// A program with options of one letter that take secrets.
struct Program {
    names: &'static [&'static str],
    options: &'static [&'static str],
    takes: Takes,
}

/// What such an option takes, in the same word or as the next.
#[derive(Clone, Copy)]
enum Takes {
    Password,
    /// Only in the same word.
    PasswordAttached,
    /// `USER:PASSWORD` or `USER%PASSWORD`.
    UserAndPassword,
}

const PROGRAMS: [Program; 6] = [
    Program {
        names: &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
        ],
        options: &["-p"],
        takes: Takes::PasswordAttached,
    },
    Program { names: &["sshpass"], options: &["-p"], takes: Takes::Password },
    Program { names: &["curl"], options: &["-u", "-U"], takes: Takes::UserAndPassword },
    Program { names: &["smbclient", "rpcclient"], options: &["-U"], takes: Takes::UserAndPassword },
    Program { names: &["redis-cli"], options: &["-a"], takes: Takes::Password },
    Program { names: &["ldapsearch", "ldapmodify", "ldapadd"], options: &["-w"], takes: Takes::Password },
];
/// Schemes of the header `Authorization`.
const SCHEMES: [&str; 4] = ["bearer", "basic", "digest", "token"];

/// Texts within texts within texts aren't read any deeper.
const MAX_DEPTH: u8 = 4;

/// The words of a command line, with [`MASK`] in place of what may be a secret. It is a filter, not a proof: a secret
/// that nothing marks as one, such as an argument without a name, stays.
pub fn masked<'w>(words: impl IntoIterator<Item = &'w str>) -> Vec<Cow<'w, str>> {
    let mut state = State::default();
    words.into_iter().map(|word| state.mask(word)).collect()
}

/// What the words so far say about the next one.
#[derive(Default)]
struct State {
    /// The options of one letter that the program has; only few programs are known.
    options: Option<&'static Program>,
    next: Next,
    depth: u8,
}

/// What the next word is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Next {
    #[default]
    Ordinary,
    /// The value of an option whose name says that it is a secret.
    Secret,
    /// `USER:PASSWORD`.
    UserAndPassword,
    /// After the scheme of an authorization.
    Credentials,
}

impl State {
    /// A word, or a text of several.
    fn mask<'w>(&mut self, word: &'w str) -> Cow<'w, str> {
        let is_text = word.contains(char::is_whitespace) && self.next != Next::Secret;
        if is_text && self.depth < MAX_DEPTH {
            self.next = Next::Ordinary;
            return mask_text(word, self.depth + 1);
        }
        self.mask_one(word)
    }

    fn mask_one<'w>(&mut self, word: &'w str) -> Cow<'w, str> {
        match std::mem::take(&mut self.next) {
            // An option without a value is followed by the next option.
            Next::Secret if !is_option(word) => return Cow::Borrowed(MASK),
            Next::UserAndPassword if !is_option(word) => return mask_password(word),
            Next::Credentials => return Cow::Borrowed(MASK),
            _ => {}
        }
        if is_scheme(word) {
            self.next = Next::Credentials;
            return Cow::Borrowed(word);
        }
        if let Some(masked) = self.mask_short(word) {
            return masked;
        }
        if is_option(word) {
            if !word.contains(['=', ':']) && is_secret_name(word) {
                self.next = Next::Secret;
                return Cow::Borrowed(word);
            }
        } else if let Some(program) = Program::named(word) {
            // Also after `sudo`, or in the middle of a pipe.
            self.options = Some(program);
        }
        mask_word(word)
    }

    /// Options of one letter, which only the program gives a meaning.
    fn mask_short<'w>(&mut self, word: &'w str) -> Option<Cow<'w, str>> {
        let program = self.options?;
        let option = program.options.iter().find(|option| word.starts_with(**option))?;
        let value = word.strip_prefix(option)?;
        let masked = match (program.takes, value) {
            // Without a value, these programs ask for the password.
            (Takes::PasswordAttached, "") => return None,
            (Takes::Password, "") => {
                self.next = Next::Secret;
                Cow::Borrowed(word)
            }
            (Takes::UserAndPassword, "") => {
                self.next = Next::UserAndPassword;
                Cow::Borrowed(word)
            }
            (Takes::UserAndPassword, value) => Cow::Owned(format!("{option}{}", mask_password(value))),
            (Takes::Password | Takes::PasswordAttached, _) => Cow::Owned(format!("{option}{MASK}")),
        };
        Some(masked)
    }
}

impl Program {
    fn named(word: &str) -> Option<&'static Program> {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        PROGRAMS.iter().find(|program| program.names.contains(&name))
    }
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && (word.starts_with('-') || (word.starts_with('/') && !word[1..].contains('/')))
}

/// Whether a name says that its value is a secret: `--db-password`, `PGPASSWORD`, `AWS_SECRET_ACCESS_KEY`.
fn is_secret_name(name: &str) -> bool {
    let last_word = name.rsplit(['-', '_', '.']).next().unwrap_or(name).to_lowercase();
    let name: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    // Short names count only as whole words: `--group-by-pw` does, `--help-pwned` and `--draw` don't.
    SECRET_NAMES.iter().any(|secret| {
        if secret.len() <= 4 { last_word == *secret || name == *secret } else { name.ends_with(secret) }
    })
}

fn is_scheme(word: &str) -> bool {
    let word = word.rsplit(':').next().unwrap_or(word).trim();
    SCHEMES[..3].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// `USER:PASSWORD`, of which only the password is a secret.
fn mask_password(word: &str) -> Cow<'_, str> {
    let at = word.find([':', '%']);
    at.map_or(Cow::Borrowed(word), |at| Cow::Owned(format!("{}{MASK}", &word[..=at])))
}

/// A word without spaces: `NAME=VALUE`, `NAME:VALUE`, an address, or a key.
fn mask_word(word: &str) -> Cow<'_, str> {
    // In an address, `=` is part of its parameters.
    let setting = word.split_once('=').filter(|(name, _)| !name.contains("://"));
    if let Some((name, value)) = setting {
        if is_secret_name(name) && !value.is_empty() {
            return Cow::Owned(format!("{name}={MASK}"));
        }
        // The value may be an address, or several settings: `user=eve;password=secret`.
        let parts: Vec<Cow<'_, str>> = value.split(['&', ';', ',']).map(mask_value).collect();
        if parts.iter().all(|part| matches!(part, Cow::Borrowed(_))) {
            return Cow::Borrowed(word);
        }
        return Cow::Owned(format!("{name}={}", joined(value, &parts)));
    }
    mask_value(word)
}

/// The parts of a value with the characters that stood between them.
fn joined(value: &str, parts: &[Cow<'_, str>]) -> String {
    let mut between = value.chars().filter(|c| matches!(c, '&' | ';' | ','));
    let mut text = String::new();
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            text.extend(between.next());
        }
        text.push_str(part);
    }
    text
}

fn mask_value(value: &str) -> Cow<'_, str> {
    if let Some((name, rest)) = value.split_once(['=', ':'])
        && !rest.is_empty()
        && !rest.starts_with("//")
        && is_secret_name(name)
    {
        return Cow::Owned(format!("{}{MASK}", &value[..=name.len()]));
    }
    if let Some(masked) = mask_address(value) {
        return Cow::Owned(masked);
    }
    let is_key = value.len() >= MIN_LEN_KEY && KEY_PREFIXES.iter().any(|prefix| value.starts_with(prefix));
    if is_key { Cow::Borrowed(MASK) } else { Cow::Borrowed(value) }
}

/// `SCHEME://USER:PASSWORD@HOST`, and `?token=...` in an address.
fn mask_address(value: &str) -> Option<String> {
    let (scheme, rest) = value.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = &rest[..end];
    let port = authority.rsplit(':').next().unwrap_or_default();
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    // A password may contain any of these characters if nobody escaped them, so the last @ counts.
    let has_password = authority.contains(':') && (authority.contains('@') || !is_port);
    let at = rest.rfind('@').filter(|_| has_password);
    let mut masked = format!("{scheme}://");
    let mut is_masked = false;
    let path = match at.and_then(|at| Some((at, rest[..at].find(':')?))) {
        Some((at, colon)) => {
            masked.push_str(&format!("{}:{MASK}", &rest[..colon]));
            is_masked = true;
            &rest[at..]
        }
        None => rest,
    };
    let Some((before, query)) = path.split_once('?') else {
        masked.push_str(path);
        return is_masked.then_some(masked);
    };
    let parts: Vec<Cow<'_, str>> = query.split('&').map(mask_value).collect();
    is_masked |= parts.iter().any(|part| matches!(part, Cow::Owned(_)) || *part == MASK);
    masked.push_str(&format!("{before}?{}", parts.join("&")));
    is_masked.then_some(masked)
}

/// A text with spaces, such as a header or a command for a shell: each of its words.
fn mask_text(text: &str, depth: u8) -> Cow<'_, str> {
    let mut masked = String::with_capacity(text.len());
    let mut state = State { depth, ..State::default() };
    let mut is_changed = false;
    for part in parts_of(text) {
        let word = part.trim_end();
        let inner = unquoted(word);
        let result = match inner.strip_suffix(':') {
            // A header's name ends with a colon: `X-Api-Key: 123`.
            Some(name) if is_secret_name(name) => {
                state.next = Next::Secret;
                Cow::Borrowed(inner)
            }
            _ if inner.len() < word.len() => state.mask(inner),
            _ => state.mask_one(word),
        };
        is_changed |= result != inner;
        let (before, after) = part.split_at(usize::from(inner.len() < word.len()));
        masked.push_str(before);
        masked.push_str(&result);
        masked.push_str(&after[inner.len()..]);
    }
    if is_changed { Cow::Owned(masked) } else { Cow::Borrowed(text) }
}

/// The words of a text with the spaces after them. Quotes keep words together; if they aren't balanced, the text isn't
/// one for a shell, and they mean nothing.
fn parts_of(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quote, mut is_space) = (Vec::new(), 0, None, false);
    for (at, c) in text.char_indices() {
        if is_space && !c.is_whitespace() {
            parts.push(&text[start..at]);
            start = at;
        }
        is_space = quote.is_none() && c.is_whitespace();
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
    }
    if quote.is_some() {
        return text.split_inclusive(char::is_whitespace).collect();
    }
    parts.push(&text[start..]);
    parts
}

/// A word without the quotes around it.
fn unquoted(word: &str) -> &str {
    let within = |quote| word.strip_prefix(quote)?.strip_suffix(quote);
    within('"').or_else(|| within('\'')).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        masked(text.split('|')).join("|")
    }

    #[test]
    fn what_is_marked_as_a_secret_is_masked() {
        for (given, expected) in [
            ("x|--password|hunter2|--user|eve", "x|--password|***|--user|eve"),
            ("x|--password=hunter2", "x|--password=***"),
            ("x|--db-password|a b|y", "x|--db-password|***|y"),
            ("x|--dbPassword=s", "x|--dbPassword=***"),
            ("x|-password|s", "x|-password|***"),
            ("x|/password:s", "x|/password:***"),
            ("x|--token|s|--api-key=s|--secret|s", "x|--token|***|--api-key=***|--secret|***"),
            ("env|PGPASSWORD=s|psql|-h|db", "env|PGPASSWORD=***|psql|-h|db"),
            ("PGPASSWORD=s|psql", "PGPASSWORD=***|psql"),
            ("AWS_SECRET_ACCESS_KEY=s|aws", "AWS_SECRET_ACCESS_KEY=***|aws"),
            ("x|MYSQL_PWD=s", "x|MYSQL_PWD=***"),
            ("docker|run|-e|DB_PASS=s|image", "docker|run|-e|DB_PASS=***|image"),
            ("sudo|-u|eve|mysql|-phunter2", "sudo|-u|eve|mysql|-p***"),
            ("sh|-c|cd x; PGPASSWORD='a b' psql", "sh|-c|cd x; PGPASSWORD=*** psql"),
            ("sh|-c|curl -H 'Authorization: Bearer abc' x", "sh|-c|curl -H 'Authorization: Bearer ***' x"),
            ("sh|-c|echo it's --token abc", "sh|-c|echo it's --token ***"),
            ("mysql|-phunter2|-u|root", "mysql|-p***|-u|root"),
            ("/usr/bin/sshpass|-ps|ssh|host", "/usr/bin/sshpass|-p***|ssh|host"),
            ("curl|-u|eve:s|http://x/", "curl|-u|eve:***|http://x/"),
            ("curl|-ueve:s", "curl|-ueve:***"),
            ("smbclient|-U|eve%s", "smbclient|-U|eve%***"),
            ("redis-cli|-a|s|ping", "redis-cli|-a|***|ping"),
            ("x|postgres://eve:s@db/x?a=1", "x|postgres://eve:***@db/x?a=1"),
            ("x|--url=https://eve:s@host", "x|--url=https://eve:***@host"),
            ("x|https://eve:a@b/c@host/", "x|https://eve:***@host/"),
            ("x|https://host/?a=1&token=s", "x|https://host/?a=1&token=***"),
            ("curl|-H|Authorization: Bearer abc.def", "curl|-H|Authorization: Bearer ***"),
            ("curl|-H|X-Api-Key: 123", "curl|-H|X-Api-Key: ***"),
            (
                "sh|-c|PGPASSWORD='s' psql --token s2 | cat".replace(" | ", " ; ").as_str(),
                "sh|-c|PGPASSWORD=*** psql --token *** ; cat",
            ),
            ("x|AKIAIOSFODNN7EXAMPLE", "x|***"),
            ("x|ghp_0123456789abcdefghij", "x|***"),
            ("x|--conn=Server=a;Password=s;Port=1", "x|--conn=Server=a;Password=***;Port=1"),
        ] {
            assert_eq!(line(given), expected, "{given}");
        }
    }

    #[test]
    fn everything_else_stays() {
        for given in [
            "make|-j8|all",
            "tar|-p|-xf|a.tar",
            "ssh|-p|2222|eve@host",
            "grep|-u|a:b|file",
            "x|--bypass|yes|--compass=north",
            "x|--password-file|/etc/secret.txt",
            "x|--pattern=a|--patch|b",
            "git|clone|https://github.com/a/b",
            "git|clone|git@github.com:a/b",
            "x|a=b|c:d|http://h:80/p",
            "x|http://h:80/a@b|https://h/a:b@c",
            "sh|-c|echo  two  spaces; exit 7",
            "x|--password|--user|eve",
            "basename|basics",
            "",
        ] {
            assert_eq!(line(given), given);
        }
    }
}
