//! A client against servers that lie: errors, no panic, and no more memory than it requested.

use std::cell::RefCell;
use std::ops::DerefMut;
use std::rc::Rc;

use recount_pcq::conversation::{
    ClientError, Method, PerflibClient, PerflibServer, Reply, RpcFault, Sampler,
};
use recount_pcq::{ANY_COUNTER, CounterIdentifierBuf, DataClocks, QueryDataBuf, ReturnCode};

use super::script::{Rig, Scripted, guid, usual};
use super::wire::{Wire, Wired};

/// A server whose answers are changed at random, as often as one in `one_in`.
struct Liar {
    server: Box<PerflibServer<Scripted>>,
    random: u64,
    one_in: u64,
    max_answer: u32,
    num_calls: u32,
}

impl Liar {
    fn next(&mut self) -> u64 {
        // xorshift64
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// Flips a bit, or sets a word to something extreme.
    fn damage(&mut self, data: &mut [u8]) {
        for _ in 0..=self.below(3) {
            let at = self.below(data.len());
            if self.below(2) == 0 {
                let bit = 1_u8 << self.below(8);
                if let Some(byte) = data.get_mut(at) {
                    *byte ^= bit;
                }
                continue;
            }
            let word = [0, 1, 7, 0xFF, 0x7FFF_FFFF, u32::MAX, data.len() as u32][self.below(7)];
            if let Some(bytes) = data.get_mut(at / 4 * 4..at / 4 * 4 + 4) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}

impl Wire for Liar {
    fn server(&mut self) -> Result<impl DerefMut<Target = PerflibServer<Scripted>>, RpcFault> {
        self.num_calls += 1;
        Ok(self.server.as_mut())
    }

    fn reply(&mut self, method: Method, size: u32, mut reply: Reply) -> Reply {
        assert!(size <= method.max_in_size() && size <= self.max_answer.max(256), "{method}: {size}");
        if !self.next().is_multiple_of(self.one_in) {
            return reply;
        }
        match self.below(7) {
            0 | 1 => {
                let mut data = std::mem::take(&mut reply.data);
                self.damage(&mut data);
                reply.data = data;
            }
            2 => {
                let len = self.below(reply.data.len());
                reply.data.truncate(len);
                reply.out_size = len as u32;
            }
            3 => reply.out_size = self.next() as u32,
            4 => {
                let len = reply.data.len();
                reply.data.extend_from_within(..self.next() as usize % len.max(1));
                reply.out_size = reply.data.len() as u32;
            }
            5 => {
                let rtn_size = [0, size, size + 1, u32::MAX, self.next() as u32][self.below(5)];
                reply = Reply { rtn_size, ..Reply::failed(ReturnCode::NOT_ENOUGH_MEMORY) };
            }
            _ => reply.return_code = ReturnCode(self.next() as u32 % 0x1100),
        }
        reply
    }

    fn validated(&mut self, data: &mut [u8]) {
        if self.next().is_multiple_of(self.one_in) {
            self.damage(data);
        }
    }
}

#[test]
fn mutated_answers_are_errors() {
    let (mut num_browsed, mut num_taken, mut num_failed) = (0, 0, 0);
    for seed in 1..3_000_u64 {
        let max_answer = 1 << 20;
        let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let server = Box::new(Rig::new(usual()).server);
        let liar = Liar { server, random, one_in: 1 + seed % 30, max_answer, num_calls: 0 };
        let client = PerflibClient::new(Wired(liar)).with_max_answer(max_answer);
        let Ok(mut source) = Sampler::new(client, &mut |_| true) else {
            num_failed += 1;
            continue;
        };
        num_browsed += 1;
        for _ in 0..4 {
            match source.take() {
                Ok(_) => {
                    num_taken += 1;
                    assert!(source.sample().len() <= max_answer as usize + 48);
                }
                Err(error) => {
                    num_failed += 1;
                    assert_eq!(error.method(), Some(Method::QueryCounterData), "{error}");
                    assert!(source.sample().is_empty());
                }
            }
        }
        // Browsing takes 28 calls, and no call is repeated forever.
        let num_calls = source.client().server().0.num_calls;
        assert!(num_calls < 40 * 16, "{num_calls}");
    }
    // The mutations go far enough, and not too far.
    assert!(
        num_browsed > 500 && num_taken > 1_000 && num_failed > 1_000,
        "{num_browsed} {num_taken} {num_failed}"
    );
}

/// A server that answers one method with a fixed reply.
struct Fixed {
    server: Box<PerflibServer<Scripted>>,
    method: Method,
    answer: Box<dyn Fn(u32) -> Reply>,
    sizes: Rc<RefCell<Vec<u32>>>,
}

impl Wire for Fixed {
    fn server(&mut self) -> Result<impl DerefMut<Target = PerflibServer<Scripted>>, RpcFault> {
        Ok(self.server.as_mut())
    }

    fn reply(&mut self, method: Method, size: u32, reply: Reply) -> Reply {
        if method != self.method {
            return reply;
        }
        self.sizes.borrow_mut().push(size);
        (self.answer)(size)
    }

    fn validated(&mut self, data: &mut [u8]) {
        if self.method == Method::ValidateCounters {
            data.copy_from_slice(&(self.answer)(data.len() as u32).data);
        }
    }
}

fn fixed(
    method: Method,
    answer: impl Fn(u32) -> Reply + 'static,
) -> (PerflibClient<Wired<Fixed>>, Rc<RefCell<Vec<u32>>>) {
    let sizes = Rc::default();
    let server = Box::new(Rig::new(usual()).server);
    let fixed = Fixed { server, method, answer: Box::new(answer), sizes: Rc::clone(&sizes) };
    (PerflibClient::new(Wired(fixed)).with_max_answer(1 << 20), sizes)
}

#[test]
fn a_server_that_never_has_enough_is_given_up() {
    let too_small = |rtn_size| Reply { rtn_size, ..Reply::failed(ReturnCode::NOT_ENOUGH_MEMORY) };
    let method = Method::EnumerateCounterSetInstances;
    let (mut client, sizes) = fixed(method, move |_| too_small(0));
    let error = client.enumerate_instances(guid(1)).expect_err("never enough");
    assert_eq!(error, ClientError::TooLarge { method, needed: 0, max: 1 << 20 });
    assert_eq!(*sizes.borrow(), [1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20]);

    let (mut client, sizes) = fixed(method, move |size| too_small(size + 8));
    let error = client.enumerate_instances(guid(1)).expect_err("never enough");
    let last = *sizes.borrow().last().expect("a call");
    assert_eq!(sizes.borrow().len(), 16);
    assert!(matches!(error, ClientError::NeverEnough { num_attempts: 16, .. }), "{error}");
    assert!(last <= 1 << 20);

    let (mut client, sizes) = fixed(method, move |_| too_small(u32::MAX));
    let error = client.enumerate_instances(guid(1)).expect_err("never enough");
    assert_eq!(error, ClientError::TooLarge { method, needed: u32::MAX, max: 1 << 20 });
    assert_eq!(sizes.borrow().len(), 1);
}

#[test]
fn sizes_that_contradict_the_data_are_errors() {
    let method = Method::EnumerateCounterSet;
    let reply = |out_size, len| Reply { out_size, data: vec![0; len], ..Reply::default() };
    let cases = [
        (257, 257 * 16, "pdwOutSize: expected at most 256, found 257"),
        (2, 31, "lpData: expected 32 bytes, as pdwOutSize says, found 31"),
        (u32::MAX, 0, "pdwOutSize: expected at most 256, found 4294967295"),
    ];
    for (out_size, len, expected) in cases {
        let (mut client, _) = fixed(method, move |_| reply(out_size, len));
        let error = client.enumerate_counter_set().expect_err("a contradiction").to_string();
        assert_eq!(error, format!("answer of {method}: {expected}"));
    }
}

#[test]
fn answers_to_something_else_are_errors() {
    // Two blocks for a query of one counter.
    let mut data = QueryDataBuf::new(DataClocks::default());
    data.push_single([0_u8; 4]);
    data.push_single([0_u8; 4]);
    let data = data.finish();
    let (mut client, _) = fixed(Method::QueryCounterData, move |_| Reply {
        out_size: data.len() as u32,
        data: data.clone(),
        ..Reply::default()
    });
    let query = client.open_query().expect("a query");
    let counter = CounterIdentifierBuf::new(guid(1), ANY_COUNTER, 0, "*");
    client.add(query, std::slice::from_ref(&counter)).expect("an answer");
    let error = client.query_data(query).expect_err("a contradiction").to_string();
    let expected = "answer of PerflibV2QueryCounterData: dwNumCounter: expected at most 1: the query has no more counters, \
                    found 2";
    assert_eq!(error, expected);

    // Another counter than the one that was added.
    let (mut client, _) = fixed(Method::ValidateCounters, |_| {
        let mut data = Vec::new();
        CounterIdentifierBuf::new(guid(1), 10, 0, "*").write(&mut data);
        Reply { data, ..Reply::default() }
    });
    let query = client.open_query().expect("a query");
    let error = client.add(query, &[counter]).expect_err("a contradiction");
    assert!(matches!(error, ClientError::Contradiction { method: Method::ValidateCounters, .. }), "{error}");
}

#[test]
fn texts_that_share_their_bytes_without_measure_are_refused() {
    // 1000 counters with the same text of 20,000 characters: 40 MB in 48 KB.
    let mut bytes = Vec::new();
    let strings: Vec<u8> = [b'x', 0].repeat(20_000).into_iter().chain([0, 0]).collect();
    bytes.extend(((8 + 8_000 + strings.len()) as u32).to_le_bytes());
    bytes.extend(1_000_u32.to_le_bytes());
    for id in 0..1_000_u32 {
        bytes.extend(id.to_le_bytes());
        bytes.extend(0_u32.to_le_bytes());
    }
    bytes.extend(strings);
    let (mut client, _) = fixed(Method::QueryCounterSetRegistrationInfo, move |size| {
        if (size as usize) < bytes.len() {
            return Reply { rtn_size: bytes.len() as u32, ..Reply::failed(ReturnCode::NOT_ENOUGH_MEMORY) };
        }
        Reply { out_size: bytes.len() as u32, data: bytes.clone(), ..Reply::default() }
    });
    let browser = client.browse().expect("a server");
    let errors: Vec<String> = browser.faults.iter().map(|(_, error)| error.to_string()).collect();
    let is_refused = |error: &&String| error.contains("share their bytes without measure");
    assert_eq!(errors.iter().filter(is_refused).count(), 3 * 3, "{errors:?}");
    assert!(browser.sets.iter().all(|set| set.counter_names.is_empty()));
}
