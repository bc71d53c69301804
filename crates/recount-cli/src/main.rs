//! The program `recount`.

use std::process::ExitCode;

/// Logs with few samples per stretch make many small tables: an atop log takes a quarter less time than with glibc's
/// allocator (`benches/README.md`).
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(recount_cli::main(std::env::args_os()))
}
