//! One live source for many: opened once, and asked from any thread.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use recount_model::{Facts, NameTable};

use crate::{LiveSource, TakeError, Taken};

/// Opens a source, in the thread that will own it.
type Open = Arc<dyn Fn() -> Result<Box<dyn LiveSource>, TakeError> + Send + Sync>;
/// A sample, with its bytes.
type Answer = Result<Option<(Taken, Vec<u8>)>, TakeError>;

/// A live source whose files are open once, however many take samples of it. It is opened for the first of them and
/// closed after the last.
///
/// Every sample is taken for whoever asks, so nobody gets an old one. Replays, which everybody has to see from the beginning,
/// can't be shared.
pub struct SharedSource {
    open: Open,
    running: Mutex<Weak<Running>>,
}

/// The thread that owns the source. It ends when this is gone.
struct Running {
    requests: Mutex<Sender<Sender<Answer>>>,
    facts: Facts,
    texts: Vec<(String, NameTable)>,
}

impl SharedSource {
    /// Opens nothing yet.
    pub fn new(
        open: impl Fn() -> Result<Box<dyn LiveSource>, TakeError> + Send + Sync + 'static,
    ) -> SharedSource {
        SharedSource { open: Arc::new(open), running: Mutex::default() }
    }

    /// The source, for one more.
    ///
    /// Fails if it has to be opened and can't be.
    pub fn share(&self) -> Result<Box<dyn LiveSource>, TakeError> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = if let Some(shared) = running.upgrade() {
            shared
        } else {
            let started = Arc::new(start(Arc::clone(&self.open))?);
            *running = Arc::downgrade(&started);
            started
        };
        Ok(Box::new(Share { shared, sample: Vec::new() }))
    }
}

fn start(open: Open) -> Result<Running, TakeError> {
    let (requests, received) = channel();
    let (opened, opening) = channel();
    let run = move || match (open)() {
        Ok(mut source) => {
            let sent = opened.send(Ok((source.facts(), source.texts())));
            if sent.is_ok() {
                answer(&mut *source, &received);
            }
        }
        // Nobody waits any more.
        Err(error) => drop(opened.send(Err(error))),
    };
    std::thread::Builder::new()
        .name("shared-source".into())
        .spawn(run)
        .map_err(|error| gone(format!("no thread can be made: {error}")))?;
    let (facts, texts) = opening.recv().map_err(|_| gone("it can't be opened".to_owned()))??;
    Ok(Running { requests: Mutex::new(requests), facts, texts })
}

/// Takes samples until nobody can ask for more.
fn answer(source: &mut dyn LiveSource, requests: &Receiver<Sender<Answer>>) {
    while let Ok(request) = requests.recv() {
        let taken = source.take();
        let answer = taken.map(|taken| taken.map(|taken| (taken, source.sample().to_vec())));
        // Whoever asked may have left.
        let _ = request.send(answer);
    }
}

fn gone(what: String) -> TakeError {
    TakeError::System { function: "the shared source", what }
}

/// A share of a source.
struct Share {
    shared: Arc<Running>,
    sample: Vec<u8>,
}

impl LiveSource for Share {
    fn facts(&mut self) -> Facts {
        self.shared.facts.clone()
    }

    fn texts(&mut self) -> Vec<(String, NameTable)> {
        self.shared.texts.clone()
    }

    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        let (request, answer) = channel();
        let sent = self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).send(request);
        sent.map_err(|_| gone("it has ended".to_owned()))?;
        let taken = answer.recv().map_err(|_| gone("it has ended".to_owned()))??;
        Ok(taken.map(|(taken, sample)| {
            self.sample = sample;
            taken
        }))
    }

    fn sample(&self) -> &[u8] {
        &self.sample
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    static NUM_OPEN: AtomicUsize = AtomicUsize::new(0);
    static NUM_OPENED: AtomicUsize = AtomicUsize::new(0);

    struct Counting {
        sample: Vec<u8>,
    }

    impl Counting {
        #[expect(clippy::unnecessary_wraps, reason = "as sources are opened")]
        fn open() -> Result<Box<dyn LiveSource>, TakeError> {
            NUM_OPEN.fetch_add(1, Ordering::SeqCst);
            NUM_OPENED.fetch_add(1, Ordering::SeqCst);
            Ok(Box::new(Counting { sample: vec![0] }))
        }
    }

    impl Drop for Counting {
        fn drop(&mut self) {
            NUM_OPEN.fetch_sub(1, Ordering::SeqCst);
        }
    }

    impl LiveSource for Counting {
        fn facts(&mut self) -> Facts {
            Facts::new()
        }

        fn texts(&mut self) -> Vec<(String, NameTable)> {
            Vec::new()
        }

        fn take(&mut self) -> Result<Option<Taken>, TakeError> {
            self.sample[0] += 1;
            Ok(Some(Taken::default()))
        }

        fn sample(&self) -> &[u8] {
            &self.sample
        }
    }

    #[test]
    fn it_is_open_once_and_only_while_somebody_asks() {
        let source = SharedSource::new(Counting::open);
        assert_eq!(NUM_OPENED.load(Ordering::SeqCst), 0, "nobody asked yet");
        let mut shares: Vec<_> = (0..20).map(|_| source.share().expect("open")).collect();
        for (number, share) in shares.iter_mut().enumerate() {
            share.take().expect("a sample").expect("no end");
            assert_eq!(share.sample(), [number as u8 + 1], "every sample is a new one");
        }
        assert_eq!((NUM_OPENED.load(Ordering::SeqCst), NUM_OPEN.load(Ordering::SeqCst)), (1, 1));
        shares.clear();
        while NUM_OPEN.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
        source.share().expect("open again").take().expect("a sample");
        assert_eq!(NUM_OPENED.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn failures_reach_everyone() {
        let source = SharedSource::new(|| Err(TakeError::Ended));
        for _ in 0..2 {
            let Err(error) = source.share() else { panic!("it can't be opened") };
            assert_eq!(error.to_string(), "there are no more samples");
        }
    }
}
