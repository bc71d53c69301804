//! The program `recount`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(recount_cli::main(std::env::args_os()))
}
