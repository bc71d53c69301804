// Put into crates/recount-capture/tests/: a follower that looks between two steps of a sealing loses the log.
use recount_capture::*;
use recount_model::Timestamp;
use std::io;
use std::sync::{Arc, Mutex};
#[derive(Clone, Default)]
struct Mem(Arc<Mutex<Vec<u8>>>, Arc<Mutex<Option<Log>>>);
impl ReadAt for Mem {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().expect("lock").len() as u64)
    }
    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        self.0.lock().expect("lock").read_at(ofs, out)
    }
}
impl Storage for Mem {
    fn write_at(&mut self, ofs: u64, b: &[u8]) -> io::Result<()> {
        let mut v = self.0.lock().expect("lock");
        let e = v.len().max(ofs as usize + b.len());
        v.resize(e, 0);
        v[ofs as usize..ofs as usize + b.len()].copy_from_slice(b);
        Ok(())
    }
    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.0.lock().expect("lock").resize(len as usize, 0);
        Ok(())
    }
    fn sync(&mut self) -> io::Result<()> {
        if let Some(log) = &mut *self.1.lock().expect("lock") {
            log.refresh().expect("refresh");
        }
        Ok(())
    }
}
#[test]
fn follow() {
    let mem = Mem::default();
    let options = WriterOptions { sync: Sync::None, len_chunk: 3000, ..Default::default() };
    let mut w = LogWriter::new(mem.clone(), options).expect("log");
    *mem.1.lock().expect("lock") = Some(Log::open(Box::new(mem.clone())).expect("log"));
    for k in 0..45_i64 {
        w.append(Timestamp(k), RecordKind(9), &[k as u8; 100], &[]).expect("append");
    }
    let mut g = mem.1.lock().expect("lock");
    let log = g.as_mut().expect("log");
    log.refresh().expect("refresh");
    let (mut ok, mut bad) = (0, 0);
    log.for_each_record(|_, r| {
        if r.is_ok() {
            ok += 1
        } else {
            bad += 1
        };
        Ok::<(), CaptureError>(())
    })
    .expect("read");
    assert_eq!((ok, bad), (45, 0)); // found: (0, 30)
}
