//! Decompresses files, each of which is compressed separately.

use std::io::{self, Read, Write};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use lzma_rust2::{LzmaReader, XzReader};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// `.xz`
    Xz,
    /// `.lzma`
    Lzma,
    /// `.bz2`
    Bzip2,
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
    /// `.Z`, which isn't read.
    Compress,
}

/// How decompressing ended.
#[derive(Debug)]
pub enum Decompressed {
    /// At the end of the stream.
    Whole,
    /// Where the stream is damaged.
    Broken(io::Error),
    /// At the maximum plausible number of bytes.
    TooLong(u64),
}

/// Memory that a decoder may take, in KiB: `xz -9` asks for 64 MiB.
const MAX_MEMORY_KIB: u32 = 160 << 10;
const MAX_WINDOW_LOG: u32 = 27;

impl Compression {
    pub(crate) const SUFFIXES: [(&'static str, Compression); 6] = [
        (".xz", Compression::Xz),
        (".lzma", Compression::Lzma),
        (".bz2", Compression::Bzip2),
        (".gz", Compression::Gzip),
        (".zst", Compression::Zstd),
        (".Z", Compression::Compress),
    ];

    /// Recognises it by the first bytes of a file; `None` if it isn't compressed, or is `.lzma`, which has no
    /// signature.
    pub fn of_content(bytes: &[u8]) -> Option<Compression> {
        match bytes {
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Some(Compression::Xz),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..] => Some(Compression::Bzip2),
            [0x1F, 0x8B, 8, ..] => Some(Compression::Gzip),
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Some(Compression::Zstd),
            [0x1F, 0x9D, ..] => Some(Compression::Compress),
            _ => None,
        }
    }

    /// Recognises it by the suffix of a file name.
    pub fn of_name(name: &str) -> Option<Compression> {
        Compression::split(name).1
    }

    /// The name without the compression's suffix, and the compression.
    pub(crate) fn split(name: &str) -> (&str, Option<Compression>) {
        let known =
            |(suffix, compression): (&str, Compression)| Some((name.strip_suffix(suffix)?, compression));
        match Compression::SUFFIXES.into_iter().find_map(known) {
            Some((plain, compression)) => (plain, Some(compression)),
            None => (name, None),
        }
    }

    /// Decompresses to `out`. Archives typically shrink to a twentieth, so data that grows a thousandfold isn't an
    /// archive and is cut off.
    ///
    /// # Errors
    /// Errors of writing to `out`. Faults of `bytes` are in the result.
    pub fn decompress(self, bytes: &[u8], out: &mut impl Write) -> io::Result<Decompressed> {
        const MAX_GROWTH: u64 = 1_000;
        const ALWAYS: u64 = 16 << 20;
        let max = (bytes.len() as u64).saturating_mul(MAX_GROWTH).saturating_add(ALWAYS);
        let mut reader: Box<dyn Read + '_> = match self {
            Compression::Xz => Box::new(XzReader::new_mem_limit(bytes, true, MAX_MEMORY_KIB)),
            Compression::Lzma => match LzmaReader::new_mem_limit(bytes, MAX_MEMORY_KIB, None) {
                Ok(reader) => Box::new(reader),
                Err(error) => return Ok(Decompressed::Broken(error)),
            },
            Compression::Bzip2 => Box::new(MultiBzDecoder::new(bytes)),
            Compression::Gzip => Box::new(MultiGzDecoder::new(bytes)),
            Compression::Zstd => {
                let reader = zstd::Decoder::with_buffer(bytes).and_then(|mut reader| {
                    reader.window_log_max(MAX_WINDOW_LOG)?;
                    Ok(reader)
                });
                match reader {
                    Ok(reader) => Box::new(reader),
                    Err(error) => return Ok(Decompressed::Broken(error)),
                }
            }
            Compression::Compress => {
                let what = "files of compress (.Z) aren't read: gunzip decompresses them";
                return Ok(Decompressed::Broken(io::Error::new(io::ErrorKind::Unsupported, what)));
            }
        };
        copy(&mut *reader, out, max)
    }
}

fn copy(reader: &mut dyn Read, out: &mut impl Write, max: u64) -> io::Result<Decompressed> {
    // Data in the buffer is lost when a decoder of xz fails.
    let mut buffer = vec![0; 2 << 10];
    let mut len = 0;
    loop {
        let num = match reader.read(&mut buffer) {
            Ok(0) => return Ok(Decompressed::Whole),
            Ok(num) => num,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Ok(Decompressed::Broken(error)),
        };
        len += num as u64;
        if len > max {
            return Ok(Decompressed::TooLong(max));
        }
        out.write_all(&buffer[..num])?;
    }
}
