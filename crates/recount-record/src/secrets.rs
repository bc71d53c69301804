//! Secrets in command lines, which don't belong in a log: the rule is `formats/rcap.md#secrets`.

mod address;
mod arguments;
mod names;
mod programs;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use address::mask_address;
use arguments::{Htpasswd, private_key};
use names::{is_negation, is_plain_value, is_secret_name};
use programs::{Program, Takes};

/// What stands in place of a secret.
pub const MASK: &str = "***";

/// Beginnings of keys that are recognised wherever they stand.
const KEY_PREFIXES: [&str; 52] = [
    "AKIA",
    "ASIA", // Amazon
    "AIza",
    "ya29.", // Google
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_", // GitHub
    "glpat-",
    "glptt-",
    "gldt-",
    "glrt-",
    "glsa_",
    "glc_", // GitLab, Grafana
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxe.",
    "xoxo-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "xapp-", // Slack
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "rk_test_",
    "whsec_", // OpenAI, Anthropic, Stripe
    "hf_",
    "gsk_",
    "nvapi-",
    "r8_", // Hugging Face, Groq, NVIDIA, Replicate
    "SG.", // SendGrid
    "npm_",
    "pypi-",
    "dckr_pat_",
    "dop_v1_", // registries of packages and images, DigitalOcean
    "shpat_",
    "shpss_",
    "shpca_",
    "sq0atp-",
    "sq0csp-", // Shopify, Square
    "hvs.",
    "hvb.",
    "ATATT3",
    "NRAK-",
    "PMAK-",
    "AGE-SECRET-KEY-", // Vault, Atlassian, New Relic, Postman, age
    "eyJ",             // any JSON Web Token
];
/// Shorter words aren't keys.
const MIN_LEN_KEY: usize = 16;
/// Schemes of the header `Authorization`. Elsewhere the last ones are ordinary words.
const SCHEMES: [&str; 7] = ["bearer", "basic", "digest", "token", "apikey", "negotiate", "ntlm"];
/// How many of these are known anywhere.
const NUM_PLAIN_SCHEMES: usize = 3;
/// Headers whose values are secrets.
const HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "set-cookie"];

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
struct State<'l> {
    /// The options of one letter that the program has; only few programs are known.
    options: Option<&'static Program>,
    /// A program whose options these are only for one of its commands, which hasn't come yet.
    awaits_command: Option<&'static Program>,
    /// Arguments of such a program.
    htpasswd: Option<Htpasswd>,
    next: Next<'l>,
    /// The word before was `set`: the next may be a name, and then its value.
    is_set: bool,
    /// The next word is a command for a shell (`sh -c`).
    is_command: bool,
    depth: u8,
}

/// What the next word is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Next<'l> {
    #[default]
    Ordinary,
    /// The value of an option whose name says that it is a secret.
    Secret,
    /// The same, unless the value is plain for this name.
    SecretOf(&'l str),
    /// The first argument of a command that takes a secret.
    Argument,
    /// `NAME=VALUE`, or a file.
    Cookie,
    /// `USER:PASSWORD`.
    UserAndPassword,
    /// After the scheme of an authorization.
    Credentials,
    /// A scheme and credentials, after `Authorization:`.
    Authorization,
}

impl<'w> State<'w> {
    /// A word, or a text of several.
    fn mask(&mut self, word: &'w str) -> Cow<'w, str> {
        if let Some((before, after)) = private_key(word) {
            let before = if before.is_empty() { Cow::Borrowed("") } else { self.mask(before) };
            self.next = Next::Ordinary;
            return Cow::Owned(format!("{before}{MASK}{}", mask_text(after, self.depth + 1)));
        }
        let is_letters = word.starts_with('-') && !word.starts_with("--") && word.len() <= 4;
        let is_command = std::mem::replace(&mut self.is_command, is_letters && word.ends_with('c'));
        if self.next == Next::Ordinary
            && let Some(masked) = mask_header(word)
        {
            return Cow::Owned(masked);
        }
        let is_text = word.contains(char::is_whitespace) && self.next == Next::Ordinary;
        if !is_text || self.depth >= MAX_DEPTH {
            return self.mask_one(word);
        }
        // `--password=a b` has spaces in its value, but a command may begin with a variable.
        let name = word.split(['=', ':']).next().unwrap_or(word);
        if !is_command && name.len() < word.len() && !name.contains(char::is_whitespace) {
            let masked = self.mask_one(word);
            self.next = Next::Ordinary;
            if masked != word {
                return Cow::Owned(mask_text(&masked, self.depth + 1).into_owned());
            }
        }
        mask_text(word, self.depth + 1)
    }

    fn mask_one(&mut self, word: &'w str) -> Cow<'w, str> {
        let is_set = std::mem::replace(&mut self.is_set, word.eq_ignore_ascii_case("set"));
        if self.htpasswd.as_mut().is_some_and(|arguments| arguments.takes(word)) {
            self.htpasswd = None;
            return Cow::Borrowed(MASK);
        }
        match std::mem::take(&mut self.next) {
            Next::SecretOf(name) if is_plain_value(name, word) => return Cow::Borrowed(word),
            Next::Cookie if word.contains('=') => return Cow::Borrowed(MASK),
            // Options and settings may come first.
            Next::Argument if is_option(word) || word.contains('=') => self.next = Next::Argument,
            Next::UserAndPassword if !is_option(word) => return mask_password(word),
            Next::Credentials => return Cow::Borrowed(MASK),
            Next::Authorization if is_scheme(word, SCHEMES.len()) => {
                self.next = Next::Credentials;
                return Cow::Borrowed(word);
            }
            // An option without a value is followed by the next option.
            Next::Secret | Next::SecretOf(_) | Next::Argument | Next::Authorization if !is_option(word) => {
                return Cow::Borrowed(MASK);
            }
            _ => {}
        }
        if let Some(name) = word.strip_suffix(':').filter(|name| is_header(name)) {
            let is_authorization = name.to_lowercase().ends_with("authorization");
            self.next = if is_authorization { Next::Authorization } else { Next::Secret };
            return Cow::Borrowed(word);
        }
        if is_scheme(word, NUM_PLAIN_SCHEMES) {
            self.next = Next::Credentials;
            return Cow::Borrowed(word);
        }
        if let Some(masked) = self.mask_short(word) {
            return masked;
        }
        if is_option(word) {
            if !word.contains(['=', ':']) && is_secret_name(word) && !is_negation(word) {
                self.next = Next::SecretOf(word);
                return Cow::Borrowed(word);
            }
        } else if is_set && !word.contains('=') && is_secret_name(word) {
            // `npm config set NAME VALUE`
            self.next = Next::Secret;
            return Cow::Borrowed(word);
        } else {
            self.follow(word);
        }
        mask_word(word)
    }

    /// Notes which program or which of its commands a word names, also after `sudo`, or in the middle of a pipe.
    fn follow(&mut self, word: &str) {
        if let Some(program) = Program::named(word) {
            (self.options, self.awaits_command) =
                if program.command.is_empty() { (Some(program), None) } else { (None, Some(program)) };
        } else if let Some(program) = self.awaits_command.take_if(|program| program.command == word) {
            self.options = Some(program);
            if matches!(program.takes, Takes::Argument) {
                self.next = Next::Argument;
            }
        } else {
            self.htpasswd = Htpasswd::of(word).or(self.htpasswd.take());
        }
    }

    /// In a command for a shell, a program's name may follow an operator without a space: `a|mysql`, `$(mysql`.
    fn follow_operator(&mut self, word: &str) {
        if let Some((_, name)) = word.rsplit_once(['|', '&', ';', '(', '`', '{']) {
            self.follow(name);
        }
    }

    /// Options that only the program gives a meaning.
    fn mask_short(&mut self, word: &'w str) -> Option<Cow<'w, str>> {
        let (program, value) = self.options?.value_in(word)?;
        let option = &word[..word.len() - value.len()];
        let masked = match (program.takes, value) {
            // Without a value, these programs ask for the password.
            (Takes::PasswordAttached, "") | (Takes::Argument, _) => return None,
            (Takes::Password, "") => {
                self.next = Next::Secret;
                Cow::Borrowed(word)
            }
            (Takes::UserAndPassword, "") => {
                self.next = Next::UserAndPassword;
                Cow::Borrowed(word)
            }
            (Takes::Cookie, "") => {
                self.next = Next::Cookie;
                Cow::Borrowed(word)
            }
            (Takes::Cookie, value) if !value.contains('=') => Cow::Borrowed(word),
            (Takes::UserAndPassword, value) => Cow::Owned(format!("{option}{}", mask_password(value))),
            (Takes::Password | Takes::PasswordAttached | Takes::Cookie, _) => {
                Cow::Owned(format!("{option}{MASK}"))
            }
        };
        Some(masked)
    }
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && (word.starts_with('-') || (word.starts_with('/') && !word[1..].contains('/')))
}

/// Whether a word is one of the first schemes, perhaps with the header's name before it.
fn is_scheme(word: &str, num: usize) -> bool {
    let word = word.rsplit(':').next().unwrap_or(word).trim();
    SCHEMES[..num].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Whether this is the name of a header whose value is a secret, perhaps behind an option (`-HCookie`, `--header=Cookie`).
fn is_header(name: &str) -> bool {
    let name = name.rsplit('=').next().unwrap_or(name);
    let name = name.strip_prefix("-H").unwrap_or(name).trim_matches(['"', '\'']);
    HEADERS.iter().any(|header| name.eq_ignore_ascii_case(header))
}

/// `Authorization: token X`, `Cookie: a=X; b=X`, `X-Api-Key: X X` in one word: the whole value is a secret, except for
/// the scheme.
fn mask_header(word: &str) -> Option<String> {
    let (name, rest) = word.split_once(':')?;
    let value = rest.trim_start();
    let is_own = is_header(name);
    let has_space = value.len() < rest.len();
    let is_secret = is_own || (has_space && !name.contains(char::is_whitespace) && is_secret_name(name));
    if !is_secret || value.is_empty() {
        return None;
    }
    let scheme = value.split_whitespace().next().filter(|scheme| is_own && is_scheme(scheme, SCHEMES.len()));
    if scheme == Some(value.trim_end()) {
        // What it introduces is the next word.
        return None;
    }
    let scheme = scheme.map_or_else(String::new, |scheme| format!("{scheme} "));
    Some(format!("{name}:{}{scheme}{MASK}", &rest[..rest.len() - value.len()]))
}

/// `USER:PASSWORD`, of which only the password is a secret, unless there is none: then it is a key in the user's place.
fn mask_password(word: &str) -> Cow<'_, str> {
    let at = word.find([':', '%']);
    if let Some(key) = word.strip_suffix(':').filter(|key| !key.is_empty() && at == Some(key.len())) {
        return if is_key(key) { Cow::Owned(format!("{MASK}:")) } else { Cow::Borrowed(word) };
    }
    at.map_or(Cow::Borrowed(word), |at| Cow::Owned(format!("{}{MASK}", &word[..=at])))
}

/// A word without spaces: `NAME=VALUE`, `NAME:VALUE`, an address, or a key.
fn mask_word(word: &str) -> Cow<'_, str> {
    // In an address, `=` is part of its parameters.
    let setting = word.split_once('=').filter(|(name, _)| !name.contains("://"));
    if let Some((name, value)) = setting {
        if is_secret_name(name) && is_plain_value(name, value) {
            return Cow::Borrowed(word);
        }
        if is_secret_name(name) && !value.is_empty() {
            return Cow::Owned(format!("{name}={MASK}"));
        }
        // The value may be an address, or several settings: `user=eve;password=secret`.
        let parts: Vec<Cow<'_, str>> = value.split(['&', ';', ',']).map(mask_value).collect();
        if joined(value, &parts) == value {
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
        && ((is_secret_name(name) && !is_plain_value(name, rest)) || is_signature(name, value))
    {
        return Cow::Owned(format!("{}{MASK}", &value[..=name.len()]));
    }
    if let Some(masked) = mask_address(value) {
        return Cow::Owned(masked);
    }
    if is_key(value) {
        return Cow::Borrowed(MASK);
    }
    match value.split_once(['=', ':']) {
        Some((name, rest)) if is_key(rest) => Cow::Owned(format!("{}{MASK}", &value[..=name.len()])),
        _ => Cow::Borrowed(value),
    }
}

/// Whether a parameter is the signature that opens a shared address: `sig=` of Azure, `X-Amz-Signature=`, `X-Goog-Signature=`.
fn is_signature(name: &str, parameter: &str) -> bool {
    let last_word = name.rsplit(['-', '_', '.', '?']).next().unwrap_or(name);
    let is_named = last_word.eq_ignore_ascii_case("sig") || name.to_lowercase().ends_with("signature");
    is_named && !name.starts_with('-') && parameter[name.len()..].starts_with('=')
}

fn is_key(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'']);
    word.len() >= MIN_LEN_KEY && KEY_PREFIXES.iter().any(|prefix| word.starts_with(prefix))
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
            _ => match state.mask_one(word) {
                same if same == word => mask_quoted(word, depth).map_or(same, Cow::Owned),
                masked => masked,
            },
        };
        state.follow_operator(inner);
        is_changed |= result != inner;
        let (before, after) = part.split_at(usize::from(inner.len() < word.len()));
        masked.push_str(before);
        masked.push_str(&result);
        masked.push_str(&after[inner.len()..]);
    }
    if is_changed { Cow::Owned(masked) } else { Cow::Borrowed(text) }
}

/// What stands in quotes within a word, as in `x="$(mysql -pX)"`, if there is something to mask.
fn mask_quoted(word: &str, depth: u8) -> Option<String> {
    let open = word.find(['"', '\''])?;
    let close = word.rfind(&word[open..=open]).filter(|close| *close > open && depth < MAX_DEPTH)?;
    let text = &word[open + 1..close];
    let masked = mask_text(text, depth + 1);
    (text.contains(char::is_whitespace) && masked != text)
        .then(|| format!("{}{masked}{}", &word[..=open], &word[close..]))
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
