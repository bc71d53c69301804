//! Connections that break.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use recount_pcq::Message;
use recount_record::LiveSource;
use recount_remote::RemoteSource;

use super::rig::Served;
use super::sessions::options;

/// Passes connections on, until they are cut.
struct Proxy {
    port: u16,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    fn new(to: std::net::SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let streams = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&streams);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = TcpStream::connect(to).expect("the server");
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (mut from, mut to) =
                        (from.try_clone().expect("a clone"), to.try_clone().expect("a clone"));
                    all.lock().expect("no panic").push(from.try_clone().expect("a clone"));
                    std::thread::spawn(move || {
                        let mut buffer = [0; 4096];
                        while let Ok(len @ 1..) = from.read(&mut buffer) {
                            if to.write_all(&buffer[..len]).is_err() {
                                break;
                            }
                        }
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        Proxy { port, streams }
    }

    fn cut(&self) {
        for stream in self.streams.lock().expect("no panic").drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

#[test]
fn a_lost_connection_is_made_again() {
    let served = Served::new();
    let proxy = Proxy::new(served.address);
    let mut source = RemoteSource::connect(options(proxy.port), |_, _| true).expect("a connection");
    source.take().expect("a sample");
    let first = source.messages();
    assert!(source.take_reconnected().is_none() && source.keeps_trying());

    proxy.cut();
    let lost = source.take().expect_err("no connection").to_string();
    assert!(lost.contains(&format!("127.0.0.1:{}", proxy.port)), "{lost}");
    assert!(source.sample().is_empty());
    let waiting = source.take().expect_err("too early").to_string();
    assert!(waiting.ends_with("; next attempt in 1 s"), "{waiting}");

    std::thread::sleep(Duration::from_millis(1_100));
    source.take().expect("a sample").expect("no end");
    let (extent, host) = source.take_reconnected().expect("a new connection");
    assert!(extent >= 10_000_000, "{extent}");
    assert_eq!(host, format!("127.0.0.1:{}", proxy.port));
    assert!(source.take_reconnected().is_none());

    // The new query has a number of its own, so that samples before and after are read by their own positions.
    let query = |bytes: &[u8]| Message::parse(bytes, 0).expect("a message").header.query;
    let again = source.messages();
    assert_eq!(first.len(), again.len());
    assert_eq!(first.iter().map(|bytes| query(bytes)).max(), Some(1));
    assert_eq!(again.iter().map(|bytes| query(bytes)).max(), Some(2));
    assert_eq!(query(source.sample()), 2);
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut options = options(listener.local_addr().expect("an address").port());
    options.timeout = Duration::from_millis(300);
    let began = Instant::now();
    let Err(error) = RemoteSource::connect(options, |_, _| true) else { panic!("nobody answers") };
    assert!(error.to_string().ends_with("binding: no answer in time"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn another_kind_of_server_is_named_so() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let options = options(listener.local_addr().expect("an address").port());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").expect("written");
        // Until the client leaves.
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let Err(error) = RemoteSource::connect(options, |_, _| true) else { panic!("no counters there") };
    let error = error.to_string();
    assert!(error.contains("no server of counters answers there") && error.contains("found 0x48"), "{error}");
}

#[test]
fn one_connection_too_many_hears_why() {
    let served = Served::with_connections(1);
    let first = RemoteSource::connect(options(served.address.port()), |_, _| true).expect("a connection");
    let Err(error) = RemoteSource::connect(options(served.address.port()), |_, _| true) else {
        panic!("refused")
    };
    assert!(error.to_string().contains("as many connections as it allows"), "{error}");
    drop(first);
}

#[test]
fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut options = options(1);
    options.host.port = listener.local_addr().expect("an address").port();
    drop(listener);
    let Err(error) = RemoteSource::connect(options, |_, _| true) else { panic!("nobody listens") };
    assert!(error.to_string().contains("can't connect"), "{error}");
}

/// More silent connections than there are places, of either kind.
#[test]
fn silent_strangers_take_nobodys_place() {
    let served = Served::with_connections(2);
    let port = served.address.port();
    let mut known = RemoteSource::connect(options(port), |_, _| true).expect("a connection");
    let strangers: Vec<TcpStream> =
        (0..20).map(|_| TcpStream::connect(("127.0.0.1", port)).expect("a connection")).collect();
    let mut later = RemoteSource::connect(options(port), |_, _| true).expect("a place beside strangers");
    for source in [&mut known, &mut later] {
        source.take().expect("a sample").expect("no end");
    }
    drop(strangers);
}
