//! Forwards connections to SMB, and records the conversation.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

pub(crate) struct Tap {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<u8>>>,
}

impl Tap {
    pub(crate) fn new(to: u16) -> Tap {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            // Ends with the process.
            for client in listener.incoming().map_while(Result::ok) {
                let server = TcpStream::connect(("127.0.0.1", to)).expect("the server");
                let other = (client.try_clone().expect("a clone"), server.try_clone().expect("a clone"));
                let (one, two) = (Arc::clone(&kept), Arc::clone(&kept));
                std::thread::spawn(move || pass(client, server, &one));
                std::thread::spawn(move || pass(other.1, other.0, &two));
            }
        });
        Tap { port, seen }
    }

    pub(crate) fn has_seen(&self, bytes: &[u8]) -> bool {
        self.seen.lock().expect("no panic").windows(bytes.len()).any(|window| window == bytes)
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, seen: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 4096];
    while let Ok(len @ 1..) = from.read(&mut bytes) {
        seen.lock().expect("no panic").extend_from_slice(&bytes[..len]);
        if to.write_all(&bytes[..len]).is_err() {
            break;
        }
    }
    let _ = (to.shutdown(Shutdown::Both), from.shutdown(Shutdown::Both));
}
