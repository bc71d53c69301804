use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};

use super::live_sample::{growth, source_of, take};

#[test]
fn datagrams_to_oneself_are_counted() {
    let mut source = source_of(&["Network Interface", "UDPv4", "IPv4"]);
    let receiver = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let sender = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let target = receiver.local_addr().expect("bound");
    let before = take(&mut source);
    let mut buffer = [0; 2048];
    for _ in 0..100 {
        sender.send_to(&[7; 1000], target).expect("sent");
        assert_eq!(receiver.recv(&mut buffer).expect("received"), 1000);
    }
    let after = take(&mut source);
    let grown = |object, instance, counter| growth(&before, &after, (object, instance, counter));
    // Plus 28 bytes of headers each.
    assert!(grown("Network Interface", "lo", "Bytes Sent/sec") >= 102_800);
    assert!(grown("Network Interface", "lo", "Packets Received/sec") >= 100);
    assert!(grown("Network Interface", "lo", "Bytes Total/sec") >= 205_600);
    assert!(grown("UDPv4", "", "Datagrams Sent/sec") >= 100);
    assert!(grown("UDPv4", "", "Datagrams/sec") >= 200);
    assert!(grown("IPv4", "", "Datagrams Received Delivered/sec") >= 100);
}

#[test]
fn a_connection_is_counted() {
    let mut source = source_of(&["TCP"]);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let before = take(&mut source);
    let mut client = TcpStream::connect(listener.local_addr().expect("bound")).expect("connected");
    let (mut server, _) = listener.accept().expect("accepted");
    client.write_all(b"ping").expect("sent");
    let mut bytes = [0; 4];
    server.read_exact(&mut bytes).expect("received");
    let after = take(&mut source);
    let grown = |counter| growth(&before, &after, ("TCP", "", counter));
    assert!(grown("Connections Active") >= 1 && grown("Connections Passive") >= 1);
    assert!(grown("Segments Sent/sec") >= 3, "SYN, SYN-ACK and data");
    assert!(after.get("TCP", "", "Connections Established") >= 2, "both ends are here");
}
