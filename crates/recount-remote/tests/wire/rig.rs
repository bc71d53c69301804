//! A machine of two objects, a server of it, and connections to that.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use recount_bytes::ByteOrder;
use recount_model::{Content, CounterType, NameTable};
use recount_pcq::conversation::AuthenticationLevel;
use recount_record::{LiveSource, ReplaySource, TakeError};
use recount_remote::rpc::{ClientOptions, RpcClient, RpcError, Syntax};
use recount_remote::transport::Stream;
use recount_remote::{Account, Address, INTERFACE, RemotePerflib, ServeOptions, Server};
use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};
use zeroize::Zeroizing;

pub(crate) const PASSWORD: &str = "correct horse";
pub(crate) const NUM_SAMPLES: i64 = 40;
const LARGE_RAWCOUNT: CounterType = CounterType(0x0001_0100);
const ORDER: ByteOrder = ByteOrder::Little;

pub(crate) fn account(name: &str, password: &str) -> Account {
    Account::new(name, Zeroizing::new(password.to_owned())).expect("a user")
}

/// 40 samples, of one object with an instance and one with so many that answers need fragments.
fn blocks() -> Vec<u8> {
    let mut all = Vec::new();
    for sample in 1..=NUM_SAMPLES {
        let mut memory = ObjectBuf::new(4, false);
        let available = memory.add_counter(24, LARGE_RAWCOUNT);
        let mut values = memory.zeroed_values();
        assert!(memory.set_value(&mut values, ORDER, available, 1 << 33 | sample as u64));
        memory.instances = InstancesBuf::Single(values);
        let mut process = ObjectBuf::new(230, true);
        let counters = [process.add_counter(784, LARGE_RAWCOUNT), process.add_counter(1478, LARGE_RAWCOUNT)];
        let instances = (0..300_u64).map(|number| {
            let mut values = process.zeroed_values();
            assert!(process.set_value(&mut values, ORDER, counters[0], number));
            assert!(process.set_value(&mut values, ORDER, counters[1], number * sample as u64));
            InstanceBuf::named(&format!("svchost{number}"), ORDER, values)
        });
        process.instances = InstancesBuf::Many(instances.collect());
        let mut block = BlockBuf::new("WEB1", ORDER);
        block.header.perf_time_100ns = 132_000_000_000_000_000 + sample * 10_000_000;
        block.header.perf_time = sample * 1_000;
        block.header.perf_freq = 1_000;
        block.objects = vec![memory, process];
        all.extend(block.write().expect("a block"));
        all.resize(all.len().next_multiple_of(8), 0);
    }
    all
}

pub(crate) fn source() -> Result<Box<dyn LiveSource>, TakeError> {
    let names =
        NameTable::from_text("4\nMemory\n24\nAvailable Bytes\n230\nProcess\n784\nID Process\n1478\nHandles");
    let content: Arc<dyn Content> = Arc::new(blocks());
    Ok(Box::new(ReplaySource::open(vec![("blocks.bin".to_owned(), content)], names)?))
}

/// A server in a thread, which ends with this.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    pub(crate) fn new() -> Served {
        Served::with_connections(64)
    }

    pub(crate) fn with_connections(max: usize) -> Served {
        let server = Server::listen("127.0.0.1:0").expect("a port");
        let Address::Tcp(address) = *server.address() else { panic!("a port") };
        let end = Arc::new(AtomicBool::new(false));
        let mut options = ServeOptions::new(Arc::new(source), "test", account("LAB\\eve", PASSWORD));
        options.timeout = Duration::from_secs(20);
        options.max_connections = max;
        let ended = Arc::clone(&end);
        let thread = std::thread::spawn(move || {
            let quiet: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(|_| {});
            server.serve(&options, &ended, &quiet).expect("a listening server");
        });
        Served { address, end, thread: Some(thread) }
    }

    pub(crate) fn bind(
        &self,
        level: AuthenticationLevel,
        account: Account,
    ) -> Result<RpcClient<Stream>, RpcError> {
        self.bind_to(INTERFACE, level, account)
    }

    pub(crate) fn bind_to(
        &self,
        interface: Syntax,
        level: AuthenticationLevel,
        account: Account,
    ) -> Result<RpcClient<Stream>, RpcError> {
        let timeout = Duration::from_secs(20);
        let transport = Stream::connect("127.0.0.1", self.address.port(), timeout).expect("a connection");
        let options = ClientOptions { interface, level, spnego: false, account: Some(account), timeout };
        RpcClient::bind(transport, &options)
    }

    pub(crate) fn perflib(&self) -> RemotePerflib<Stream> {
        let bound = self.bind(AuthenticationLevel::PKT_PRIVACY, account("LAB\\eve", PASSWORD));
        RemotePerflib::new(bound.expect("a binding"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server's thread");
        }
    }
}
