//! Who may be connected at the same time: strangers don't take the places of clients that are authenticated.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::transport::Socket;

/// The connections of a server.
pub(super) struct Places {
    list: Arc<Mutex<List>>,
    max: usize,
}

#[derive(Default)]
struct List {
    guests: Vec<Guest>,
    last_id: u64,
}

/// A connection.
struct Guest {
    id: u64,
    socket: Arc<Socket>,
    /// Whether a call of it was authenticated.
    is_known: bool,
    /// Whether it was closed to make room.
    is_closed: bool,
    /// When it connected, or called last.
    since: Instant,
}

/// The place of one connection, which it leaves with this.
pub(super) struct Place {
    list: Arc<Mutex<List>>,
    id: u64,
    max: usize,
}

/// No code that panics holds the lock.
fn locked(list: &Mutex<List>) -> MutexGuard<'_, List> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

impl List {
    fn num(&self, is_known: bool) -> usize {
        self.open(is_known).count()
    }

    fn open(&self, is_known: bool) -> impl Iterator<Item = &Guest> {
        self.guests.iter().filter(move |guest| guest.is_known == is_known && !guest.is_closed)
    }

    /// Closes the one that has been silent longest, if it was for this time. Its thread ends then.
    fn close_oldest(&mut self, is_known: bool, silent_for: Duration) -> bool {
        let open = self.guests.iter_mut().filter(|guest| guest.is_known == is_known && !guest.is_closed);
        let Some(oldest) = open.min_by_key(|guest| guest.since) else { return false };
        if oldest.since.elapsed() < silent_for {
            return false;
        }
        oldest.is_closed = true;
        // A connection that is gone already needs no more.
        let _ = oldest.socket.shutdown();
        true
    }
}

impl Places {
    pub(super) fn new(max: usize) -> Places {
        Places { list: Arc::default(), max }
    }

    /// Whether another client may authenticate. If all places are taken, the client that was silent longest loses its own
    /// after `silent_for`.
    pub(super) fn has_room(&self, silent_for: Duration) -> bool {
        let mut list = locked(&self.list);
        list.num(true) < self.max || list.close_oldest(true, silent_for)
    }

    /// Adds a stranger. If there are too many of them, the one that has been connected longest has to go.
    pub(super) fn enter(&self, socket: Arc<Socket>) -> Place {
        let mut list = locked(&self.list);
        if list.num(false) >= self.max {
            list.close_oldest(false, Duration::ZERO);
        }
        list.last_id += 1;
        let id = list.last_id;
        list.guests.push(Guest { id, socket, is_known: false, is_closed: false, since: Instant::now() });
        Place { list: Arc::clone(&self.list), id, max: self.max }
    }

    pub(super) fn close_oldest_stranger(&self) {
        locked(&self.list).close_oldest(false, Duration::ZERO);
    }
}

impl Place {
    /// Notes a call of an authenticated client; false if all places are taken by others.
    pub(super) fn admits(&self) -> bool {
        let mut list = locked(&self.list);
        let num_known = list.num(true);
        let Some(guest) = list.guests.iter_mut().find(|guest| guest.id == self.id) else { return false };
        if guest.is_closed || (!guest.is_known && num_known >= self.max) {
            return false;
        }
        guest.is_known = true;
        guest.since = Instant::now();
        true
    }

    /// Whether it was closed to make room for others.
    pub(super) fn is_closed(&self) -> bool {
        locked(&self.list).guests.iter().any(|guest| guest.id == self.id && guest.is_closed)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        locked(&self.list).guests.retain(|guest| guest.id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    fn stream() -> Arc<Socket> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let stream = TcpStream::connect(listener.local_addr().expect("an address"));
        Arc::new(stream.expect("a connection").into())
    }

    #[test]
    fn strangers_make_room_for_strangers_only() {
        let places = Places::new(2);
        let known = places.enter(stream());
        assert!(known.admits());
        let strangers: Vec<Place> = (0..5).map(|_| places.enter(stream())).collect();
        let closed: Vec<bool> = strangers.iter().map(Place::is_closed).collect();
        assert_eq!(closed, [true, true, true, false, false]);
        assert!(!known.is_closed());
        assert!(!strangers[0].admits(), "it was closed");
        assert!(strangers[3].admits());
        assert!(!strangers[4].admits(), "two are known");
        assert!(known.admits());
    }

    #[test]
    fn silent_clients_give_up_their_place_after_a_while() {
        let places = Places::new(1);
        let known = places.enter(stream());
        assert!(known.admits());
        assert!(!places.has_room(Duration::from_mins(1)));
        assert!(places.has_room(Duration::ZERO));
        assert!(known.is_closed() && !known.admits());
        drop(known);
        assert!(places.has_room(Duration::from_mins(1)));
    }
}
