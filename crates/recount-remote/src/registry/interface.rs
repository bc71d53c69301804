//! The methods, called by a connection: a classic source as `HKEY_PERFORMANCE_DATA`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use recount_bytes::FormatError;
use recount_model::NameTable;
use recount_pcq::conversation::AuthenticationLevel;
use recount_perf_data::DataBlock;
use recount_record::LiveSource;

use super::client::Root;
use super::{WINREG, code, opnum};
use crate::OpenSource;
use crate::rpc::{Called, Interface, NdrReader, NdrWriter, RpcError, Syntax, fault};

/// A source's blocks and names, for one connection.
///
/// Clients ask once for `Global` and `Costly` to see which objects there are. Those answers don't use up a sample of a
/// replay.
pub struct RegistryInterface {
    open: OpenSource,
    /// Opened by the first request.
    source: Option<Box<dyn LiveSource>>,
    /// Which of the values that show all objects were asked for.
    shown: BTreeSet<&'static str>,
    keys: BTreeMap<u32, Root>,
    last_key: u32,
}

/// Keys that may be open at a time.
const MAX_KEYS: usize = 64;
/// Of the registry's protocol, to clients that ask for it (MS-RRP 3.1.5.24).
const VERSION: u32 = 5;
const REG_BINARY: u32 = 3;
const REG_MULTI_SZ: u32 = 7;
const NULL: [u8; 20] = [0; 20];
/// Some clients pad the last fragment.
const LEN_PADDING: usize = 7;

impl RegistryInterface {
    /// Serves what `open` opens.
    pub fn new(open: OpenSource) -> RegistryInterface {
        RegistryInterface { open, source: None, shown: BTreeSet::new(), keys: BTreeMap::new(), last_key: 0 }
    }

    fn dispatch(&mut self, call: &Called<'_>, root: Option<Root>) -> Result<NdrWriter, u32> {
        let mut parameters = NdrReader::new("winreg", call.stub, call.order);
        let is_allowed = call.level >= AuthenticationLevel::PKT_PRIVACY || call.is_known;
        match (root, call.opnum) {
            (Some(root), _) => {
                if read(parameters.u32())? != 0 {
                    read(parameters.u16())?;
                }
                read(parameters.u32())?;
                read(parameters.end(LEN_PADDING))?;
                Ok(if is_allowed { self.open_key(root) } else { handle_and_code(NULL, code::ACCESS_DENIED) })
            }
            (None, opnum::CLOSE_KEY) => {
                let key = self.key(&mut parameters)?;
                read(parameters.end(LEN_PADDING))?;
                self.keys.remove(&key.0);
                Ok(handle_and_code(NULL, 0))
            }
            (None, opnum::OPEN_KEY) => {
                let (_, root) = self.key(&mut parameters)?;
                let path = read(name(&mut parameters))?;
                // Options and access.
                read(parameters.u32()).and(read(parameters.u32()))?;
                read(parameters.end(LEN_PADDING))?;
                // The keys have values only. Without a name it is the same key again.
                Ok(if path.is_empty() {
                    self.open_key(root)
                } else {
                    handle_and_code(NULL, code::FILE_NOT_FOUND)
                })
            }
            (None, opnum::GET_VERSION) => {
                self.key(&mut parameters)?;
                read(parameters.end(LEN_PADDING))?;
                let mut results = NdrWriter::default();
                results.u32(VERSION);
                results.u32(0);
                Ok(results)
            }
            (None, _) => {
                let (_, root) = self.key(&mut parameters)?;
                let query = read(Query::parse(&mut parameters))?;
                let (answer, is_sent, asked) = query.answer(self.value(root, &query.name));
                if let Some(asked) = asked {
                    self.settle(&asked, is_sent);
                }
                Ok(answer)
            }
        }
    }

    fn open_key(&mut self, root: Root) -> NdrWriter {
        if self.keys.len() >= MAX_KEYS {
            return handle_and_code(NULL, code::NO_SYSTEM_RESOURCES);
        }
        self.last_key = self.last_key.wrapping_add(1);
        self.keys.insert(self.last_key, root);
        let mut handle = NULL;
        handle[4..8].copy_from_slice(&self.last_key.to_le_bytes());
        handle_and_code(handle, 0)
    }

    fn key(&self, parameters: &mut NdrReader<'_>) -> Result<(u32, Root), u32> {
        let [_, _, _, _, a, b, c, d, rest @ ..] = read(parameters.context_handle())?;
        let number = u32::from_le_bytes([a, b, c, d]);
        let root = self.keys.get(&number).filter(|_| rest == [0; 12]);
        root.map(|root| (number, *root)).ok_or(fault::CONTEXT_MISMATCH)
    }

    /// A value and its type, if there is one.
    fn value(&mut self, root: Root, name: &str) -> Result<Value<'_>, u32> {
        if self.source.is_none() {
            self.source = Some((self.open)().map_err(|_| code::OUT_OF_MEMORY)?);
        }
        let Some(source) = &mut self.source else { return Err(code::FILE_NOT_FOUND) };
        let is_table = match root {
            Root::PerformanceData => name.eq_ignore_ascii_case("Counter 009"),
            _ => name.eq_ignore_ascii_case("Counter"),
        };
        if is_table {
            let texts = source.texts();
            let table = texts.first().map(|(_, table)| NameTable::to_multi_sz(table)).unwrap_or_default();
            return Ok(Value { kind: REG_MULTI_SZ, data: table.into(), sample_for: None });
        }
        let asked = AskedObjects::parse(name).filter(|_| root == Root::PerformanceData);
        let asked = asked.ok_or(code::FILE_NOT_FOUND)?;
        source.take().map_err(|_| code::READ_FAULT)?.ok_or(code::HANDLE_EOF)?;
        let data = asked.answer(source.sample()).map_err(|_| code::READ_FAULT)?;
        Ok(Value { kind: REG_BINARY, data, sample_for: Some(asked) })
    }

    /// A sample that nobody got, or that only showed which objects there are, isn't used up.
    fn settle(&mut self, asked: &AskedObjects, is_sent: bool) {
        let is_used = is_sent && !asked.shows().is_some_and(|name| self.shown.insert(name));
        if let (false, Some(source)) = (is_used, &mut self.source) {
            source.put_back();
        }
    }
}

/// What a value of `HKEY_PERFORMANCE_DATA` asks for.
enum AskedObjects {
    Global,
    /// The objects that `Global` leaves out: none here.
    Costly,
    /// Objects by name index.
    Objects(Vec<u32>),
}

impl AskedObjects {
    const GLOBAL: &str = "Global";
    const COSTLY: &str = "Costly";

    fn parse(name: &str) -> Option<AskedObjects> {
        match name {
            "" | Self::GLOBAL => Some(AskedObjects::Global),
            Self::COSTLY => Some(AskedObjects::Costly),
            _ => name
                .split_whitespace()
                .map(|index| index.parse().ok())
                .collect::<Option<_>>()
                .map(AskedObjects::Objects),
        }
    }

    /// Its name, if it shows which objects there are.
    fn shows(&self) -> Option<&'static str> {
        match self {
            AskedObjects::Global => Some(Self::GLOBAL),
            AskedObjects::Costly => Some(Self::COSTLY),
            AskedObjects::Objects(_) => None,
        }
    }

    fn answer<'a>(&self, block: &'a [u8]) -> Result<Cow<'a, [u8]>, FormatError> {
        let part = |wanted: &dyn Fn(u32) -> bool| DataBlock::parse(block, 0)?.with_objects(wanted);
        Ok(match self {
            AskedObjects::Global => block.into(),
            AskedObjects::Costly => part(&|_| false)?.into(),
            AskedObjects::Objects(indexes) => part(&|index| indexes.contains(&index))?.into(),
        })
    }
}

struct Value<'a> {
    kind: u32,
    data: Cow<'a, [u8]>,
    /// What was asked for, if the data is a sample.
    sample_for: Option<AskedObjects>,
}

/// Parameters of `BaseRegQueryValue`.
struct Query {
    name: String,
    kind: Option<u32>,
    /// Size of the buffer for data; `None` if only the length is requested.
    room: Option<u32>,
    len: Option<u32>,
    len_used: Option<u32>,
}

impl Query {
    fn parse(parameters: &mut NdrReader<'_>) -> Result<Query, RpcError> {
        let name = name(parameters)?;
        let kind = pointed(parameters)?;
        let mut room = None;
        if parameters.u32()? != 0 {
            let max = parameters.u32()?;
            let count = parameters.varying(max)?;
            parameters.take(count as usize)?;
            parameters.align(4)?;
            room = Some(max);
        }
        let (len, len_used) = (pointed(parameters)?, pointed(parameters)?);
        parameters.end(LEN_PADDING)?;
        Ok(Query { name, kind, room, len, len_used })
    }

    /// The results, whether they have the data, and what was asked for if that is a sample.
    fn answer(&self, value: Result<Value<'_>, u32>) -> (NdrWriter, bool, Option<AskedObjects>) {
        let mut results = NdrWriter::default();
        let (code, value) = match value {
            Ok(value) => (0, Some(value)),
            Err(code) => (code, None),
        };
        let kind = value.as_ref().map_or(0, |value| value.kind);
        let data = value.as_ref().map(|value| &*value.data).unwrap_or_default();
        // The room has to be what `lpcbData` says, in both directions.
        let room = self.room.filter(|room| Some(*room) == self.len).unwrap_or_default();
        let fits = data.len() <= room as usize;
        let code = if code == 0 && self.room.is_some() && !fits { code::MORE_DATA } else { code };
        let is_sent = self.room.is_some() && code == 0;
        let sent = if is_sent { data } else { &[] };
        let len = data.len() as u32;
        point(&mut results, self.kind.map(|_| kind));
        if self.room.is_some() {
            results.u32(1);
            // `size_is(lpcbData ? *lpcbData : 0)`, of the length that is returned (MS-RRP 3.1.5.17).
            results.u32(self.len.map_or(0, |_| len));
            results.u32(0);
            results.u32(sent.len() as u32);
            results.bytes(sent);
        } else {
            results.u32(0);
        }
        point(&mut results, self.len.map(|_| len));
        point(&mut results, self.len_used.map(|_| sent.len() as u32));
        results.u32(code);
        (results, is_sent, value.and_then(|value| value.sample_for))
    }
}

/// `RRP_UNICODE_STRING` (MS-RRP 2.2.4)
fn name(parameters: &mut NdrReader<'_>) -> Result<String, RpcError> {
    parameters.u16()?;
    parameters.u16()?;
    let name = if parameters.u32()? == 0 { String::new() } else { parameters.string()? };
    parameters.align(4)?;
    Ok(name)
}

/// A number behind a pointer that may be null.
fn pointed(parameters: &mut NdrReader<'_>) -> Result<Option<u32>, RpcError> {
    if parameters.u32()? == 0 { Ok(None) } else { parameters.u32().map(Some) }
}

fn point(results: &mut NdrWriter, value: Option<u32>) {
    results.u32(u32::from(value.is_some()));
    if let Some(value) = value {
        results.u32(value);
    }
}

fn handle_and_code(handle: [u8; 20], code: u32) -> NdrWriter {
    let mut results = NdrWriter::default();
    results.bytes(&handle);
    results.u32(code);
    results
}

fn read<V>(value: Result<V, RpcError>) -> Result<V, u32> {
    value.map_err(|_| fault::BAD_STUB_DATA)
}

impl Interface for RegistryInterface {
    fn syntax(&self) -> Syntax {
        WINREG
    }

    fn call(&mut self, call: &Called<'_>) -> Result<Vec<u8>, u32> {
        let root = match call.opnum {
            opnum::OPEN_PERFORMANCE_DATA => Some(Root::PerformanceData),
            opnum::OPEN_PERFORMANCE_TEXT => Some(Root::PerformanceText),
            opnum::OPEN_PERFORMANCE_NLS_TEXT => Some(Root::PerformanceNlsText),
            opnum::CLOSE_KEY | opnum::OPEN_KEY | opnum::QUERY_VALUE | opnum::GET_VERSION => None,
            _ => return Err(fault::OP_RANGE),
        };
        self.dispatch(call, root).map(NdrWriter::into_bytes)
    }
}

#[cfg(test)]
mod tests {
    use recount_bytes::ByteOrder;

    use super::*;

    /// The results for a value of 5 bytes and a client's buffer: the array's maximum, its number of elements, the length that
    /// is returned, the number that was sent, and the code.
    fn numbers(room: Option<u32>, len: Option<u32>) -> Result<[Option<u32>; 5], RpcError> {
        let query = Query { name: String::new(), kind: Some(0), room, len, len_used: Some(0) };
        let value = Value { kind: REG_BINARY, data: Cow::Borrowed(b"value"), sample_for: None };
        let bytes = query.answer(Ok(value)).0.into_bytes();
        let mut reader = NdrReader::new("results", &bytes, ByteOrder::Little);
        assert_eq!(pointed(&mut reader)?, Some(REG_BINARY));
        let (mut max, mut count) = (None, None);
        if reader.u32()? != 0 {
            max = Some(reader.u32()?);
            count = Some(reader.varying(u32::MAX)?);
            reader.take(count.unwrap_or_default() as usize)?;
        }
        let (len, sent) = (pointed(&mut reader)?, pointed(&mut reader)?);
        let code = reader.u32()?;
        reader.end(0)?;
        Ok([max, count, len, sent, Some(code)])
    }

    /// Samba's clients compare them.
    #[test]
    fn the_arrays_maximum_is_the_length_that_is_returned() {
        for (room, len, expected) in [
            (Some(100), Some(100), [Some(5), Some(5), Some(5), Some(5), Some(0)]),
            (Some(5), Some(5), [Some(5), Some(5), Some(5), Some(5), Some(0)]),
            (Some(4), Some(4), [Some(5), Some(0), Some(5), Some(0), Some(code::MORE_DATA)]),
            (Some(0), Some(0), [Some(5), Some(0), Some(5), Some(0), Some(code::MORE_DATA)]),
            (Some(9), None, [Some(0), Some(0), None, Some(0), Some(code::MORE_DATA)]),
            (None, Some(0), [None, None, Some(5), Some(0), Some(0)]),
        ] {
            assert_eq!(numbers(room, len).expect("whole"), expected, "{room:?} {len:?}");
        }
    }
}
