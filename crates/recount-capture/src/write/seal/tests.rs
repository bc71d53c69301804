use std::io::{Read, Seek};

use recount_model::{Piece, Timestamp};

use crate::{CaptureError, Log, LogWriter, RecordKind, WriterOptions};

fn record(index: u32) -> Vec<u8> {
    (0..50).flat_map(|k| (k * 1_000 + index * index).to_le_bytes()).collect()
}

/// A chunk that fails the proof isn't sealed: the records stay as they are, and recording continues.
#[test]
fn a_faulty_encoder_loses_nothing() {
    for tail in [true, false] {
        let mut file = tempfile::tempfile().expect("temporary file");
        let options = WriterOptions { tail, len_chunk: 4_000, ..WriterOptions::default() };
        let mut writer = LogWriter::new(file.try_clone().expect("cloned"), options).expect("new");
        let pieces = [Piece { section: 5, sort: 0, key: 0, len: 200 }];
        for index in 0..100 {
            writer
                .append(Timestamp(i64::from(index)), RecordKind(9), &record(index), &pieces)
                .expect("appended");
            if index == 30 {
                assert!(writer.encoder.num_records() > 1);
                writer.encoder.misplace_a_row();
                assert!(writer.encoder.encode(3).is_err());
            }
        }
        writer.finish().expect("closed");
        let mut bytes = Vec::new();
        file.rewind().expect("at the start");
        file.read_to_end(&mut bytes).expect("read");
        let log = Log::open(Box::new(bytes)).expect("opens");
        assert!(log.health().is_sound() && log.is_closed());
        assert!(log.num_chunks() >= 3 && log.num_unsealed() >= 10, "{} unsealed", log.num_unsealed());
        let mut num = 0;
        log.for_each_record::<CaptureError>(|at, bytes| {
            assert_eq!(bytes.expect("sound"), record(at as u32));
            num += 1;
            Ok(())
        })
        .expect("read");
        assert_eq!(num, 100);
    }
}
