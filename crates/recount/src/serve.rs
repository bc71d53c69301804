//! Serving counters to other machines' clients of MS-PCQ.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use recount_model::{NameTable, Selection};
use recount_record::{LiveSource, ProcessOptions, SampleForm, SharedSource, TakeError, open_live};
use recount_remote::{Account, Address, OpenSource, ServeOptions as RemoteServeOptions, Server};

use crate::formats::PCQ;
use crate::record::{RecordError, open_input, open_replay};

/// What to serve, where, and to whom.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// What.
    pub source: Served,
    /// Where.
    pub at: ServedAt,
    /// Who may call.
    pub account: Account,
}

/// Where clients are served.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServedAt {
    /// At an address and port; port 0 selects a free one.
    Port(SocketAddr),
    /// As the server of Samba's pipe `winreg`, in Samba's folder of pipes.
    #[cfg(unix)]
    Samba(PathBuf),
}

/// What is served.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Served {
    /// This machine, now: the objects that may match; all default ones if there is no pattern.
    Live(Selection),
    /// Raw dumps, played from their beginning for every connection.
    Replay {
        /// The files.
        paths: Vec<PathBuf>,
        /// Names of the objects and counters in them.
        names: NameTable,
    },
}

/// The family from which GUIDs of replayed objects are derived.
const REPLAY_FAMILY: &str = "replay";

impl Served {
    fn open(&self) -> Result<Box<dyn LiveSource>, RecordError> {
        match self {
            Served::Live(selection) => {
                Ok(open_live(None, selection, SampleForm::Block, ProcessOptions::default())?)
            }
            Served::Replay { paths, names } => {
                let files = paths.iter().map(|path| open_input(path)).collect::<Result<_, _>>()?;
                let source = open_replay(files, names)?;
                if source.form() == SampleForm::Block {
                    return Ok(source);
                }
                let name = paths.first().map_or_else(String::new, |path| path.display().to_string());
                Err(RecordError::NotReplayed { name, format: &PCQ })
            }
        }
    }
}

/// Serves until `end` is set. `on_listening` receives the address. `report` receives the reasons of connections
/// that ended without their client's request.
///
/// Fails immediately if there is nothing to serve, or if it can't listen on the address.
pub fn serve(
    options: &ServeOptions,
    end: &AtomicBool,
    on_listening: &mut dyn FnMut(&Address),
    report: &Arc<dyn Fn(&str) + Send + Sync>,
) -> Result<(), RecordError> {
    options.source.open()?;
    let (server, address) = match &options.at {
        ServedAt::Port(address) => (Server::listen(address), address.to_string()),
        #[cfg(unix)]
        ServedAt::Samba(folder) => (Server::behind_samba(folder), folder.display().to_string()),
    };
    let at_address = |source| RecordError::Listen { address: address.clone(), source };
    let server = server.map_err(at_address)?;
    on_listening(server.address());
    let family = match &options.source {
        Served::Live(_) => std::env::consts::OS,
        Served::Replay { .. } => REPLAY_FAMILY,
    };
    let source = options.source.clone();
    let open = move || {
        source
            .open()
            .map_err(|error| TakeError::System { function: "opening the source", what: error.to_string() })
    };
    let open: OpenSource = match &options.source {
        // Hundreds of files are open for it.
        Served::Live(_) => {
            let shared = SharedSource::new(open);
            Arc::new(move || shared.share())
        }
        Served::Replay { .. } => Arc::new(open),
    };
    let serving = RemoteServeOptions::new(open, family, options.account.clone());
    server.serve(&serving, end, report).map_err(at_address)
}
