//! `recount man`

use clap::Command;

use crate::exit::Outcome;
use crate::output;

pub(crate) fn run(command: &Command) -> anyhow::Result<Outcome> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        let name = format!("recount {}", subcommand.get_name());
        clap_mangen::Man::new(subcommand.clone().bin_name(name)).render_synopsis_section(&mut text)?;
        clap_mangen::Man::new(subcommand.clone()).render_description_section(&mut text)?;
        clap_mangen::Man::new(subcommand.clone()).render_options_section(&mut text)?;
    }
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Done)
}
