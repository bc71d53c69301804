//! A pipe that Samba's SMB server hands over (formats/ms-pcq.md#samba): who it is for, then messages with their lengths.
//!
//! Samba has authenticated the client and keeps what goes over the network; here are a socket of this machine, which only its
//! owner can reach, and what Samba says about the client. How it says that was seen on a running one.

use std::io;
use std::time::Duration;

use recount_bytes::ByteOrder;

use super::{Stream, Transport};
use crate::rpc::{NdrReader, NdrWriter, RpcError};

/// The pipe of one client.
pub(crate) struct SambaPipe {
    stream: Stream,
    /// Bytes of the current message that weren't read yet.
    len_left: usize,
}

/// Whom Samba has authenticated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Name of the user.
    pub(crate) user: String,
    /// Where that name is known.
    pub(crate) domain: String,
    /// Whether a password was given. Guests and anonymous users have a name, too.
    pub(crate) is_authenticated: bool,
    /// The client's address.
    pub(crate) address: String,
}

/// The longest description of a client: a user may be in thousands of groups.
const MAX_LEN_CALLER: usize = 1 << 20;
const MAGIC: &[u8; 4] = b"NPAM";
/// The only version of the handshake that was seen: that of Samba 4.17.
const LEVEL: u32 = 7;

impl SambaPipe {
    /// Receives who the client is, and accepts it.
    pub(crate) fn accept(mut stream: Stream, within: Duration) -> io::Result<(SambaPipe, Caller)> {
        stream.set_deadline(within);
        let mut message = vec![0; 4];
        fill(&mut stream, &mut message)?;
        let len = u32::from_be_bytes([message[0], message[1], message[2], message[3]]) as usize;
        if len > MAX_LEN_CALLER {
            return Err(invalid(format!(
                "Samba describes the client in {len} bytes; at most {MAX_LEN_CALLER} are read"
            )));
        }
        message.resize(4 + len, 0);
        fill(&mut stream, &mut message[4..])?;
        let caller = caller(&message)
            .map_err(|error| invalid(format!("what Samba says about the client: {error}")))?;
        stream.write_all(&accepted())?;
        Ok((SambaPipe { stream, len_left: 0 }, caller))
    }
}

impl Transport for SambaPipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.len_left == 0 {
            let mut len = [0; 2];
            let (first, second) = len.split_at_mut(1);
            if self.stream.read(first)? == 0 {
                return Ok(0);
            }
            fill(&mut self.stream, second)?;
            self.len_left = u16::from_le_bytes(len).into();
        }
        let len = buffer.len().min(self.len_left);
        let len = self.stream.read(buffer.get_mut(..len).unwrap_or_default())?;
        self.len_left -= len;
        Ok(len)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        for message in bytes.chunks(u16::MAX.into()) {
            let len = (message.len() as u16).to_le_bytes();
            self.stream.write_all(&[&len, message].concat())?;
        }
        Ok(())
    }

    fn set_deadline(&mut self, within: Duration) {
        self.stream.set_deadline(within);
    }
}

fn fill(stream: &mut Stream, mut rest: &mut [u8]) -> io::Result<()> {
    while !rest.is_empty() {
        match stream.read(rest)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            len => rest = rest.get_mut(len..).unwrap_or_default(),
        }
    }
    Ok(())
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The answer: a pipe of messages.
fn accepted() -> Vec<u8> {
    const MESSAGES: u16 = 2;
    const DEVICE_STATE: u16 = 0x05FF;
    const ALLOCATION: u64 = 4096;
    const LEN: u32 = 32;
    let mut writer = NdrWriter::default();
    writer.bytes(&LEN.to_be_bytes());
    writer.bytes(MAGIC);
    writer.u32(LEVEL);
    writer.u32(LEVEL);
    writer.u16(MESSAGES);
    writer.u16(DEVICE_STATE);
    writer.align(8);
    writer.bytes(&ALLOCATION.to_le_bytes());
    // Success.
    writer.u32(0);
    writer.into_bytes()
}

/// Reads the whole message, from its length on.
fn caller(message: &[u8]) -> Result<Caller, RpcError> {
    let mut reader = NdrReader::new("named_pipe_auth", message, ByteOrder::Little);
    reader.take(4)?;
    let magic = reader.take(4)?;
    if magic != MAGIC {
        return Err(reader.fail("\"NPAM\"", format!("{magic:02x?}")));
    }
    for _ in 0..2 {
        let level = reader.u32()?;
        if level != LEVEL {
            return Err(reader.fail(format!("version {LEVEL} of its handshake (Samba 4.17)"), level));
        }
    }
    // The transport.
    reader.u32()?;
    let client = [reader.u32()?, reader.u32()?];
    reader.u16()?;
    let server = [reader.u32()?, reader.u32()?];
    reader.u16()?;
    let session = reader.u32()?;
    let mut caller = Caller::default();
    for (number, pointer) in client.into_iter().chain(server).enumerate() {
        let text = if pointer == 0 { String::new() } else { string(&mut reader)? };
        if number == 1 {
            caller.address = text;
        }
    }
    if session != 0 && reader.u32()? != 0 {
        blob(&mut reader)?;
        read_session(&mut reader, &mut caller)?;
    }
    Ok(caller)
}

/// `auth_session_info`
fn read_session(reader: &mut NdrReader<'_>, caller: &mut Caller) -> Result<(), RpcError> {
    let [token, unix_token, info, _, _] = numbers(reader)?;
    // The session's key, credentials, number and kind of ticket.
    blob(reader)?;
    reader.u32()?;
    reader.uuid()?;
    reader.u8()?;
    if token != 0 {
        reader.u32()?;
        let num_sids = reader.u32()?;
        for _ in 0..num_sids {
            reader.u8()?;
            let num_numbers = reader.u8()?;
            reader.take(6 + 4 * usize::from(num_numbers))?;
        }
        // Privileges and rights.
        reader.align(8)?;
        reader.take(8 + 4)?;
    }
    if unix_token != 0 {
        reader.u32()?;
        reader.align(8)?;
        // User and group.
        reader.take(16)?;
        let num_groups = reader.u32()?;
        reader.align(8)?;
        for _ in 0..num_groups {
            reader.take(8)?;
        }
    }
    if info != 0 {
        read_user(reader, caller)?;
    }
    Ok(())
}

/// `auth_user_info`, up to the texts that are needed.
fn read_user(reader: &mut NdrReader<'_>, caller: &mut Caller) -> Result<(), RpcError> {
    let [account, principal] = numbers(reader)?;
    reader.u8()?;
    let [domain, _, _, _, _, _, _, _] = numbers(reader)?;
    // Six times, two counts, flags.
    numbers::<12>(reader)?;
    numbers::<2>(reader)?;
    let is_authenticated = reader.u8()? == 1;
    if account != 0 {
        caller.user = string(reader)?;
    }
    if principal != 0 {
        string(reader)?;
    }
    if domain != 0 {
        caller.domain = string(reader)?;
    }
    caller.is_authenticated = is_authenticated && account != 0;
    Ok(())
}

fn numbers<const N: usize>(reader: &mut NdrReader<'_>) -> Result<[u32; N], RpcError> {
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = reader.u32()?;
    }
    Ok(numbers)
}

fn blob(reader: &mut NdrReader<'_>) -> Result<(), RpcError> {
    let len = reader.u32()?;
    reader.take(len as usize).map(drop)
}

/// A text behind a pointer: UTF-8 with a null.
fn string(reader: &mut NdrReader<'_>) -> Result<String, RpcError> {
    let room = reader.u32()?;
    let len = reader.varying(room)?;
    let text = String::from_utf8_lossy(reader.take(len as usize)?);
    Ok(text.trim_end_matches('\0').to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::transport::Socket;

    fn text(writer: &mut NdrWriter, text: &str) {
        let len = text.len() as u32 + 1;
        writer.u32(len);
        writer.u32(0);
        writer.u32(len);
        writer.bytes(text.as_bytes());
        writer.u8(0);
    }

    /// As Samba 4.17 describes a user of two groups.
    fn described(user: &str, is_authenticated: bool) -> Vec<u8> {
        let mut writer = NdrWriter::default();
        writer.bytes(&[0; 4]);
        writer.bytes(MAGIC);
        for number in [LEVEL, LEVEL, 1, 0x2_0000, 0x2_0004, 50_000, 0x2_0008, 0x2_000C, 445, 0x2_0010] {
            writer.u32(number);
        }
        for name in ["client", "192.0.2.7", "web1", "192.0.2.1"] {
            text(&mut writer, name);
        }
        for number in [0x2_0014, 0, 0x2_0018, 0x2_001C, 0x2_0020, 0x2_0024, 0, 16] {
            writer.u32(number);
        }
        // Key, credentials, number, ticket.
        writer.bytes(&[7; 16]);
        writer.bytes(&[0; 4 + 16 + 4]);
        writer.u32(2);
        writer.u32(2);
        writer.bytes(&[1, 5, 0, 0, 0, 0, 0, 5]);
        writer.bytes(&[9; 20]);
        writer.bytes(&[1, 1, 0, 0, 0, 0, 0, 5, 2, 0, 0, 0]);
        writer.align(8);
        writer.bytes(&[0; 12]);
        writer.u32(1);
        writer.align(8);
        writer.bytes(&[0; 16]);
        writer.u32(1);
        writer.align(8);
        writer.bytes(&[0; 8]);
        for number in [0x2_0028, 0, 0, 0x2_002C, 0, 0, 0, 0, 0, 0, 0] {
            writer.u32(number);
        }
        writer.bytes(&[0xFF; 48]);
        writer.u32(0);
        writer.u32(16);
        writer.u8(is_authenticated.into());
        text(&mut writer, user);
        text(&mut writer, "LAB");
        let mut message = writer.into_bytes();
        let len = (message.len() - 4) as u32;
        message[..4].copy_from_slice(&len.to_be_bytes());
        message
    }

    fn eve() -> Caller {
        Caller {
            user: "eve".to_owned(),
            domain: "LAB".to_owned(),
            is_authenticated: true,
            address: "192.0.2.7".to_owned(),
        }
    }

    #[test]
    fn samba_says_who_calls() {
        assert_eq!(caller(&described("eve", true)).expect("sound"), eve());
        let anonymous = caller(&described("ANONYMOUS LOGON", false)).expect("sound");
        assert_eq!((anonymous.user.as_str(), anonymous.is_authenticated), ("ANONYMOUS LOGON", false));
    }

    #[test]
    fn what_is_damaged_is_nobody() {
        let sound = described("eve", true);
        for len in 0..sound.len() {
            assert!(caller(&sound[..len]).is_err(), "{len}");
        }
        let mut newer = sound;
        newer[8] = 8;
        let error = caller(&newer).expect_err("another version").to_string();
        assert!(error.contains("version 7 of its handshake") && error.ends_with("found 8"), "{error}");
    }

    #[test]
    fn messages_are_framed() {
        let (ours, mut samba) = UnixStream::pair().expect("a pair");
        let within = Duration::from_secs(5);
        let stream = Stream::new(Socket::from(ours), within).expect("a stream");
        samba.write_all(&described("eve", true)).expect("written");
        samba.write_all(b"\x03\0abc\0\0\x02\0de").expect("written");
        let (mut pipe, caller) = SambaPipe::accept(stream, within).expect("accepted");
        assert_eq!(caller, eve());
        let mut answer = [0; 36];
        samba.read_exact(&mut answer).expect("an answer");
        assert_eq!(answer[..8], *b"\0\0\0\x20NPAM");
        let (mut all, mut some) = (Vec::new(), [0; 2]);
        while all.len() < 5 {
            let len = pipe.read(&mut some).expect("bytes");
            all.extend_from_slice(&some[..len]);
        }
        assert_eq!(all, b"abcde");
        pipe.write_all(b"answer").expect("written");
        drop(pipe);
        let mut rest = Vec::new();
        samba.read_to_end(&mut rest).expect("bytes");
        assert_eq!(rest, b"\x06\0answer");
    }

    #[test]
    fn long_descriptions_are_not_read() {
        let (ours, mut samba) = UnixStream::pair().expect("a pair");
        samba.write_all(&[0x7F, 0xFF, 0xFF, 0xFF, 1]).expect("written");
        let stream = Stream::new(Socket::from(ours), Duration::from_secs(5)).expect("a stream");
        let Err(error) = SambaPipe::accept(stream, Duration::from_secs(5)) else { panic!("too long") };
        assert!(error.to_string().contains("at most 1048576"), "{error}");
    }
}
