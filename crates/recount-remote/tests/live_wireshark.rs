//! Our conversations, as Wireshark reads them: every PDU is understood, none is malformed.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use recount_pcq::conversation::{AuthenticationLevel, PerflibClient, PerflibV2, Sampler};
use recount_remote::RemotePerflib;
use recount_remote::rpc::{ClientOptions, RpcClient};
use recount_remote::transport::Stream;
use rig::{PASSWORD, Served, account};

#[path = "wire/rig.rs"]
#[expect(dead_code, reason = "the tests of our own client use the rest")]
mod rig;

/// A PDU, and whether the client sent it.
type Sent = (bool, Vec<u8>);

/// Passes one connection on and keeps its PDUs.
fn wire_tap(to: SocketAddr) -> (u16, Arc<Mutex<Vec<Sent>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let all = Arc::clone(&kept);
    std::thread::spawn(move || {
        let (client, _) = listener.accept().expect("a client");
        let server = TcpStream::connect(to).expect("the server");
        let pass = |from: &TcpStream, to: &TcpStream, is_client: bool| {
            let (mut from, mut to) = (from.try_clone().expect("a clone"), to.try_clone().expect("a clone"));
            let all = Arc::clone(&all);
            std::thread::spawn(move || {
                let mut pdu = vec![0; 16];
                while from.read_exact(&mut pdu).is_ok() {
                    pdu.resize(u16::from_le_bytes([pdu[8], pdu[9]]).into(), 0);
                    from.read_exact(&mut pdu[16..]).expect("the rest of a PDU");
                    all.lock().expect("no panic").push((is_client, pdu.clone()));
                    to.write_all(&pdu).expect("a connection");
                    pdu.truncate(16);
                }
                let _ = to.shutdown(Shutdown::Both);
            });
        };
        pass(&client, &server, true);
        pass(&server, &client, false);
    });
    (port, kept)
}

fn perflib(port: u16, level: AuthenticationLevel) -> RemotePerflib<Stream> {
    let timeout = std::time::Duration::from_secs(20);
    let transport = Stream::connect("127.0.0.1", port, timeout).expect("a connection");
    let account = Some(account("LAB\\eve", PASSWORD));
    let options =
        ClientOptions { interface: recount_remote::INTERFACE, level, spnego: false, account, timeout };
    RemotePerflib::new(RpcClient::bind(transport, &options).expect("a binding"))
}

/// A session: browsing, a query, two samples.
fn sealed() -> Vec<Sent> {
    let served = Served::new();
    let (port, kept) = wire_tap(served.address);
    let client = PerflibClient::new(perflib(port, AuthenticationLevel::PKT_PRIVACY));
    let mut sampler = Sampler::new(client, &mut |_| true).expect("a query");
    for _ in 0..2 {
        sampler.take().expect("a sample");
    }
    drop(sampler);
    let mut kept = kept.lock().expect("no panic");
    std::mem::take(&mut *kept)
}

/// Calls in plain text, all denied, and a fault.
fn plain() -> Vec<Sent> {
    let served = Served::new();
    let (port, kept) = wire_tap(served.address);
    let mut far = perflib(port, AuthenticationLevel::NONE);
    far.enumerate_counter_set("web1", 256).expect("an answer");
    far.query_registration_info("web1", recount_pcq::Guid([1; 16]), 1, 0, 4_096).expect("an answer");
    let (_, query) = far.open_query_handle("web1").expect("an answer");
    far.query_counter_data(query, 100).expect_err("a fault");
    drop(far);
    let mut kept = kept.lock().expect("no panic");
    std::mem::take(&mut *kept)
}

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{program} ({error}): install tshark"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn check(folder: &Path, name: &str, sent: &[Sent]) -> String {
    let mut text = String::new();
    for (is_client, pdu) in sent {
        text.push_str(if *is_client { "O\n" } else { "I\n" });
        for (number, line) in pdu.chunks(16).enumerate() {
            write!(text, "{:06x}", number * 16).expect("memory");
            for byte in line {
                write!(text, " {byte:02x}").expect("memory");
            }
            text.push('\n');
        }
    }
    let (hex, pcap) = (folder.join(format!("{name}.txt")), folder.join(format!("{name}.pcap")));
    std::fs::write(&hex, text).expect("a file");
    let (hex, pcap) = (hex.to_str().expect("UTF-8"), pcap.to_str().expect("UTF-8"));
    run("text2pcap", &["-q", "-D", "-T", "50000,4915", hex, pcap]);
    let decode = ["-r", pcap, "-d", "tcp.port==4915,dcerpc", "-T", "fields"];
    let kinds = run("tshark", &[&decode[..], &["-e", "dcerpc.pkt_type"]].concat());
    let found: Vec<&str> = kinds.lines().collect();
    let expected: Vec<String> = sent.iter().map(|(_, pdu)| pdu[2].to_string()).collect();
    assert_eq!(found, expected, "{name}: what every frame is");
    let malformed = run("tshark", &[&decode[..], &["-e", "frame.number", "-Y", "_ws.malformed"]].concat());
    assert_eq!(malformed, "", "{name}: malformed frames");
    run("tshark", &["-r", pcap, "-d", "tcp.port==4915,dcerpc", "-V"])
}

#[test]
fn wireshark_understands_every_pdu() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let sent = sealed();
    // Binding, authentication, and calls of several fragments.
    assert!(sent.len() > 30, "{} PDUs", sent.len());
    let shown = check(folder, "sealed", &sent);
    for expected in [
        "Abstract Syntax: da5a86c5-12c2-4943-ab30-7f74a813d853 V1.0",
        "NTLMSSP_AUTH",
        "User name: eve",
        "Domain name: LAB",
        "Auth level: Packet privacy (6)",
    ] {
        assert!(shown.contains(expected), "{expected}");
    }
    let shown = check(folder, "plain", &plain());
    assert!(shown.contains("Status: nca_s_fault_context_mismatch (0x1c00001a)"));
}
