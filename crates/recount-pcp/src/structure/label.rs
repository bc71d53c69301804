//! The label: the first record of every file.

use recount_bytes::ByteOrder;
use recount_bytes::FormatError;
use recount_bytes::fields::Fields;
use recount_bytes::parse::by_fields;

use super::{Frame, RawStamp, Stamp, Version, placed, text, unexpected};
use crate::PcpError;

#[derive(Clone, Debug, Default)]
pub(crate) struct Label {
    pub(crate) version: Version,
    pub(crate) pid: u32,
    time: RawStamp,
    /// Volume, or -1 in `.meta`, -2 in `.index`.
    pub(crate) volume: i32,
    features: u32,
    host: Vec<u8>,
    zone: Vec<u8>,
    zone_name: Vec<u8>,
}

impl Label {
    pub(crate) const NAME: &'static str = "label";
    /// Magic number, to which the version is added.
    pub(crate) const MAGIC: u32 = 0x5005_2600;
    /// Set by PCP's own tests, without a meaning.
    const HARMLESS: u32 = 1 << 31;

    /// The label at the start of a file.
    pub(crate) fn read(file: &str, bytes: &[u8]) -> Result<Label, PcpError> {
        let failed = |source| PcpError::Label { file: file.to_owned(), source: Box::new(source) };
        let word = |at| super::be_u32(bytes, at).unwrap_or_default();
        if word(4) == Label::MAGIC + 1 {
            return Err(PcpError::Version1 { file: file.to_owned() });
        }
        let Some(version) = Version::of(word(0), word(4)) else {
            let found = format!("{:08x} {:08x}", word(0), word(4));
            let expected = "00000084 50052602 or 00000328 50052603";
            return Err(failed(unexpected(Label::NAME, 0, "length and magic", 0, expected, found)));
        };
        let frame = Frame::at(bytes, 0, Label::NAME).map_err(failed)?;
        let label = Label::parse(version, &frame).map_err(failed)?;
        match label.features & !Label::HARMLESS {
            0 => Ok(label),
            bits => Err(PcpError::Features { file: file.to_owned(), bits }),
        }
    }

    pub(crate) fn parse(version: Version, frame: &Frame<'_>) -> Result<Label, FormatError> {
        let parsed = by_fields(Label::NAME, ByteOrder::Big, |label: &mut Label, f| {
            label.version = version;
            label.fields(f)
        })(frame.bytes);
        placed(parsed, frame)
    }

    pub(crate) fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.hidden("length", &mut 0_u32)?;
        let mut magic = Label::MAGIC + u32::from(self.version.number());
        f.shown("magic and version", &mut magic, |magic| format!("{magic:#010x}"))?;
        f.field("process id of the writer", &mut self.pid)?;
        self.time.fields(self.version, f)?;
        f.field("volume", &mut self.volume)?;
        match self.version {
            Version::V2 => {
                fixed::<F, 64>("host", &mut self.host, f)?;
                fixed::<F, 40>("time zone", &mut self.zone, f)
            }
            Version::V3 => {
                f.shown("feature bits", &mut self.features, |bits| format!("{bits:#010x}"))?;
                f.hidden("reserved", &mut 0_u32)?;
                fixed::<F, 256>("host", &mut self.host, f)?;
                fixed::<F, 256>("time zone", &mut self.zone, f)?;
                fixed::<F, 256>("name of the zone", &mut self.zone_name, f)
            }
        }
    }

    pub(crate) fn host(&self) -> String {
        text(&self.host)
    }

    /// A POSIX TZ string.
    pub(crate) fn zone(&self) -> String {
        text(&self.zone)
    }

    /// The zone's name in the time zone database, in version 3; empty if it isn't stated.
    pub(crate) fn zone_name(&self) -> String {
        text(&self.zone_name).trim_start_matches(':').to_owned()
    }

    pub(crate) fn start(&self) -> Option<Stamp> {
        self.time.stamp()
    }
}

fn fixed<F: Fields, const N: usize>(
    name: &'static str,
    value: &mut Vec<u8>,
    f: &mut F,
) -> Result<(), F::Error> {
    let mut bytes = [0; N];
    let len = value.len().min(N);
    bytes[..len].copy_from_slice(&value[..len]);
    f.shown(name, &mut bytes, |bytes| text(&bytes).escape_debug().to_string())?;
    *value = bytes.into();
    Ok(())
}
