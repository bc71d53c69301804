//! Names that say that a value is a secret, and values that aren't ones in spite of their names.

/// Without `-` and `_`, in lower case: at the end of an option's or a variable's name.
const SECRET_NAMES: [&str; 21] = [
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
    "accountkey",
    "secretkey",
    "privatekey",
    "authkey",
    "credentials",
    "credential",
    "auth",
    "pat",
    "bearer",
];
/// Names that end with one of these short ones have it as a part: `SSHPASS`, `--dbPass`, `DBPWD`.
const PARTS: [&str; 2] = ["pass", "pwd"];
/// Ordinary words with such an end.
const OTHER_WORDS: [&str; 13] = [
    "bypass",
    "compass",
    "trespass",
    "surpass",
    "encompass",
    "overpass",
    "underpass",
    "multipass",
    "singlepass",
    "onepass",
    "twopass",
    "firstpass",
    "oldpwd",
];
/// Beginnings of options that say that there is none.
const NEGATIONS: [&str; 5] = ["no-", "without-", "disable-", "skip-", "ignore-"];

/// Whether a name says that its value is a secret: `--db-password`, `PGPASSWORD`, `AWS_SECRET_ACCESS_KEY`.
pub(super) fn is_secret_name(name: &str) -> bool {
    let last_word = name.rsplit(['-', '_', '.']).next().unwrap_or(name).to_lowercase();
    let name: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    // Short names count only as whole words: `--group-by-pw` does, `--help-pwned` and `--draw` don't.
    let is_named = SECRET_NAMES.iter().any(|secret| {
        if secret.len() <= 4 {
            last_word == *secret || name == *secret
        } else {
            name.ends_with(secret) || name.strip_suffix('s').is_some_and(|name| name.ends_with(secret))
        }
    });
    is_named
        || (PARTS.iter().any(|part| last_word.ends_with(part))
            && !OTHER_WORDS.iter().any(|word| last_word.ends_with(word)))
}

/// Whether an option says that the next word is no secret: `--no-password`.
pub(super) fn is_negation(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    NEGATIONS.iter().any(|negation| name.starts_with(negation))
}

/// Whether a value isn't a secret in spite of its name: a number of tokens, the pass of an encoder, the working directory.
pub(super) fn is_plain_value(name: &str, value: &str) -> bool {
    name == "PWD" && value.starts_with('/') || is_number_of(name, value)
}

/// Whether a value is a number of what the name says.
fn is_number_of(name: &str, value: &str) -> bool {
    let name = name.to_lowercase();
    let max_digits = match name.trim_start_matches('-') {
        "pass" => 1,
        name if name.ends_with("tokens") => usize::MAX,
        _ => 0,
    };
    !value.is_empty() && value.len() <= max_digits && value.bytes().all(|byte| byte.is_ascii_digit())
}
