//! Connections to servers, and the requests made over them.

use recount_pcq::conversation::{AuthenticationLevel, PerflibClient, Sampler};
use recount_record::windows::QuerySource;

use crate::options::RemoteOptions;
use crate::registry::{RegistryClient, RemoteMachine, WINREG};
use crate::remote_error::RemoteError;
use crate::rpc::{ClientOptions, RpcClient, RpcError, Syntax};
use crate::smb::{SmbError, SmbPipe, SmbServer, TRANSPORT_HEADER};
use crate::transport::{Stream, Transport};
use crate::{Host, INTERFACE, RemotePerflib, Way};

/// The transport of calls.
type Wire = Box<dyn Transport>;
pub(crate) type PcqSampler = Sampler<RemotePerflib<Wire>>;
pub(crate) type RegistrySource = QuerySource<RemoteMachine<Wire>>;

/// The pipe of both interfaces.
const PIPE: &str = "winreg";

/// Binds an interface of a server.
fn bind(options: &RemoteOptions, interface: Syntax) -> Result<RpcClient<Wire>, RemoteError> {
    let RemoteOptions { host, account, timeout, .. } = options;
    let name = || host.to_string();
    let tcp = Stream::connect(&host.name, host.port, *timeout)
        .map_err(|source| RemoteError::Connect { host: name(), source })?;
    let wire: Wire = match host.way {
        Way::Tcp => Box::new(tcp),
        Way::Pipe => {
            let server = SmbServer { name: &host.name, pipe: PIPE, account };
            let opened = SmbPipe::open(tcp, &server);
            Box::new(opened.map_err(|source| match source {
                SmbError::Malformed { structure: TRANSPORT_HEADER, .. } => {
                    RemoteError::NotSmb { host: name(), source: Box::new(source) }
                }
                source => RemoteError::Pipe { host: name(), source: Box::new(source) },
            })?)
        }
    };
    let binding = ClientOptions {
        interface,
        level: AuthenticationLevel::PKT_PRIVACY,
        spnego: false,
        account: Some(account.clone()),
        timeout: *timeout,
    };
    RpcClient::bind(wire, &binding).map_err(|source| match source {
        // What is behind a Windows machine's pipe is known.
        RpcError::Malformed { .. } if host.way == Way::Tcp => RemoteError::NotRpc { host: name(), source },
        source => failed(host, source),
    })
}

fn failed(host: &Host, source: RpcError) -> RemoteError {
    RemoteError::Bind { host: host.to_string(), source }
}

/// Requests the selected countersets. `num_queries` were opened before, over other connections.
pub(crate) fn pcq(
    options: &RemoteOptions,
    wanted: &dyn Fn(&str, bool) -> bool,
    num_queries: u32,
) -> Result<PcqSampler, RemoteError> {
    let client = PerflibClient::new(RemotePerflib::new(bind(options, INTERFACE)?))
        .with_machine(options.host.name.clone())
        .with_max_answer(options.max_answer)
        .with_opened(num_queries);
    Sampler::new(client, &mut |set| wanted(&set.name(), true))
        .map_err(|source| RemoteError::Browse { host: options.host.to_string(), source: Box::new(source) })
}

/// Requests the selected objects.
pub(crate) fn registry(
    options: &RemoteOptions,
    wanted: &dyn Fn(&str, bool) -> bool,
) -> Result<RegistrySource, RemoteError> {
    let client = RegistryClient::new(bind(options, WINREG)?);
    let machine = RemoteMachine::new(client, options.max_answer);
    let broken = machine.failure();
    QuerySource::new(machine, wanted).map_err(|source| match broken.take() {
        Some(failure) => failed(&options.host, failure),
        None => RemoteError::Query { host: options.host.to_string(), source: Box::new(source) },
    })
}
