//! The program `recount`.

use std::process::ExitCode;

/// Reading an atop log takes a quarter less time than with glibc's (`benches/README.md`).
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(recount_cli::main(std::env::args_os()))
}
