//! A remote registry, in the role of the machine that the Windows source queries.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use recount_record::windows::{Key, Machine, Registry, Reply, ValueKind, ZoneFields};

use super::{Handle, MAX_VALUE, RegistryClient, Root, code};
use crate::rpc::{RpcError, fault};
use crate::transport::Transport;

/// Windows' number of English as a primary language.
const ENGLISH: u16 = 9;

/// Another machine.
pub(crate) struct RemoteMachine<T> {
    client: RegistryClient<T>,
    /// Predefined keys that are open, or why they aren't.
    roots: BTreeMap<u16, Result<Handle, u32>>,
    max_answer: u32,
    language: u16,
    failure: Broken,
}

/// Why no further call is possible. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Broken(Rc<RefCell<Option<RpcError>>>);

impl Broken {
    pub(crate) fn take(&self) -> Option<RpcError> {
        self.0.borrow_mut().take()
    }

    fn is_set(&self) -> bool {
        self.0.borrow().is_some()
    }

    fn set(&self, error: RpcError) {
        *self.0.borrow_mut() = Some(error);
    }
}

impl<T: Transport> RemoteMachine<T> {
    pub(crate) fn new(client: RegistryClient<T>, max_answer: u32) -> RemoteMachine<T> {
        let mut machine = RemoteMachine {
            client,
            roots: BTreeMap::new(),
            max_answer,
            language: ENGLISH,
            failure: Broken::default(),
        };
        machine.language = machine.installed_language().unwrap_or(ENGLISH);
        machine
    }

    /// Why the connection is lost, if it is.
    pub(crate) fn failure(&self) -> Broken {
        self.failure.clone()
    }

    /// The language that the system was installed in, as `0409`.
    fn installed_language(&mut self) -> Option<u16> {
        const LANGUAGE: Key = Key::LocalMachine(r"SYSTEM\CurrentControlSet\Control\Nls\Language");
        let mut bytes = Vec::new();
        let reply = self.query(LANGUAGE, "InstallLanguage", 64, &mut bytes);
        let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
        let text = String::from_utf16_lossy(&units);
        let number = u16::from_str_radix(text.trim_end_matches('\0'), 16).ok()?;
        (reply == Reply::Value(ValueKind::TEXT)).then_some(number & 0x3FF)
    }

    fn root(&mut self, root: Root) -> Result<Result<Handle, u32>, RpcError> {
        if let Some(known) = self.roots.get(&(root as u16)) {
            return Ok(*known);
        }
        let opened = match self.client.open(root) {
            // Systems without such a key.
            Err(RpcError::Fault { status: fault::OP_RANGE }) => Err(code::FILE_NOT_FOUND),
            other => other?,
        };
        self.roots.insert(root as u16, opened);
        Ok(opened)
    }

    fn read(&mut self, key: Key, value: &str, max: u32, bytes: &mut Vec<u8>) -> Result<Reply, RpcError> {
        let (root, path) = match key {
            Key::PerformanceData => (Root::PerformanceData, None),
            Key::PerformanceText => (Root::PerformanceText, None),
            Key::PerformanceNlsText => (Root::PerformanceNlsText, None),
            Key::LocalMachine(path) => (Root::LocalMachine, Some(path)),
        };
        let handle = match self.root(root)? {
            Ok(handle) => handle,
            Err(code) => return Ok(Reply::Failed(code)),
        };
        let answer = match path {
            None => self.client.query_value(handle, value, max)?,
            Some(path) => match self.client.open_key(handle, path)? {
                Err(code) => return Ok(Reply::Failed(code)),
                Ok(below) => {
                    let answer = self.client.query_value(below, value, max)?;
                    self.client.close(below)?;
                    answer
                }
            },
        };
        Ok(match answer.code {
            0 => {
                *bytes = answer.data;
                Reply::Value(ValueKind(answer.kind))
            }
            code::MORE_DATA => Reply::MoreData,
            code => Reply::Failed(code),
        })
    }
}

impl<T: Transport> Registry for RemoteMachine<T> {
    fn query(&mut self, key: Key, value: &str, len_buffer: usize, bytes: &mut Vec<u8>) -> Reply {
        if self.failure.is_set() {
            return Reply::Failed(code::CALL_FAILED);
        }
        let max = u32::try_from(len_buffer).unwrap_or(u32::MAX);
        if max > self.max_answer.min(MAX_VALUE) {
            return Reply::Failed(code::MORE_DATA);
        }
        match self.read(key, value, max, bytes) {
            Ok(reply) => reply,
            Err(error) => {
                self.failure.set(error);
                Reply::Failed(code::CALL_FAILED)
            }
        }
    }
}

/// The registry has none of this in a form that is the same on all systems.
impl<T: Transport> Machine for RemoteMachine<T> {
    fn num_processors(&self) -> Option<u32> {
        None
    }

    fn len_memory(&self) -> Option<u64> {
        None
    }

    fn len_page(&self) -> Option<u32> {
        None
    }

    fn uptime_ms(&self) -> Option<u64> {
        None
    }

    fn zone(&self) -> Option<ZoneFields> {
        None
    }

    fn language(&self) -> u16 {
        self.language
    }
}
