//! The security contexts of a connection: clients may authenticate for each interface (MS-RPCE 3.3.1.5.4).

use recount_pcq::conversation::AuthenticationLevel;

use super::channel::unprotect;
use super::security::Security;
use super::{BindNak, Pdu, RpcError, Trailer, fault};
use crate::ntlm::{Acceptor, NtlmError, signature, verify};
use crate::{Account, spnego};

/// The most security contexts of a connection: one per interface, and a few for clients that make more.
const MAX_CONTEXTS: usize = 8;

/// How far authentication is, in each security context.
#[derive(Default)]
pub(super) struct Authentication {
    contexts: Vec<(u32, State)>,
}

enum State {
    /// SPNEGO has chosen NTLM, which the client doesn't prefer: its first token comes next.
    Chosen(Trailer, Negotiation),
    Challenged(Box<Acceptor>, Trailer, Negotiation),
    Failed,
    Done(Box<Security>),
}

/// What both sides sign at the end of SPNEGO.
#[derive(Default)]
struct Negotiation {
    mechanisms: Vec<u8>,
    must_sign: bool,
}

/// A token for the peer, with its trailer.
type Answer = (Trailer, Vec<u8>);

impl Authentication {
    /// Whether calls are protected as methods require it, in any context.
    pub(super) fn is_private(&self) -> bool {
        self.contexts.iter().any(|(_, state)| {
            matches!(state, State::Done(security) if security.level >= AuthenticationLevel::PKT_PRIVACY)
        })
    }

    /// The level of a context; calls without one aren't protected.
    pub(super) fn level(&self, context: Option<u32>) -> AuthenticationLevel {
        match context.and_then(|id| self.find(id)) {
            Some(State::Done(security)) => security.level,
            _ => AuthenticationLevel::NONE,
        }
    }

    /// The protection of a context's answers.
    pub(super) fn security(&mut self, context: Option<u32>) -> Option<&mut Security> {
        let (_, state) = self.contexts.iter_mut().find(|(id, _)| Some(*id) == context)?;
        match state {
            State::Done(security) => Some(security),
            _ => None,
        }
    }

    fn find(&self, id: u32) -> Option<&State> {
        self.contexts.iter().find(|(found, _)| *found == id).map(|(_, state)| state)
    }

    fn set(&mut self, id: u32, state: State) {
        self.contexts.retain(|(found, _)| *found != id);
        self.contexts.push((id, state));
    }

    fn take(&mut self, id: u32) -> Option<State> {
        let at = self.contexts.iter().position(|(found, _)| *found == id)?;
        Some(self.contexts.swap_remove(at).1)
    }

    /// The answer to a token in a PDU of binding, if there is one.
    pub(super) fn answer(&mut self, pdu: &Pdu, account: &Account) -> Result<Option<Answer>, BindNak> {
        let Some(&trailer) = pdu.trailer() else { return Ok(None) };
        let id = trailer.context_id;
        let trailer = Trailer { len_padding: 0, ..trailer };
        match self.take(id) {
            None => self.begin(pdu, trailer, account).map(Some),
            Some(State::Chosen(begun, negotiation)) => {
                let token = spnego::Response::parse(pdu.token()).and_then(|response| response.token());
                let token = token.map_err(|_| BindNak::INVALID_TOKEN)?;
                self.challenge(token, begun, negotiation, account).map(Some)
            }
            Some(State::Challenged(acceptor, begun, negotiation)) => {
                let is_spnego = begun.provider == Trailer::SPNEGO;
                let (state, token) = finish(pdu, *acceptor, begun, &negotiation);
                self.set(id, state);
                Ok(Some((trailer, if is_spnego { token } else { Vec::new() })))
            }
            Some(ended) => {
                self.set(id, ended);
                Err(BindNak::INVALID_TOKEN)
            }
        }
    }

    /// The client's last token, which isn't answered: the client learns of a failure when it calls.
    pub(super) fn finish(&mut self, pdu: &Pdu) {
        let Some(trailer) = pdu.trailer() else { return };
        match self.take(trailer.context_id) {
            Some(State::Challenged(acceptor, begun, negotiation)) => {
                let (state, _) = finish(pdu, *acceptor, begun, &negotiation);
                self.set(trailer.context_id, state);
            }
            Some(State::Chosen(..)) => self.set(trailer.context_id, State::Failed),
            Some(ended) => self.set(trailer.context_id, ended),
            None => {}
        }
    }

    fn begin(&mut self, pdu: &Pdu, trailer: Trailer, account: &Account) -> Result<Answer, BindNak> {
        if self.contexts.len() >= MAX_CONTEXTS {
            return Err(BindNak::LOCAL_LIMIT);
        }
        if ![Trailer::NTLM, Trailer::SPNEGO].contains(&trailer.provider) {
            return Err(BindNak::UNKNOWN_PROVIDER);
        }
        if !(AuthenticationLevel::CONNECT..=AuthenticationLevel::PKT_PRIVACY).contains(&trailer.level) {
            return Err(BindNak::UNSPECIFIED);
        }
        if trailer.provider == Trailer::NTLM {
            return self.challenge(pdu.token(), trailer, Negotiation::default(), account);
        }
        let init = spnego::Init::parse(pdu.token()).map_err(|_| BindNak::INVALID_TOKEN)?;
        let negotiation =
            Negotiation { mechanisms: init.mechanisms.to_vec(), must_sign: init.token.is_none() };
        if let Some(token) = init.token {
            self.challenge(token, trailer, negotiation, account)
        } else {
            self.set(trailer.context_id, State::Chosen(trailer, negotiation));
            Ok((trailer, spnego::answer(spnego::State::WantsMic, None)))
        }
    }

    fn challenge(
        &mut self,
        token: &[u8],
        trailer: Trailer,
        negotiation: Negotiation,
        account: &Account,
    ) -> Result<Answer, BindNak> {
        let (acceptor, challenge) = Acceptor::new(account, token).map_err(|_| BindNak::INVALID_TOKEN)?;
        let challenge = match trailer.provider {
            Trailer::SPNEGO => spnego::answer(spnego::State::Incomplete, Some(&challenge)),
            _ => challenge,
        };
        self.set(trailer.context_id, State::Challenged(Box::new(acceptor), trailer, negotiation));
        Ok((trailer, challenge))
    }

    /// Checks and removes the protection of a fragment; returns its security context.
    pub(super) fn unprotect(&mut self, pdu: &mut Pdu) -> Result<Option<u32>, RpcError> {
        if self.contexts.is_empty() {
            return Ok(None);
        }
        let id = match pdu.trailer() {
            Some(trailer) => trailer.context_id,
            // No method serves lower levels, and not every client signs at those below integrity: the method says no.
            None => return self.unsigned().map(Some),
        };
        match self.contexts.iter_mut().find(|(found, _)| *found == id) {
            Some((_, State::Done(security))) => unprotect(pdu, Some(security)).map(|()| Some(id)),
            Some(_) => Err(RpcError::Fault { status: fault::ACCESS_DENIED }),
            None => {
                let what = "unsealing a call: its security context is another".to_owned();
                Err(RpcError::Security { what })
            }
        }
    }

    /// The context of a call that isn't signed: one that doesn't sign, if all are such.
    fn unsigned(&self) -> Result<u32, RpcError> {
        let mut unsigned = None;
        for (id, state) in &self.contexts {
            match state {
                State::Done(security) if security.level < AuthenticationLevel::PKT_INTEGRITY => {
                    unsigned = Some(*id);
                }
                State::Done(_) => {
                    let what = "unsealing a call: it is not protected".to_owned();
                    return Err(RpcError::Security { what });
                }
                _ => return Err(RpcError::Fault { status: fault::ACCESS_DENIED }),
            }
        }
        unsigned.ok_or(RpcError::Fault { status: fault::ACCESS_DENIED })
    }
}

/// The last state of a context, and SPNEGO's last token.
fn finish(pdu: &Pdu, acceptor: Acceptor, trailer: Trailer, negotiation: &Negotiation) -> (State, Vec<u8>) {
    let accepted = if trailer.provider == Trailer::SPNEGO {
        accept_spnego(pdu.token(), acceptor, negotiation)
    } else {
        acceptor.finish(pdu.token()).map(|ntlm| (ntlm, Vec::new(), false))
    };
    match accepted {
        Ok((ntlm, token, is_signed)) => {
            let mut security = Security::new(ntlm, trailer);
            security.count_signatures_of_mechanisms(is_signed, is_signed);
            (State::Done(Box::new(security)), token)
        }
        Err(_) => (State::Failed, spnego::answer(spnego::State::Rejected, None)),
    }
}

/// NTLM's last token within SPNEGO's. A signature of the list of mechanisms is checked and answered; whether there was one.
fn accept_spnego(
    token: &[u8],
    acceptor: Acceptor,
    negotiation: &Negotiation,
) -> Result<(sspi::Ntlm, Vec<u8>, bool), NtlmError> {
    let response = spnego::Response::parse(token).map_err(NtlmError::new)?;
    let ntlm = acceptor.finish(response.token().map_err(NtlmError::new)?)?;
    let answer = match response.signature() {
        Some(theirs) => {
            verify(&ntlm, &negotiation.mechanisms, theirs)?;
            spnego::completed(Some(&signature(&ntlm, &negotiation.mechanisms)?))
        }
        None if negotiation.must_sign => return Err(NtlmError::new("SPNEGO: the list isn't signed")),
        None => spnego::completed(None),
    };
    Ok((ntlm, answer, response.signature().is_some()))
}
