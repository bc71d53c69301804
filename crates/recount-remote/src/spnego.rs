//! SPNEGO (RFC 4178, MS-SPNG) with NTLM as its only mechanism.
//!
//! Both sides sign the client's list of mechanisms (`mechListMIC`, RFC 4178 section 5): our client always does, since Samba
//! insists on it; our server answers a signature with its own. A client that prefers another mechanism has to sign.
//!
//! `sspi::Negotiate` (0.23.1) does the same in the crate that NTLM comes from, and was read for replacing this. Its server demands a
//! signature of every client whose first choice is NTLM and waits another leg for it (`negotiate/server.rs`, `mic_needed`), so clients
//! that don't sign, which RFC 4178 allows if NTLM is their first choice, couldn't log on. Its client doesn't finish if the server accepts without a signature of its
//! own (`negotiate/client.rs`, `VerifyMic`), which servers may do. Both are choices without a switch, so these 240 lines stay.

/// A token that isn't one of SPNEGO, or that says no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("SPNEGO: {what}")]
pub struct SpnegoError {
    what: &'static str,
}

const fn wrong<V>(what: &'static str) -> Result<V, SpnegoError> {
    Err(SpnegoError { what })
}

/// 1.3.6.1.5.5.2
const SPNEGO: &[u8] = &[0x2B, 6, 1, 5, 5, 2];
/// 1.3.6.1.4.1.311.2.2.10
const NTLM: &[u8] = &[0x2B, 6, 1, 4, 1, 0x82, 0x37, 2, 2, 0x0A];

const OBJECT_ID: u8 = 0x06;
const OCTETS: u8 = 0x04;
const ENUMERATED: u8 = 0x0A;
const SEQUENCE: u8 = 0x30;
const APPLICATION: u8 = 0x60;
/// `[0]`; the others follow.
const CONTEXT: u8 = 0xA0;

/// How far a negotiation is (`negState`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// `accept-completed`
    Completed = 0,
    /// `accept-incomplete`
    Incomplete = 1,
    /// `reject`
    Rejected = 2,
    /// `request-mic`
    WantsMic = 3,
}

/// A value with its tag and length.
fn value(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    let mut bytes = vec![tag];
    match len {
        0..=0x7F => bytes.push(len as u8),
        0x80..=0xFF => bytes.extend([0x81, len as u8]),
        0x100..=0xFFFF => bytes.extend([0x82, (len >> 8) as u8, len as u8]),
        _ => {
            bytes.push(0x84);
            bytes.extend((len as u32).to_be_bytes());
        }
    }
    for part in parts {
        bytes.extend_from_slice(part);
    }
    bytes
}

/// The client's list of mechanisms, as it is signed.
pub fn mechanisms() -> Vec<u8> {
    value(SEQUENCE, &[&value(OBJECT_ID, &[NTLM])])
}

/// A client's first token (`NegTokenInit`), around the mechanism's first.
pub fn init(token: &[u8]) -> Vec<u8> {
    let mechanisms = value(CONTEXT, &[&mechanisms()]);
    let token = value(CONTEXT + 2, &[&value(OCTETS, &[token])]);
    let init = value(CONTEXT, &[&value(SEQUENCE, &[&mechanisms, &token])]);
    value(APPLICATION, &[&value(OBJECT_ID, &[SPNEGO]), &init])
}

/// A client's next token (`NegTokenResp`), with its signature of the list of mechanisms.
pub fn response(token: &[u8], signature: &[u8]) -> Vec<u8> {
    let token = value(CONTEXT + 2, &[&value(OCTETS, &[token])]);
    let signature = value(CONTEXT + 3, &[&value(OCTETS, &[signature])]);
    value(CONTEXT + 1, &[&value(SEQUENCE, &[&token, &signature])])
}

/// A server's token: its state and, in the first one, the mechanism's challenge.
pub fn answer(state: State, challenge: Option<&[u8]>) -> Vec<u8> {
    let mut fields = value(CONTEXT, &[&value(ENUMERATED, &[&[state as u8]])]);
    if challenge.is_some() || state == State::WantsMic {
        fields.extend(value(CONTEXT + 1, &[&value(OBJECT_ID, &[NTLM])]));
    }
    if let Some(token) = challenge {
        fields.extend(value(CONTEXT + 2, &[&value(OCTETS, &[token])]));
    }
    value(CONTEXT + 1, &[&value(SEQUENCE, &[&fields])])
}

/// A server's last token, with its signature of the client's list of mechanisms if the client signed it.
pub fn completed(signature: Option<&[u8]>) -> Vec<u8> {
    let mut fields = value(CONTEXT, &[&value(ENUMERATED, &[&[State::Completed as u8]])]);
    if let Some(signature) = signature {
        fields.extend(value(CONTEXT + 3, &[&value(OCTETS, &[signature])]));
    }
    value(CONTEXT + 1, &[&value(SEQUENCE, &[&fields])])
}

/// Values one after the other (DER).
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// The next tag and its content; `None` at the end.
    fn next(&mut self) -> Result<Option<(u8, &'a [u8])>, SpnegoError> {
        let Some((&tag, rest)) = self.0.split_first() else { return Ok(None) };
        let Some((&first, rest)) = rest.split_first() else { return wrong("a value without a length") };
        let num_bytes = if first < 0x80 { 0 } else { usize::from(first & 0x7F) };
        if first >= 0x80 && !(1..=4).contains(&num_bytes) {
            return wrong("a length that DER does not have");
        }
        let Some((bytes, rest)) = rest.split_at_checked(num_bytes) else { return wrong("a length is cut") };
        let long = bytes.iter().fold(0_usize, |len, byte| len << 8 | usize::from(*byte));
        let len = if num_bytes == 0 { first.into() } else { long };
        let Some((content, rest)) = rest.split_at_checked(len) else { return wrong("a value is cut") };
        self.0 = rest;
        Ok(Some((tag, content)))
    }

    /// The content of the next value, which has to have this tag.
    fn expect(&mut self, wanted: u8) -> Result<Der<'a>, SpnegoError> {
        match self.next()? {
            Some((tag, content)) if tag == wanted => Ok(Der(content)),
            _ => wrong("a value is missing, or another is in its place"),
        }
    }
}

/// `NegTokenResp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response<'a> {
    state: Option<u8>,
    mechanism: Option<&'a [u8]>,
    token: Option<&'a [u8]>,
    signature: Option<&'a [u8]>,
}

impl<'a> Response<'a> {
    /// Reads it.
    pub fn parse(bytes: &'a [u8]) -> Result<Response<'a>, SpnegoError> {
        let mut fields = Der(bytes).expect(CONTEXT + 1)?.expect(SEQUENCE)?;
        let mut response = Response { state: None, mechanism: None, token: None, signature: None };
        while let Some((tag, content)) = fields.next()? {
            let mut content = Der(content);
            match tag.wrapping_sub(CONTEXT) {
                0 => response.state = content.expect(ENUMERATED)?.0.first().copied(),
                1 => response.mechanism = Some(content.expect(OBJECT_ID)?.0),
                2 => response.token = Some(content.expect(OCTETS)?.0),
                3 => response.signature = Some(content.expect(OCTETS)?.0),
                _ => {}
            }
        }
        Ok(response)
    }

    /// The mechanism's challenge, in a server's first answer.
    pub fn challenge(&self) -> Result<&'a [u8], SpnegoError> {
        if self.state == Some(State::Rejected as u8) {
            return wrong("the server doesn't accept NTLM");
        }
        if self.mechanism.is_some_and(|mechanism| mechanism != NTLM) {
            return wrong("the server chose a mechanism that wasn't offered");
        }
        self.token.map_or_else(|| wrong("the server's answer has no challenge"), Ok)
    }

    /// Fails unless the server has accepted the client.
    pub fn is_complete(&self) -> Result<(), SpnegoError> {
        match self.state {
            Some(state) if state == State::Completed as u8 => Ok(()),
            _ => wrong("the server doesn't accept the user"),
        }
    }

    /// The mechanism's next token, of a client.
    pub fn token(&self) -> Result<&'a [u8], SpnegoError> {
        self.token.map_or_else(|| wrong("the client's answer has no token"), Ok)
    }

    /// The sender's signature of the client's list of mechanisms (`mechListMIC`).
    pub fn signature(&self) -> Option<&'a [u8]> {
        self.signature
    }
}

/// A client's first token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Init<'a> {
    /// The list of mechanisms as it was sent, which is what both sides sign.
    pub mechanisms: &'a [u8],
    /// NTLM's first token, if NTLM is the mechanism that the client prefers.
    pub token: Option<&'a [u8]>,
}

impl<'a> Init<'a> {
    /// Reads it.
    ///
    /// Fails unless NTLM is among its mechanisms, and has a token if it is the first of them.
    pub fn parse(bytes: &'a [u8]) -> Result<Init<'a>, SpnegoError> {
        let mut outer = Der(bytes).expect(APPLICATION)?;
        if outer.expect(OBJECT_ID)?.0 != SPNEGO {
            return wrong("a token of another mechanism");
        }
        let mut fields = outer.expect(CONTEXT)?.expect(SEQUENCE)?;
        let Der(mechanisms) = fields.expect(CONTEXT)?;
        let mut list = Der(mechanisms).expect(SEQUENCE)?;
        let is_preferred = list.expect(OBJECT_ID)?.0 == NTLM;
        let mut is_offered = is_preferred;
        while let Some((tag, content)) = list.next()? {
            is_offered |= tag == OBJECT_ID && content == NTLM;
        }
        if !is_offered {
            return wrong("the client doesn't offer NTLM");
        }
        if !is_preferred {
            return Ok(Init { mechanisms, token: None });
        }
        while let Some((tag, content)) = fields.next()? {
            if tag == CONTEXT + 2 {
                return Ok(Init { mechanisms, token: Some(Der(content).expect(OCTETS)?.0) });
            }
        }
        wrong("the client's first token contains no NTLM token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As in the first bytes of a Windows client's token, whose form RFC 4178 fixes.
    #[test]
    fn the_first_token_is_der() {
        let token = init(b"NTLMSSP\0");
        let expected = [
            &[0x60, 0x28, 0x06, 0x06, 0x2B, 6, 1, 5, 5, 2][..],
            &[0xA0, 0x1E, 0x30, 0x1C],
            &[0xA0, 0x0E, 0x30, 0x0C, 0x06, 0x0A, 0x2B, 6, 1, 4, 1, 0x82, 0x37, 2, 2, 0x0A],
            &[0xA2, 0x0A, 0x04, 0x08],
            b"NTLMSSP\0",
        ];
        assert_eq!(token, expected.concat());
        let read = Init { mechanisms: &mechanisms(), token: Some(b"NTLMSSP\0") };
        assert_eq!(Init::parse(&token), Ok(read));
    }

    #[test]
    fn lengths_of_every_form_come_back() {
        for len in [0, 1, 100, 127, 128, 200, 255, 256, 65_535, 65_536] {
            let token = vec![7; len];
            assert_eq!(Init::parse(&init(&token)).expect("sound").token, Some(&token[..]), "{len}");
            assert_eq!(
                Response::parse(&response(&token, &[1; 16])).expect("sound").token(),
                Ok(&token[..]),
                "{len}"
            );
            let answer = answer(State::Incomplete, Some(&token));
            assert_eq!(Response::parse(&answer).expect("sound").challenge(), Ok(&token[..]), "{len}");
        }
    }

    #[test]
    fn a_refusal_is_an_error() {
        let error = |bytes: &[u8]| {
            Response::parse(bytes)
                .and_then(|response| response.challenge().map(drop))
                .expect_err("wrong")
                .what
        };
        assert_eq!(error(&answer(State::Rejected, None)), "the server doesn't accept NTLM");
        assert_eq!(error(&answer(State::Incomplete, None)), "the server's answer has no challenge");
        assert_eq!(error(b""), "a value is missing, or another is in its place");
        assert_eq!(error(&[0xA1, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]), "a value is cut");
        assert_eq!(error(&[0xA1, 0x80]), "a length that DER does not have");
    }

    #[test]
    fn ntlm_is_chosen_among_other_mechanisms() {
        const KERBEROS: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 1, 2, 2];
        let first = |list: &[&[u8]]| {
            let list: Vec<Vec<u8>> = list.iter().map(|id| value(OBJECT_ID, &[id])).collect();
            let list = value(SEQUENCE, &[&list.concat()]);
            let token = value(CONTEXT + 2, &[&value(OCTETS, &[b"of the first"])]);
            let fields = value(SEQUENCE, &[&value(CONTEXT, &[&list]), &token]);
            let init = value(CONTEXT, &[&fields]);
            (value(APPLICATION, &[&value(OBJECT_ID, &[SPNEGO]), &init]), list)
        };
        let (bytes, list) = first(&[KERBEROS, NTLM]);
        assert_eq!(Init::parse(&bytes), Ok(Init { mechanisms: &list, token: None }));
        let (bytes, list) = first(&[NTLM, KERBEROS]);
        assert_eq!(Init::parse(&bytes), Ok(Init { mechanisms: &list, token: Some(b"of the first") }));
        assert!(Init::parse(&first(&[KERBEROS]).0).is_err());
        let chosen = answer(State::WantsMic, None);
        assert_eq!(Response::parse(&chosen).expect("sound").mechanism, Some(NTLM));
    }

    #[test]
    fn signatures_of_the_list_come_back() {
        let last = completed(Some(&[7; 16]));
        let read = Response::parse(&last).expect("sound");
        assert_eq!((read.is_complete(), read.signature()), (Ok(()), Some(&[7; 16][..])));
        assert_eq!(completed(None), answer(State::Completed, None));
    }
}
