//! User and password.

use std::fmt::Write as _;

use md4::{Digest, Md4};
use sspi::{AuthIdentity, NTLM_HASH_PREFIX, Username};
use zeroize::Zeroizing;

/// A user with the NT hash of their password, all that NTLM needs of it. The hash is wiped from memory when it is no longer
/// needed, and never shown; the password itself isn't kept.
#[derive(Clone)]
pub struct Account {
    user: Username,
    nt_hash: Zeroizing<[u8; LEN_HASH]>,
}

/// Length of an NT hash.
const LEN_HASH: usize = 16;

/// What an account can't be made of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialsError {
    /// A name that isn't one of a user.
    #[error("{name:?} isn't a user: write NAME, DOMAIN\\NAME or NAME@DOMAIN")]
    User {
        /// The name.
        name: String,
    },
    /// The secret begins as an NT hash does, and isn't one.
    #[error("the NT hash isn't valid: write {} and 32 hexadecimal digits", Account::HASH_MARK)]
    Hash,
}

impl Account {
    /// What an NT hash begins with, where a password could be.
    pub const HASH_MARK: &str = "$NT$";

    /// A user, written `NAME`, `DOMAIN\NAME` or `NAME@DOMAIN`, with their password.
    pub fn new(name: &str, password: Zeroizing<String>) -> Result<Account, CredentialsError> {
        let nt_hash = nt_hash(&password);
        drop(password);
        Account::with_hash(name, nt_hash)
    }

    /// A user with their password, or with its NT hash: [`Account::HASH_MARK`] and 32 hexadecimal digits.
    pub fn from_secret(name: &str, secret: Zeroizing<String>) -> Result<Account, CredentialsError> {
        match secret.strip_prefix(Self::HASH_MARK) {
            Some(digits) => Account::with_hash(name, parsed(digits).ok_or(CredentialsError::Hash)?),
            None => Account::new(name, secret),
        }
    }

    fn with_hash(name: &str, nt_hash: Zeroizing<[u8; LEN_HASH]>) -> Result<Account, CredentialsError> {
        let user = Username::parse(name).ok().filter(|user| !user.account_name().is_empty());
        let user = user.ok_or_else(|| CredentialsError::User { name: name.chars().take(100).collect() })?;
        Ok(Account { user, nt_hash })
    }

    /// The user as written.
    pub fn name(&self) -> &str {
        self.user.inner()
    }

    pub(crate) fn identity(&self) -> AuthIdentity {
        let mut secret = Zeroizing::new(String::with_capacity(NTLM_HASH_PREFIX.len() + 2 * LEN_HASH));
        secret.push_str(NTLM_HASH_PREFIX);
        for byte in *self.nt_hash {
            let Ok(()) = write!(secret, "{byte:02x}") else { break };
        }
        AuthIdentity { username: self.user.clone(), password: std::mem::take(&mut *secret).into() }
    }

    /// Whether this is the user of that name in a domain.
    #[cfg(unix)]
    pub(crate) fn is_user(&self, domain: &str, name: &str) -> bool {
        Username::new(name, Some(domain)).is_ok_and(|given| self.is_named(&given))
    }

    /// Whether a client gave this user's name. Only a domain that was configured has to be the same.
    pub(crate) fn is_named(&self, given: &Username) -> bool {
        if self.user.inner().contains(['\\', '@']) {
            is_same(self.user.inner(), given.inner())
        } else {
            is_same(self.user.account_name(), given.account_name())
        }
    }
}

/// MD4 of the password in UTF-16 (MS-NLMP 3.3.1, `NTOWFv1`).
fn nt_hash(password: &str) -> Zeroizing<[u8; LEN_HASH]> {
    let mut hash = Md4::new();
    for unit in password.encode_utf16() {
        hash.update(unit.to_le_bytes());
    }
    Zeroizing::new(hash.finalize().into())
}

fn parsed(digits: &str) -> Option<Zeroizing<[u8; LEN_HASH]>> {
    let mut bytes = Zeroizing::new([0; LEN_HASH]);
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if pairs.len() != LEN_HASH || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let digit = |digit: &u8| char::from(*digit).to_digit(16);
        *byte = (digit(high)? << 4 | digit(low)?) as u8;
    }
    Some(bytes)
}

/// Names of users don't depend on case.
fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Without the password.
impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("user", &self.name()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(name: &str) -> Account {
        Account::new(name, Zeroizing::new("secret".to_owned())).expect(name)
    }

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(format!("{:?}", account("LAB\\eve")), "Account { user: \"LAB\\\\eve\", .. }");
    }

    /// The example of MS-NLMP 4.2.2.1.2.
    #[test]
    fn the_hash_is_kept_alone() {
        let of = |secret: &str| Account::from_secret("eve", Zeroizing::new(secret.to_owned()));
        let password = of("Password").expect("a password");
        let hash = of("$NT$a4f49c406510bdcab6824ee7c30fd852").expect("a hash");
        assert_eq!((&password.nt_hash, password.name()), (&hash.nt_hash, hash.name()));
        assert_eq!(of("$NT$A4F49C406510BDCAB6824EE7C30FD852").expect("a hash").nt_hash, hash.nt_hash);
        for wrong in [
            "$NT$",
            "$NT$a4f4",
            "$NT$a4f49c406510bdcab6824ee7c30fd8529",
            "$NT$+4f49c406510bdcab6824ee7c30fd852",
        ] {
            assert_eq!(of(wrong).err(), Some(CredentialsError::Hash), "{wrong}");
        }
        // sspi takes passwords that begin like this for hashes.
        let typed = account("eve").identity();
        assert_ne!(typed.password.as_ref(), "secret");
        assert!(of("$NTLM$:zz").is_ok());
    }

    #[test]
    fn users_are_compared_as_windows_does() {
        let given = |name| Username::parse(name).expect(name);
        assert!(account("eve").is_named(&given("LAB\\Eve")));
        assert!(account("eve").is_named(&given("EVE")));
        assert!(account("müller").is_named(&given("MÜLLER")));
        assert!(account("LAB\\eve").is_named(&given("lab\\EVE")));
        assert!(!account("LAB\\eve").is_named(&given("eve")));
        assert!(!account("eve").is_named(&given("adam")));
        assert!(Account::new("", Zeroizing::default()).is_err());
    }
}
