//! How the SMB client handles hostile servers: before there are keys, since afterwards only signed messages are
//! accepted (`live_samba`), and its parsers in isolation.

use recount_remote::smb::{
    CreateResponse, Header, IoctlResponse, NegotiateResponse, ReadResponse, SessionResponse, SmbError,
    SmbPipe, SmbServer, TreeResponse,
};
use recount_remote::{Account, spnego};
use zeroize::Zeroizing;

use super::mutated::{for_each, num_mutations};
use super::pdus::Script;

/// An answer, with its header.
fn message(command: u8, status: u32, id: u8, body: &[u8]) -> Vec<u8> {
    let mut message = vec![0xFE, b'S', b'M', b'B', 64, 0, 1, 0];
    message.extend(status.to_le_bytes());
    message.extend([command, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, id, 0, 0, 0, 0, 0, 0, 0]);
    message.extend([0; 4]);
    message.extend([5, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
    message.extend([0; 16]);
    assert_eq!(message.len(), 64);
    message.extend(body);
    message
}

fn frame(message: &[u8]) -> Vec<u8> {
    let len = u32::try_from(message.len()).expect("short");
    [&len.to_be_bytes()[..], message].concat()
}

/// 3.1.1 with SHA-512 and AES-128-GCM.
fn negotiated() -> Vec<u8> {
    let mut body = vec![65, 0, 1, 0, 0x11, 3, 2, 0];
    body.extend([7; 16]);
    body.extend([0x44, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x80, 0, 0, 0, 0x80, 0]);
    body.extend([0; 16]);
    body.extend([128, 0, 4, 0, 136, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0]);
    body.extend([1, 0, 38, 0, 0, 0, 0, 0, 1, 0, 32, 0, 1, 0]);
    body.extend([9; 32]);
    body.extend([0, 0]);
    body.extend([2, 0, 4, 0, 0, 0, 0, 0, 1, 0, 2, 0]);
    message(0, 0, 0, &body)
}

fn challenged(token: &[u8]) -> Vec<u8> {
    let mut body = vec![9, 0, 0, 0, 72, 0];
    body.extend(u16::try_from(token.len()).expect("short").to_le_bytes());
    body.extend(token);
    message(1, 0xC000_0016, 1, &body)
}

fn open(script: &mut Script) -> Result<(), SmbError> {
    let account = Account::new("eve", Zeroizing::new("secret".to_owned())).expect("a user");
    SmbPipe::open(script, &SmbServer { name: "web1", pipe: "winreg", account: &account }).map(drop)
}

fn error(messages: &[Vec<u8>]) -> String {
    let frames: Vec<Vec<u8>> = messages.iter().map(|message| frame(message)).collect();
    open(&mut Script::new(&frames)).expect_err("hostile").to_string()
}

#[test]
fn answers_that_lie_are_errors() {
    assert_eq!(error(&[]), "SMB NEGOTIATE: the server closed the connection");
    let with = |at: usize, bytes: &[u8]| {
        let mut message = negotiated();
        message[at..at + bytes.len()].copy_from_slice(bytes);
        error(&[message])
    };
    let old = with(0, &[0xFF]);
    assert_eq!(
        old,
        "SMB header at byte 0: expected a message of SMB 2 or 3, found another protocol, such as SMB 1"
    );
    assert_eq!(with(4, &[65]), "SMB header at byte 4: expected a StructureSize of 64, found 65");
    assert_eq!(with(12, &[8]), "SMB header at byte 12: expected an answer to SMB NEGOTIATE, found 8");
    assert_eq!(with(16, &[0]), "SMB header at byte 16: expected an answer, found 0x00000000");
    assert_eq!(with(20, &[8]), "SMB header at byte 20: expected a single answer, found another at byte 8");
    assert_eq!(with(24, &[7]), "SMB header at byte 24: expected the answer to message 0, found 7");
    let dialect = "SMB NEGOTIATE at byte 68: expected a dialect that was offered, found 0x02ff";
    assert_eq!(with(68, &[0xFF, 2]), dialect);
    assert_eq!(with(70, &[0xFF, 0xFF]), "SMB NEGOTIATE at byte 200: expected 2 bytes, found 0");
    assert_eq!(with(70, &[0]), "SMB NEGOTIATE at byte 70: expected a context with a hash, found 0");
    assert_eq!(with(122, &[0xFF, 0xFF]), "SMB NEGOTIATE at byte 128: expected 65535 bytes, found 68");
    assert_eq!(with(124, &[0xFF; 4]), "SMB NEGOTIATE at byte 4294967295: expected 2 bytes, found 0");
    assert_eq!(with(194, &[9]), "SMB NEGOTIATE at byte 192: expected a cipher that was offered, found 9");
    assert_eq!(
        with(14, &[0]),
        "SMB header at byte 14: expected credits for another request, found an answer without credits"
    );
    let refused =
        "SMB NEGOTIATE: the server answered 0xc00000bb (not supported; perhaps it shares no dialect with us)";
    assert_eq!(with(8, &[0xBB, 0, 0, 0xC0]), refused);
}

#[test]
fn authentication_that_lies_is_an_error() {
    let with = |token: &[u8]| error(&[negotiated(), challenged(token)]);
    assert!(with(b"").starts_with("SPNEGO: "), "{}", with(b""));
    let rejected = spnego::answer(spnego::State::Rejected, None);
    assert_eq!(with(&rejected), "SPNEGO: the server doesn't accept NTLM");
    let nothing = spnego::answer(spnego::State::Incomplete, Some(b"NTLMSSP\0"));
    assert!(with(&nothing).starts_with("NTLM: the server's challenge"), "{}", with(&nothing));
    // The session begins without authentication: nobody has the key then.
    let mut skipped = challenged(b"");
    skipped[8..12].fill(0);
    assert!(error(&[negotiated(), skipped]).contains("0x00000000"));
    let mut sealed = negotiated();
    sealed[0] = 0xFD;
    assert_eq!(error(&[sealed]), "an answer is encrypted before there are keys");
}

/// The header can say 4 GB. Nothing of that is allocated or read.
#[test]
fn long_answers_are_not_read() {
    for len in [0_u32, 63, 128 * 1024 + 1, 0x00FF_FFFF, 1 << 30, u32::MAX] {
        let mut script =
            Script { bytes: len.to_be_bytes().to_vec(), repeated: vec![0; 1_000], ..Script::default() };
        let error = open(&mut script).expect_err("hostile").to_string();
        assert_eq!(
            error,
            format!("SMB transport header at byte 0: expected a message of 64 to 131072 bytes, found {len}")
        );
        assert_eq!(script.pos, 4);
    }
}

/// Repeated answers that say "later" end with the server's credits, or with the connection.
#[test]
fn an_answer_that_never_comes_ends_with_the_connection() {
    let mut later = message(0, 0x103, 0, &[9, 0, 0, 0, 0, 0, 0, 0]);
    later[16] = 3;
    let mut script = Script { bytes: frame(&later).repeat(1_000), ..Script::default() };
    assert_eq!(
        open(&mut script).expect_err("hostile").to_string(),
        "SMB NEGOTIATE: the server closed the connection"
    );
}

#[test]
fn changed_messages() {
    let mut tree = vec![16, 0, 2, 0, 0x30, 0, 0, 0, 0, 0, 0, 0, 0xFF, 1, 0x1F, 0];
    tree.extend([0; 8]);
    let mut created = vec![89, 0, 0, 0, 1, 0, 0, 0];
    created.extend([0; 56]);
    created.extend([3; 16]);
    created.extend([0; 8]);
    let read = [&[17, 0, 80, 0, 8, 0, 0, 0][..], &[0; 8], b"a PDU..."].concat();
    let mut ioctl = vec![49, 0, 0, 0, 0x17, 0xC0, 0x11, 0];
    ioctl.extend([3; 16]);
    ioctl.extend([112, 0, 0, 0, 0, 0, 0, 0, 112, 0, 0, 0, 8, 0, 0, 0]);
    ioctl.extend([0; 8]);
    ioctl.extend(b"a PDU...");
    let all = [
        negotiated(),
        challenged(&spnego::answer(spnego::State::Incomplete, Some(&[1; 200]))),
        message(3, 0, 2, &tree),
        message(5, 0, 3, &created),
        message(8, 0, 4, &read),
        message(11, 0, 5, &ioctl),
    ];
    assert!(NegotiateResponse::parse(&all[0]).is_ok() && SessionResponse::parse(&all[1]).is_ok());
    assert!(TreeResponse::parse(&all[2]).is_ok() && CreateResponse::parse(&all[3]).is_ok());
    assert_eq!(ReadResponse::parse(&all[4]).expect("sound").data, b"a PDU...");
    assert_eq!(IoctlResponse::parse(&all[5]).expect("sound").output, b"a PDU...");
    for bytes in all {
        for_each(&bytes, |changed| {
            let _ = (Header::parse(&changed), NegotiateResponse::parse(&changed));
            let _ = (TreeResponse::parse(&changed), CreateResponse::parse(&changed));
            for len in [
                SessionResponse::parse(&changed).map(|it| it.token.len()),
                ReadResponse::parse(&changed).map(|it| it.data.len()),
                IoctlResponse::parse(&changed).map(|it| it.output.len()),
            ] {
                assert!(len.unwrap_or_default() <= changed.len());
            }
        });
    }
}

#[test]
fn changed_tokens() {
    let all = [
        spnego::init(&[1; 200]),
        spnego::response(&[2; 300], &[3; 16]),
        spnego::answer(spnego::State::Incomplete, Some(&[3; 100])),
    ];
    for bytes in all {
        for_each(&bytes, |changed| {
            let first = spnego::Init::parse(&changed).map_or(0, |init| init.token.map_or(0, <[u8]>::len));
            let challenge = spnego::Response::parse(&changed).and_then(|token| token.challenge());
            assert!(first.max(challenge.map_or(0, <[u8]>::len)) <= changed.len());
        });
    }
}

/// Whole conversations: each mutation also costs an authentication, so there are fewer.
#[test]
fn changed_conversations() {
    let challenge = spnego::answer(spnego::State::Incomplete, Some(CHALLENGE));
    let sound = [frame(&negotiated()), frame(&challenged(&challenge))].concat();
    let last = open(&mut Script::new(std::slice::from_ref(&sound))).expect_err("ends").to_string();
    assert_eq!(last, "SMB SESSION_SETUP: the server closed the connection");
    let mut num_left = num_mutations() / 10;
    for_each(&sound, |bytes| {
        if num_left > 0 {
            num_left -= 1;
            assert!(open(&mut Script { bytes, ..Script::default() }).is_err());
        }
    });
}

/// `CHALLENGE_MESSAGE` of a server without names (MS-NLMP 2.2.1.2).
const CHALLENGE: &[u8] =
    b"NTLMSSP\0\x02\0\0\0\0\0\0\0\x38\0\0\0\x35\x82\x8A\x62\x01\x23\x45\x67\x89\xAB\xCD\xEF\
    \0\0\0\0\0\0\0\0\x04\0\x04\0\x38\0\0\0\x0A\0\x61\x4A\0\0\0\x0F\0\0\0\0";
