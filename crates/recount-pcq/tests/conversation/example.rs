//! The example of MS-PCQ 4.1, step by step, on the wire: what the client sends is written here byte by byte.

use recount_pcq::conversation::{PerflibV2, QueryHandle};
use recount_pcq::{CounterBlock, QueryData, Registration, ReturnCode, parse_guids};

use super::script::{Rig, guid, usual};

/// An identifier as a client lays it out (2.2.4.6): structure, name, null, padding.
fn identifier(counterset: u8, counter_id: u32, instance_id: u32, name: &str) -> Vec<u8> {
    let mut bytes = vec![counterset; 16];
    let name: Vec<u8> = name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    let size = (40 + name.len()).next_multiple_of(8);
    for word in [0, size as u32, counter_id, instance_id, 0, 0] {
        bytes.extend(u32::to_le_bytes(word));
    }
    bytes.extend(name);
    bytes.resize(size, 0);
    bytes
}

#[test]
fn querying_for_performance_counter_data() {
    let mut rig = Rig::new(usual());
    let server = &mut rig.server;

    // 1, 2: the client calls PerflibV2EnumerateCounterSet; the server returns all available countersets.
    let reply = server.enumerate_counter_set("", 256).expect("an answer");
    assert_eq!((reply.return_code, reply.out_size, reply.rtn_size), (ReturnCode::SUCCESS, 3, 3));
    let guids = parse_guids(&reply.data, 0).expect("GUIDs");
    assert_eq!(guids, [guid(1), guid(2), guid(3)]);

    // 3, 4: the client selects a counterset and asks for its registration.
    let reply = server.query_registration_info("", guids[0], 1, 0, 4096).expect("an answer");
    assert_eq!((reply.return_code, reply.out_size), (ReturnCode::SUCCESS, 32 + 3 * 48));
    let registration = Registration::parse(&reply.data, 0).expect("a registration");
    assert_eq!(registration, usual()[0].0.registration);

    // 5, 6: the client opens a query.
    let (code, mut query) = server.open_query_handle("").expect("an answer");
    assert_eq!(code, ReturnCode::SUCCESS);
    assert_ne!(query, QueryHandle::NULL);

    // 7, 8, 9: the client specifies counters and adds them.
    let counters = &registration.counters;
    let mut data = identifier(1, counters[0].counter_id, 0, "C:");
    data.extend(identifier(1, counters[1].counter_id, 5, "Data"));
    let sent = data.clone();
    let code = server.validate_counters(query, &mut data, 1).expect("an answer");
    assert_eq!(code, ReturnCode::SUCCESS);
    assert_eq!(data, sent, "both have status 0, and nothing else changes");

    // 10, 11: the client asks for the values.
    let reply = server.query_counter_data(query, 4096).expect("an answer");
    assert_eq!(reply.return_code, ReturnCode::SUCCESS);
    assert_eq!(reply.data.len(), reply.out_size as usize);
    let data = QueryData::parse(&reply.data, 0).expect("data");
    let values: Vec<Option<u64>> = data
        .blocks()
        .map(|block| match block.expect("sound") {
            CounterBlock::Single { value, .. } => value.value(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(values, [Some(100), Some(2 << 40)]);

    // 12, 13: the client closes the query.
    let used = query;
    assert_eq!(server.close_query_handle(&mut query).expect("an answer"), ReturnCode::SUCCESS);
    assert_eq!(query, QueryHandle::NULL);

    // 14: the server releases all resources of the query.
    assert_eq!((server.num_queries(), server.len_state()), (0, 0));
    assert!(server.query_counter_data(used, 4096).is_err());
}
