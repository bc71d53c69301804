//! NTLM (MS-NLMP) by the crate `sspi`: authentication.

use sspi::{
    AuthIdentityBuffers, BufferType, ClientRequestFlags, CredentialUse, DataRepresentation, EncryptionFlags,
    Ntlm, SecurityBuffer, SecurityBufferRef, ServerRequestFlags, Sspi, SspiImpl,
};
use zeroize::Zeroizing;

use crate::Account;

/// Authentication failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub(crate) struct NtlmError {
    what: String,
}

impl NtlmError {
    #[expect(clippy::needless_pass_by_value, reason = "callers pass errors and texts of their own")]
    pub(crate) fn new(what: impl ToString) -> NtlmError {
        NtlmError { what: what.to_string() }
    }
}

pub(crate) fn failed(what: &'static str) -> impl Fn(sspi::Error) -> NtlmError {
    move |error| NtlmError { what: format!("{what}: {}", error.description) }
}

fn token(bytes: &[u8]) -> Vec<SecurityBuffer> {
    vec![SecurityBuffer::new(bytes.to_vec(), BufferType::Token)]
}

fn taken(buffers: Vec<SecurityBuffer>) -> Vec<u8> {
    buffers.into_iter().next().map(|buffer| buffer.buffer).unwrap_or_default()
}

/// A client during authentication.
pub(crate) struct Initiator {
    ntlm: Ntlm,
    credentials: Option<AuthIdentityBuffers>,
}

impl Initiator {
    /// Begins, with the first token.
    pub(crate) fn new(account: &Account) -> Result<(Initiator, Vec<u8>), NtlmError> {
        let mut ntlm = Ntlm::new();
        let credentials = ntlm
            .acquire_credentials_handle()
            .with_credential_use(CredentialUse::Outbound)
            .with_auth_data(&account.identity())
            .execute(&mut ntlm)
            .map_err(failed("NTLM"))?
            .credentials_handle;
        let mut initiator = Initiator { ntlm, credentials };
        let first = initiator.step(&[])?;
        Ok((initiator, first))
    }

    /// Answers the server's challenge.
    pub(crate) fn finish(mut self, challenge: &[u8]) -> Result<(Ntlm, Vec<u8>), NtlmError> {
        let last = self.step(challenge)?;
        Ok((self.ntlm, last))
    }

    fn step(&mut self, input: &[u8]) -> Result<Vec<u8>, NtlmError> {
        let (mut input, mut output) = (token(input), token(&[]));
        let mut builder = self
            .ntlm
            .initialize_security_context()
            .with_credentials_handle(&mut self.credentials)
            .with_context_requirements(
                ClientRequestFlags::CONFIDENTIALITY
                    | ClientRequestFlags::INTEGRITY
                    | ClientRequestFlags::USE_DCE_STYLE,
            )
            .with_target_data_representation(DataRepresentation::Native)
            .with_input(&mut input)
            .with_output(&mut output);
        self.ntlm
            .initialize_security_context_impl(&mut builder)
            .and_then(|mut generator| generator.resolve_to_result())
            .map_err(failed("NTLM: the server's challenge"))?;
        Ok(taken(output))
    }
}

/// A server during authentication.
pub(crate) struct Acceptor {
    ntlm: Ntlm,
    account: Account,
    credentials: Option<AuthIdentityBuffers>,
}

impl Acceptor {
    /// Reads the client's first token and makes the challenge.
    pub(crate) fn new(account: &Account, negotiate: &[u8]) -> Result<(Acceptor, Vec<u8>), NtlmError> {
        let mut ntlm = Ntlm::new();
        let credentials = ntlm
            .acquire_credentials_handle()
            .with_credential_use(CredentialUse::Inbound)
            .with_auth_data(&account.identity())
            .execute(&mut ntlm)
            .map_err(failed("NTLM"))?
            .credentials_handle;
        let mut acceptor = Acceptor { ntlm, account: account.clone(), credentials };
        let challenge = acceptor.step(negotiate)?;
        Ok((acceptor, challenge))
    }

    /// Checks the client's answer.
    ///
    /// A client that gave no integrity code may still have a wrong password. It doesn't have the keys then, so the
    /// signature of its first call is wrong: no call may be answered that isn't signed.
    pub(crate) fn finish(mut self, authenticate: &[u8]) -> Result<Ntlm, NtlmError> {
        self.step(authenticate)?;
        // NTLM's keys depend on the name that the client gives, so any name with the password would do.
        let names = self.ntlm.query_context_names().map_err(failed("NTLM"))?;
        if !self.account.is_named(&names.username) {
            return Err(NtlmError { what: "NTLM: unknown user".to_owned() });
        }
        self.ntlm.complete_auth_token(&mut []).map_err(failed("NTLM"))?;
        Ok(self.ntlm)
    }

    fn step(&mut self, input: &[u8]) -> Result<Vec<u8>, NtlmError> {
        let (mut input, mut output) = (token(input), token(&[]));
        let builder = self
            .ntlm
            .accept_security_context()
            .with_credentials_handle(&mut self.credentials)
            .with_context_requirements(ServerRequestFlags::CONFIDENTIALITY)
            .with_target_data_representation(DataRepresentation::Native)
            .with_input(&mut input)
            .with_output(&mut output);
        self.ntlm
            .accept_security_context_impl(builder)
            .and_then(|mut generator| generator.resolve_to_result())
            .map_err(failed("NTLM: the client's token"))?;
        Ok(taken(output))
    }
}

/// The key of the session that was authenticated.
pub(crate) fn session_key(ntlm: &Ntlm) -> Result<Zeroizing<Vec<u8>>, NtlmError> {
    let keys = ntlm.query_context_session_key().map_err(failed("NTLM: the session's key"))?;
    Ok(Zeroizing::new(keys.session_key.as_ref().clone()))
}

/// The signature of data other than the messages of a session. The session's keys and sequence numbers don't
/// change.
pub(crate) fn signature(ntlm: &Ntlm, data: &[u8]) -> Result<[u8; 16], NtlmError> {
    let (mut data, mut signature) = (data.to_vec(), [0; 16]);
    let mut parts = [SecurityBufferRef::data_buf(&mut data), SecurityBufferRef::token_buf(&mut signature)];
    ntlm.clone().make_signature(0, &mut parts, 0).map_err(failed("NTLM: signing"))?;
    Ok(signature)
}

/// Checks the peer's [`signature`] of data.
pub(crate) fn verify(ntlm: &Ntlm, data: &[u8], signature: &[u8]) -> Result<(), NtlmError> {
    let (mut data, mut signature) = (data.to_vec(), signature.to_vec());
    if signature.len() != 16 {
        return Err(NtlmError { what: "NTLM: a signature is not of 16 bytes".to_owned() });
    }
    let mut parts = [SecurityBufferRef::data_buf(&mut data), SecurityBufferRef::token_buf(&mut signature)];
    ntlm.clone().verify_signature(&mut parts, 0).map(drop).map_err(failed("NTLM: checking a signature"))
}

/// The signature of a message whose number isn't the one that `ntlm` counts. Of its bytes, `len_sealed` are sealed before it is
/// signed.
pub(crate) fn skipping_signature(
    ntlm: &Ntlm,
    message: &[u8],
    len_sealed: usize,
    number: u32,
) -> Result<[u8; 16], NtlmError> {
    /// A signature is sealed, too, after what it signs: so many bytes.
    const LEN_CHECKSUM: usize = 8;
    let (mut ntlm, mut signature) = (ntlm.clone(), [0; 16]);
    if len_sealed > 0 {
        // Moves the key as far as sealing will.
        let mut sealed = vec![0; len_sealed.saturating_sub(LEN_CHECKSUM)];
        let mut parts =
            [SecurityBufferRef::data_buf(&mut sealed), SecurityBufferRef::token_buf(&mut signature)];
        ntlm.encrypt_message(EncryptionFlags::empty(), &mut parts).map_err(failed("NTLM: sealing"))?;
    }
    let mut message = message.to_vec();
    let mut parts = [SecurityBufferRef::data_buf(&mut message), SecurityBufferRef::token_buf(&mut signature)];
    ntlm.make_signature(0, &mut parts, number).map_err(failed("NTLM: signing"))?;
    Ok(signature)
}

/// Counts a received signature that was checked elsewhere.
pub(crate) fn skip_received(ntlm: &mut Ntlm) {
    // A signature with a wrong number is counted, and refused before the key is used.
    let mut signature = [0xFF; 16];
    let mut parts = [SecurityBufferRef::data_buf(&mut []), SecurityBufferRef::token_buf(&mut signature)];
    let refused = ntlm.decrypt_message(&mut parts);
    debug_assert!(refused.is_err(), "its number is wrong");
}
