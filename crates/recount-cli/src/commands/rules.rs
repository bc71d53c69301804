//! `recount rules`

mod counters;

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use recount::analysis::rules::{SETS, builtin, parse_rules};

use crate::exit::Outcome;
use crate::output;
use crate::output::plural;
use crate::pal;
use crate::rule_sets::{RuleFile, read};
use crate::table::Table;

/// Check, show and import the rules of reports
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount rules list
  recount rules show disk/disk-busy               (a rule, as reports name it)
  recount rules show disk > our-disks.toml        (to begin your own set)
  recount rules check our-disks.toml
  recount rules import IIS.xml -o iis.toml        (thresholds of PAL)
  recount rules counters --for logman -o wanted.txt
                                                  (what to record, so that every rule can judge it)

formats/rules.md says how rules are written.")]
pub(crate) struct Rules {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The sets that come with recount, with their rules
    List,
    /// A set that comes with recount, or one of its rules, as TOML
    Show {
        /// Its name, or set and rule as reports name them (disk/disk-busy)
        #[arg(value_name = "SET[/RULE]")]
        name: String,
    },
    /// Check files of rules or tolerances, or threshold files of PAL; exit with 1 if any has a mistake
    Check {
        /// Files of rules or tolerances
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Translate a threshold file of PAL, and the files next to it that it inherits; list what can't be translated
    Import {
        /// Threshold file of PAL
        #[arg(value_name = "PAL.xml")]
        file: PathBuf,
        /// File of rules to write [default: standard output]
        #[arg(long, short, value_name = "OUT")]
        output: Option<PathBuf>,
        /// Replace an output that exists
        #[arg(long, short, requires = "output")]
        force: bool,
    },
    /// The counters that rules look at, in the form that a recorder takes
    Counters(counters::Counters),
}

pub(crate) fn run(arguments: &Rules) -> anyhow::Result<Outcome> {
    match &arguments.what {
        What::List => list(),
        What::Show { name } => show(name),
        What::Check { files } => check(files),
        What::Import { file, output, force } => pal::import(file, output.as_ref(), *force),
        What::Counters(arguments) => counters::counters(arguments),
    }
}

fn list() -> anyhow::Result<Outcome> {
    let mut table = Table::new(["set/rule", "severity", "finds"], &[]).with_name(2);
    for (name, text) in SETS {
        // A test checks that they are sound.
        let Ok(set) = parse_rules(text) else { continue };
        for rule in set.rules {
            table.add_row([format!("{name}/{}", rule.id), rule.severity.as_str().to_owned(), rule.title]);
        }
    }
    output::print(&table.text())?;
    Ok(Outcome::Done)
}

fn show(name: &str) -> anyhow::Result<Outcome> {
    let (set, rule) = name.split_once('/').map_or((name, None), |(set, rule)| (set, Some(rule)));
    let known = || SETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let text = builtin(set).with_context(|| format!("unknown rule set {set:?}: there are {}", known()))?;
    let Some(rule) = rule else {
        output::print(text)?;
        return Ok(Outcome::Done);
    };
    let of_rule = text_of_rule(text, rule);
    let of_rule = of_rule
        .with_context(|| format!("the set {set} has no rule {rule:?}: see recount rules show {set}"))?;
    output::print(&of_rule)?;
    Ok(Outcome::Done)
}

/// A set without its other rules.
fn text_of_rule(set: &str, id: &str) -> Option<String> {
    let line = format!("id = {id:?}");
    let heads = set.match_indices("[[rule]]\n").map(|(at, _)| at);
    let starts: Vec<usize> = heads.chain([set.len()]).collect();
    let mut tables = starts.windows(2).map(|ends| &set[ends[0]..ends[1]]);
    let table = tables.find(|table| table.lines().any(|of_table| of_table == line))?;
    Some(format!("{}{}\n", &set[..*starts.first()?], table.trim_end()))
}

fn check(files: &[PathBuf]) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Done;
    for file in files {
        let name = output::visible(&file.display().to_string());
        let checked = match read(&name, file)? {
            RuleFile::Tolerances(set) => set.map(|set| plural(set.tolerances.len(), "tolerance")),
            RuleFile::Rules(set, imported) => {
                if let Some(imported) = imported {
                    output::message(&format!("note: {imported}\n"));
                }
                set.map(|set| plural(set.rules.len(), "rule"))
            }
        };
        match checked {
            Ok(num) => output::print(&format!("{name}: {num}, sound\n"))?,
            Err(faults) => {
                outcome = Outcome::Findings;
                for fault in faults {
                    let rule = fault.rule.as_ref().map_or_else(String::new, |rule| format!("{rule:?}: "));
                    let what = output::visible(&fault.what);
                    output::print(&format!("{name}:{}:{}: {rule}{what}\n", fault.line, fault.column))?;
                }
            }
        }
    }
    Ok(outcome)
}
