//! `recount mcp`

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use recount::Period;
use recount_mcp::{Http, Options, UNTIL_INPUT_CLOSES, serve_stdio};

use crate::exit::{FAILED, Outcome};
use crate::output;

/// Answer models and other clients of the Model Context Protocol about captures in some folders
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount mcp --allow captures/
  recount mcp --allow captures/ --allow /var/log/sa --time-limit 5m
  recount mcp --allow captures/ --listen 127.0.0.1:8765

It speaks over standard input and output, so a client starts it; docs/mcp.md has the configuration of usual clients. Each tool runs \
this command as another process. Only captures in the allowed folders are read, links that lead out of them are refused, and nothing \
is written but reports, as new files. Nothing is asked over the network.

With --listen it serves over HTTP instead, on this machine alone, to clients that send the token which is printed. Ctrl-C stops it.")]
pub(crate) struct Mcp {
    /// Folder whose captures may be read, with all folders in it. Repeatable
    #[arg(long, value_name = "DIR", required = true)]
    allow: Vec<PathBuf>,
    /// Serve over HTTP at this address of the loopback interface; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// How long a tool may take
    #[arg(long, value_name = "DURATION", default_value = "2m")]
    time_limit: Period,
}

/// Ends this process when its standard input is closed, if a server started it.
pub(crate) fn end_with_server() -> io::Result<()> {
    if std::env::var_os(UNTIL_INPUT_CLOSES).is_some() {
        std::thread::Builder::new().name("end-with-server".into()).spawn(wait_for_end)?;
    }
    Ok(())
}

#[expect(clippy::exit, reason = "the thread that works can't be asked to end")]
fn wait_for_end() {
    // An input that can't be read is closed, too.
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    recount::remove_partial();
    std::process::exit(FAILED.into());
}

pub(crate) fn run(arguments: Mcp) -> anyhow::Result<Outcome> {
    let options = Options {
        program: this_command()?,
        allow: arguments.allow,
        time_limit: Duration::try_from(arguments.time_limit.duration())?,
        has_query: cfg!(feature = "sql"),
    };
    match arguments.listen {
        None => serve_stdio(options)?,
        Some(address) => {
            let http = Http::bind(options, address)?;
            output::message(&format!("listening at {}, token {}\n", http.url(), http.token()));
            http.serve()?;
        }
    }
    Ok(Outcome::Done)
}

/// This program; within Python, whose program is the interpreter, the module.
fn this_command() -> anyhow::Result<Vec<OsString>> {
    let program = std::env::current_exe()?;
    let is_python = |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().to_lowercase().starts_with("python"))
    };
    if !is_python(&program) {
        return Ok(vec![program.into()]);
    }
    // The interpreter as it was called: a link to it that belongs to a virtual environment knows that environment's packages.
    let called = std::env::args_os().next().filter(|called| Path::new(called).is_absolute());
    Ok(vec![called.unwrap_or_else(|| program.into()), "-m".into(), "recount".into()])
}
