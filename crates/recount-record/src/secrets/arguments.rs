//! Arguments without a name that are secrets, of the few programs that have such.

/// The arguments of `htpasswd -b FILE USER PASSWORD`, as far as they are known.
pub(super) struct Htpasswd {
    /// How many more arguments there are, with the password.
    num_left: u8,
    /// Whether the password is an argument at all.
    is_batch: bool,
}

impl Htpasswd {
    pub(super) fn of(program: &str) -> Option<Htpasswd> {
        let name = program.rsplit('/').next().unwrap_or(program);
        (name == "htpasswd").then_some(Htpasswd { num_left: 3, is_batch: false })
    }

    /// Whether the next word is the password.
    pub(super) fn takes(&mut self, word: &str) -> bool {
        let Some(letters) = word.strip_prefix('-') else {
            self.num_left = self.num_left.saturating_sub(1);
            return self.num_left == 0 && self.is_batch;
        };
        self.is_batch |= letters.contains('b');
        // `-n` has no file, `-C` and `-r` take a number.
        self.num_left = self.num_left.saturating_sub(u8::from(letters.contains('n')));
        self.num_left += u8::from(letters.ends_with(['C', 'r']));
        false
    }
}

/// A private key in PEM, with what stands before and after it.
pub(super) fn private_key(text: &str) -> Option<(&str, &str)> {
    const BEGIN: &str = "-----BEGIN ";
    const DASHES: &str = "-----";
    let is_private =
        |label: &str| label.split(DASHES).next().is_some_and(|label| label.contains("PRIVATE KEY"));
    let (at, _) = text.match_indices(BEGIN).find(|(at, _)| is_private(&text[at + BEGIN.len()..]))?;
    let (before, key) = text.split_at(at);
    let end = key.find("-----END ").map(|end| end + "-----END ".len());
    let end = end.and_then(|end| key[end..].find(DASHES).map(|len| end + len + DASHES.len()));
    Some((before, &key[end.unwrap_or(key.len())..]))
}
