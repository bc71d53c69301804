//! `recount serve`

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{ArgGroup, Args};
use recount::{Account, Interrupts, OnInterrupt, ServeOptions, Served, ServedAt, serve};

use crate::args::{Counters, Names};
use crate::exit::Outcome;
use crate::output;
use crate::remote::password;

/// Serve counters to clients of Performance Library 2.0 (MS-PCQ) and of the remote registry, over TCP
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("source").required(true).args(["inputs", "live"])))]
#[command(after_help = "Examples:
  recount serve --live --user monitor --password-file secret
  recount serve --listen 127.0.0.1:4915 old.bin --names counters.txt --user 'LAB\\monitor' --password-file secret
  recount serve --live --samba /run/samba/ncalrpc/np --user monitor --password-file secret

The address is printed. Clients authenticate with NTLM; calls that aren't encrypted are denied. Ctrl-C stops it.")]
pub(crate) struct Serve {
    /// Raw PERF_DATA_BLOCK dumps: every connection gets them from the beginning
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// This machine
    #[arg(long)]
    live: bool,
    #[command(flatten)]
    names: Names,
    /// With --live, objects to serve: a path with wildcards, or any part of an object's name. Repeatable
    #[arg(long = "counter", short, value_name = "PATTERN", conflicts_with = "inputs")]
    counters: Vec<String>,
    /// Address and port to listen at; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0", value_parser = address)]
    listen: SocketAddr,
    /// Be the server of Samba's pipe winreg instead, through which clients look for counters: Samba's folder of pipes, which
    /// is np in its `ncalrpc dir`
    #[cfg(unix)]
    #[arg(long, value_name = "FOLDER", conflicts_with = "listen")]
    samba: Option<PathBuf>,
    /// User who may call: NAME, or DOMAIN\NAME
    #[arg(long, value_name = "NAME")]
    user: String,
    /// File whose first line is the user's password, or $NT$ and its NT hash, of 32 hexadecimal digits
    #[arg(long, value_name = "FILE")]
    password_file: PathBuf,
}

impl Serve {
    fn at(&self) -> ServedAt {
        #[cfg(unix)]
        if let Some(folder) = &self.samba {
            return ServedAt::Samba(folder.clone());
        }
        ServedAt::Port(self.listen)
    }
}

/// An address, or a name of this machine, and a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| "write ADDRESS:PORT, as 127.0.0.1:4915 or [::]:4915".to_owned())
}

pub(crate) fn run(arguments: &Serve, quiet: bool) -> anyhow::Result<Outcome> {
    let source = if arguments.live {
        Served::Live(Counters { counters: arguments.counters.clone() }.selection()?)
    } else {
        Served::Replay { paths: arguments.inputs.clone(), names: arguments.names.read()? }
    };
    let account = Account::from_secret(&arguments.user, password(&arguments.password_file)?)?;
    let options = ServeOptions { source, at: arguments.at(), account };
    let interrupts = Interrupts::new()?;
    interrupts.on_signals(OnInterrupt::End)?;
    let end = Arc::new(AtomicBool::new(false));
    end_on(interrupts, Arc::clone(&end))?;
    let report: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(move |line: &str| {
        if !quiet {
            output::message(&format!("{}\n", output::visible(line)));
        }
    });
    let mut printed = Ok(());
    serve(&options, &end, &mut |address| printed = output::print(&format!("{address}\n")), &report)?;
    printed?;
    Ok(Outcome::Done)
}

/// Ends the server on an interrupt.
fn end_on(interrupts: Interrupts, end: Arc<AtomicBool>) -> std::io::Result<()> {
    const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
    let wait = move || {
        while interrupts.take_requests().ended_by.is_none() {
            interrupts.wait(BETWEEN_LOOKS);
        }
        end.store(true, Ordering::Relaxed);
    };
    std::thread::Builder::new().name("serve-interrupts".into()).spawn(wait).map(|_| ())
}
