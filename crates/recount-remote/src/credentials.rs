//! User and password.

use sspi::{AuthIdentity, Username};
use zeroize::Zeroizing;

/// A user with their password, which is wiped from memory when it is no longer needed and never shown.
#[derive(Clone)]
pub struct Account {
    user: Username,
    password: Zeroizing<String>,
}

/// A name that isn't one of a user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} isn't a user: write NAME, DOMAIN\\NAME or NAME@DOMAIN")]
pub struct CredentialsError {
    name: String,
}

impl Account {
    /// A user, written `NAME`, `DOMAIN\NAME` or `NAME@DOMAIN`, with their password.
    pub fn new(name: &str, password: Zeroizing<String>) -> Result<Account, CredentialsError> {
        let user = Username::parse(name).ok().filter(|user| !user.account_name().is_empty());
        let user = user.ok_or_else(|| CredentialsError { name: name.chars().take(100).collect() })?;
        Ok(Account { user, password })
    }

    /// The user as written.
    pub fn name(&self) -> &str {
        self.user.inner()
    }

    pub(crate) fn identity(&self) -> AuthIdentity {
        AuthIdentity { username: self.user.clone(), password: self.password.as_str().to_owned().into() }
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
