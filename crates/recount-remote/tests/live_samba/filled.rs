//! A Samba whose registry has counters.

use std::process::{Command, Stdio};
use std::time::Duration;

use recount_model::{NameTable, SampleTime, Selection};
use recount_perf_data::{BlockDecoder, DataBlock};
use recount_record::LiveSource;
use recount_remote::{RemoteOptions, RemoteSource, Via};

use crate::behind::{run, script};
use crate::smbd::{PASSWORD, Samba, Winreg};

/// `fill.py` writes values that follow from the time of the sample.
#[test]
fn a_filled_registry_is_recorded_exactly() {
    let samba = Samba::with("", Winreg::Samba, |folder| {
        let folder = folder.join("state/perfmon").display().to_string();
        run("/usr/bin/python3", &["-B", &script("fill.py"), &folder, "1"]);
    });
    let folder = samba.folder.join("state/perfmon").display().to_string();
    let mut filling = Command::new("/usr/bin/python3")
        .args(["-B", &script("fill.py"), &folder, "60"])
        .stdout(Stdio::null())
        .spawn()
        .expect("python3");
    let host = format!("smb://127.0.0.1:{}", samba.port).parse().expect("a host");
    let mut options = RemoteOptions::new(host, samba.account(PASSWORD));
    options.via = Via::Registry;
    let mut source = RemoteSource::connect(options, |_, _| true).expect("a connection");
    let texts = source.texts();
    let [(language, names)] = &texts[..] else { panic!("one table: {texts:?}") };
    assert_eq!(language, "009");
    assert_eq!(
        (names.get(2), names.get(10), names.get(4)),
        (Some("Kitchen"), Some("Bytes/sec"), Some("Pots"))
    );
    let mut num_seen = 0;
    for _ in 0..12 {
        std::thread::sleep(Duration::from_millis(300));
        let taken = source.take().expect("a sample").expect("no end");
        assert_eq!(taken.num_unreadable, 0);
        check(source.sample(), taken.time.0, names);
        num_seen += 1;
    }
    let _ = (filling.kill(), filling.wait());
    assert_eq!(num_seen, 12);
}

fn check(bytes: &[u8], time: i64, names: &NameTable) {
    let block = DataBlock::parse(bytes, 0).expect("a block");
    assert!(block.fault().is_none(), "{:?}", block.fault());
    assert_eq!(block.bytes().len(), bytes.len());
    let step = (time - 134_000_000_000_000_000) as u64 / 10_000_000;
    let all = Selection::all();
    let mut decoder = BlockDecoder::new(names, &all, 1);
    decoder.push("Samba", (0, &"WEB1".into()), &block, SampleTime::default());
    let decoded = decoder.finish();
    assert!(decoded.health.is_sound(), "{:?}", decoded.health);
    let values = |object: &str, counter: usize| {
        let run = decoded.runs.iter().find(|run| &*run.object.name == object).expect(object);
        run.columns[counter].first.clone()
    };
    assert_eq!(values("Kitchen", 0), [100 + step]);
    assert_eq!(values("Kitchen", 1), [1_000 + 7 * step]);
    assert_eq!(values("Shelf", 0), [1 << 33 | (step * 3), 1 << 33 | (step * 4)]);
}
