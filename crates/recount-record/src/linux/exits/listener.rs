//! The socket that exit records come from.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recount_model::Timestamp;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::netlink::{GENERIC, SocketAddrNetlink};
use rustix::net::sockopt::{set_socket_recv_buffer_size, set_socket_recv_buffer_size_force};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, recv, send, socket_with,
};
use rustix::time::{ClockId, clock_gettime};

use super::ended::Collected;
use super::netlink::{Message, attribute, attributes, messages, request};
use super::taskstats::Taskstats;
use super::{ExitsError, TakenExits, explained};

/// `GENL_ID_CTRL`, which knows the numbers of the families; its command and attributes.
const CONTROLLER: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;
/// `TASKSTATS_CMD_GET`, and the attribute that asks for exit records.
const GET: u8 = 1;
const REGISTER: u16 = 3;
/// `TASKSTATS_TYPE_AGGR_PID`: a task. What the kernel adds of its process (`AGGR_TGID`) isn't complete.
const OF_TASK: u16 = 4;
const STATS: u16 = 3;

/// Room for records of 50 ms: some 10,000.
const LEN_KERNEL_BUFFER: usize = 16 << 20;
/// Longer than any message with a record.
const LEN_BUFFER: usize = 16 << 10;
/// An answer takes less than this.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// A socket, and what came from it.
#[derive(Debug)]
pub(super) struct Listener {
    socket: Arc<OwnedFd>,
    family: u16,
    buffer: Vec<u8>,
    collected: Collected,
    num_overruns: u64,
}

impl Listener {
    /// Asks for the exit records of all processors.
    pub(super) fn open() -> Result<Listener, ExitsError> {
        let flags = SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, Some(GENERIC))
            .map_err(|error| explained("socket", error))?;
        bind(&socket, &SocketAddrNetlink::new(0, 0)).map_err(|error| explained("bind", error))?;
        // More than the system's limit needs privileges; without them, some records may be lost.
        let _ = set_socket_recv_buffer_size_force(&socket, LEN_KERNEL_BUFFER)
            .or_else(|_| set_socket_recv_buffer_size(&socket, LEN_KERNEL_BUFFER));
        let mut listener = Listener {
            socket: Arc::new(socket),
            family: 0,
            buffer: vec![0; LEN_BUFFER],
            collected: Collected::default(),
            num_overruns: 0,
        };
        listener.family = listener.family_number()?;
        let processors = std::fs::read_to_string("/sys/devices/system/cpu/possible");
        let mut processors = processors.unwrap_or_else(|_| "0".to_owned()).trim().to_owned().into_bytes();
        processors.push(0);
        listener.ask(&request(listener.family, GET, (REGISTER, &processors)), &mut |_, _| {})?;
        if listener.is_too_old() {
            return Err(ExitsError::TooOld);
        }
        Ok(listener)
    }

    pub(super) fn socket(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.socket)
    }

    fn family_number(&mut self) -> Result<u16, ExitsError> {
        let mut number = None;
        let asked = request(CONTROLLER, GET_FAMILY, (FAMILY_NAME, b"TASKSTATS\0"));
        self.ask(&asked, &mut |family, inside| {
            let id = attribute(inside, FAMILY_ID).and_then(|id| id.first_chunk::<2>());
            number = id.filter(|_| family == CONTROLLER).map(|id| u16::from_ne_bytes(*id)).or(number);
        })?;
        number.ok_or(ExitsError::Answer("which number taskstats have"))
    }

    /// Whether the records say too little, by that of this process.
    fn is_too_old(&mut self) -> bool {
        const OF_PID: u16 = 1;
        let pid = std::process::id().to_ne_bytes();
        let mut is_recent = None;
        let asked = request(self.family, GET, (OF_PID, &pid));
        let _ = self.ask(&asked, &mut |_, inside| {
            let of_task = attribute(inside, OF_TASK).and_then(|of_task| attribute(of_task, STATS));
            is_recent = of_task.map(Taskstats::is_recent).or(is_recent);
        });
        is_recent == Some(false)
    }

    /// Sends a request and waits for its answer.
    fn ask(&mut self, asked: &[u8], take: &mut dyn FnMut(u16, &[u8])) -> Result<(), ExitsError> {
        send(&self.socket, asked, SendFlags::empty()).map_err(|error| explained("send", error))?;
        let deadline = Instant::now() + MAX_WAIT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ExitsError::Answer("a request, which didn't come,"));
            }
            let timeout =
                Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
            let mut fds = [PollFd::new(&self.socket, PollFlags::IN)];
            match poll(&mut fds, Some(&timeout)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(explained("poll", error)),
            }
            let len = match recv(&self.socket, &mut self.buffer[..], RecvFlags::DONTWAIT) {
                Ok((len, _)) => len,
                Err(Errno::AGAIN | Errno::INTR | Errno::NOBUFS) => continue,
                Err(error) => return Err(explained("recv", error)),
            };
            for message in messages(&self.buffer[..len]) {
                match message {
                    Message::Done(0) => return Ok(()),
                    Message::Done(error) => {
                        return Err(explained("request", Errno::from_raw_os_error(error)));
                    }
                    Message::Of(family, inside) => take(family, inside),
                }
            }
        }
    }

    /// Takes all records that are waiting.
    pub(super) fn drain(&mut self) {
        let now = now_boot_100ns();
        loop {
            let len = match recv(&self.socket, &mut self.buffer[..], RecvFlags::DONTWAIT) {
                Ok((len, _)) => len,
                Err(Errno::NOBUFS) => {
                    self.num_overruns += 1;
                    continue;
                }
                Err(Errno::INTR) => continue,
                Err(_) => return,
            };
            for message in messages(&self.buffer[..len]) {
                let Message::Of(family, inside) = message else { continue };
                if family != self.family {
                    continue;
                }
                let of_tasks = attributes(inside).filter(|(kind, _)| *kind == OF_TASK);
                let records = of_tasks.filter_map(|(_, of_task)| attribute(of_task, STATS));
                for task in records.filter_map(Taskstats::read) {
                    self.collected.add(&task, now);
                }
            }
        }
    }

    /// What ended since the previous sample.
    pub(super) fn take(&mut self, sample_boot_100ns: i64, is_alive: impl Fn(u32) -> bool) -> TakenExits {
        let ended = self.collected.take(sample_boot_100ns, is_alive);
        let num_dropped = std::mem::take(&mut self.collected.num_dropped);
        TakenExits { ended, num_overruns: std::mem::take(&mut self.num_overruns), num_dropped }
    }
}

fn now_boot_100ns() -> i64 {
    let now = clock_gettime(ClockId::Boottime);
    now.tv_sec.saturating_mul(Timestamp::TICKS_PER_SECOND).saturating_add(now.tv_nsec / 100)
}
