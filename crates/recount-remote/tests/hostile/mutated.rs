//! PDUs and parameters with changed bytes: whatever they say, an error or an answer, in bounded memory.
//!
//! `RECOUNT_MUTATIONS` sets how many per parser (2,000 by default).

use recount_bytes::ByteOrder;
use recount_pcq::conversation::{Method, PerflibServer, PerflibV2, QueryHandle};
use recount_pcq::{Guid, conversation};
use recount_remote::rpc::{
    Bind, BindAck, BindNak, Called, Fault, Interface, NdrReader, Pdu, Request, Response, RpcClient,
    serve_connection,
};
use recount_remote::{PerflibInterface, RemotePerflib};

use super::client::open;
use super::pdus::{FIRST, LAST, Script, bind, bind_ack, pdu, request, response};
use super::server::{Echo, options};

/// A generator of numbers (`SplitMix64`), so that failures can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// Changes, removes or inserts some bytes.
    fn mutate(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            match self.below(6) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, self.next() as u8),
                2 | 3 if at < bytes.len() => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF][self.below(5)],
                _ if at < bytes.len() => bytes[at] = self.next() as u8,
                _ => {}
            }
        }
        bytes
    }
}

pub(crate) fn num_mutations() -> u64 {
    std::env::var("RECOUNT_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000)
}

pub(crate) fn for_each(bytes: &[u8], mut try_one: impl FnMut(Vec<u8>)) {
    for seed in 0..num_mutations() {
        try_one(Random(seed).mutate(bytes));
    }
}

#[test]
fn pdus() {
    let mut authenticated = request(FIRST | LAST, 2, 0, &[1; 24]);
    authenticated.extend([10, 6, 8, 0, 1, 0, 0, 0]);
    authenticated.extend([3; 16]);
    let len = u16::try_from(authenticated.len()).expect("short");
    authenticated[8..10].copy_from_slice(&len.to_le_bytes());
    authenticated[10] = 16;
    let all = [
        bind(),
        bind_ack(),
        pdu(13, 3, 1, &[8, 0, 1, 5, 0, 0]),
        pdu(3, 3, 2, &[0; 16]),
        response(FIRST | LAST, 2, b"stub"),
        request(FIRST | LAST, 2, 3, b"stub"),
        authenticated,
    ];
    for bytes in all {
        Pdu::parse(bytes.clone()).expect("sound");
        for_each(&bytes, |mut changed| {
            let len = u16::try_from(changed.len()).expect("short");
            if changed.len() >= 10 && len % 2 == 0 {
                // A right length brings more of them to the parsers of bodies.
                changed[8..10].copy_from_slice(&len.to_le_bytes());
            }
            let Ok(pdu) = Pdu::parse(changed) else { return };
            assert!(pdu.body().len() + pdu.token().len() + 16 <= usize::from(pdu.header().len));
            let _ = (Bind::parse(&pdu), BindAck::parse(&pdu), BindNak::parse(&pdu), Fault::parse(&pdu));
            let stubs =
                (Request::parse(&pdu).map(|it| it.stub.len()), Response::parse(&pdu).map(|it| it.stub.len()));
            for len in [stubs.0, stubs.1].into_iter().flatten() {
                assert!(len <= pdu.body().len());
            }
        });
    }
}

#[test]
fn conversations() {
    let answers = [bind_ack(), response(FIRST, 2, &[4, 0, 0, 0]), response(LAST, 2, &[0; 24])].concat();
    for_each(&answers, |bytes| {
        let mut script = Script { bytes, ..Script::default() };
        let Ok(rpc) = RpcClient::bind(&mut script, &open()) else { return };
        if let Ok(reply) = RemotePerflib::new(rpc).query_counter_data(QueryHandle::NULL, 100) {
            assert!(reply.data.len() <= 100);
        }
    });
    let calls = [bind(), request(FIRST, 2, 0, b"12"), request(LAST, 2, 0, b"34")].concat();
    for_each(&calls, |bytes| {
        let mut script = Script { bytes, ..Script::default() };
        let _ = serve_connection(&mut script, &mut [&mut Echo], &options());
        assert!(script.sent.len() < 10_000);
    });
}

#[derive(Default)]
struct Nothing;

#[derive(Debug, thiserror::Error)]
#[error("nothing")]
struct NoError;

impl conversation::CounterProvider for Nothing {
    type Error = NoError;

    fn countersets(&self) -> &[conversation::CountersetInfo] {
        &[]
    }

    fn collect(&mut self) -> Result<Option<conversation::Collected>, NoError> {
        Ok(Some(conversation::Collected::default()))
    }
}

#[test]
fn parameters() {
    let mut machine = vec![2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, b'a', 0, 0, 0];
    let guid = [7; 16];
    let enumerate = [&machine[..], &[0, 1, 0, 0]].concat();
    let registration = [&machine[..], &guid, &[1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]].concat();
    let instances = [&machine[..], &guid, &[0, 1, 0, 0]].concat();
    machine.truncate(16);
    let handle = [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let sized = [&handle[..], &[0, 1, 0, 0]].concat();
    let validate = [&handle[..], &[8, 0, 0, 0, 8, 0, 0, 0], &guid[..8], &[1, 0, 0, 0]].concat();
    let all = [enumerate, registration, instances, machine, handle.to_vec(), sized.clone(), sized, validate];
    for (opnum, stub) in (0..).zip(all) {
        let mut interface = PerflibInterface::new(PerflibServer::new(Nothing));
        let level = conversation::AuthenticationLevel::PKT_PRIVACY;
        let mut call =
            |stub: &[u8], order| interface.call(&Called { opnum, stub, order, level, is_known: false });
        // An open query has number 1.
        for_each(&stub, |changed| {
            for order in [ByteOrder::Little, ByteOrder::Big] {
                if let Ok(results) = call(&changed, order) {
                    assert!(results.len() < 1_000, "method {opnum}");
                }
            }
        });
    }
    assert_eq!(Method::ValidateCounters.opnum(), 7);
}

#[test]
fn strings_and_identifiers() {
    let mut bytes = vec![3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, b'a', 0, b'b', 0, 0, 0, 0, 0];
    bytes.extend([9; 16]);
    for order in [ByteOrder::Little, ByteOrder::Big] {
        for_each(&bytes, |changed| {
            let mut reader = NdrReader::new("test", &changed, order);
            let _ = reader.string().map(|text| assert!(text.chars().count() < 40));
            let _: Result<Guid, _> = reader.uuid();
        });
    }
}
