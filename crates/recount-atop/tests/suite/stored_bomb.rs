//! A small log whose header states the maximum number of tasks: slow to unpack, but bounded.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use recount_model::{Selection, Source};
use recount_samples::other_logs::atop;
use recount_testdata::assert_memory_is_bounded;

#[test]
#[ignore = "reads ../shared/data"]
fn as_many_tasks_as_are_read_take_bounded_memory() {
    const NUM: u32 = 1 << 18;
    let mut sample = atop::three(12).remove(1);
    let task = sample.tasks.remove(0);
    let mut bytes = sample.bytes();
    let len_system = u32::from_le_bytes(bytes[16..20].try_into().expect("4 bytes")) as usize;
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    (0..NUM).for_each(|_| encoder.write_all(&task.bytes).expect("memory"));
    let packed = encoder.finish().expect("memory");
    bytes.truncate(96 + len_system);
    bytes[20..24].copy_from_slice(&(packed.len() as u32).to_le_bytes());
    bytes[28..32].copy_from_slice(&NUM.to_le_bytes());
    bytes[36..40].copy_from_slice(&NUM.to_le_bytes());
    bytes.extend(packed);
    let log = atop::open([atop::header(12), bytes].concat()).expect("a log");
    let decoded = log.decode(&[0], &Selection::all());
    assert!(decoded.health.is_sound(), "{:?}", decoded.health);
    let process = decoded.cooked.iter().find(|cooked| &*cooked.object.name == "Process").expect("processes");
    assert_eq!(process.instances.len(), NUM as usize);
    assert_memory_is_bounded();
}
