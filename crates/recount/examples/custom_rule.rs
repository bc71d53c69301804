//! Looks for something with a rule of one's own: `cargo run --example custom_rule --features analysis -- monday.blg`

#![expect(clippy::print_stdout, reason = "an example prints")]

use recount::analysis::report::ReportOptions;
use recount::analysis::rules::parse_rules;
use recount::report;

const RULES: &str = r#"
[set]
name = "ours"
title = "Our rules"
version = 1

[[rule]]
id = "busy-processor"
title = "A processor is busy"
group = "Processor"
severity = "warning"
counter = '\Processor(*)\% Processor Time'
aggregate = "mean"
threshold = "> 5"
explanation = "Work that one thread does alone keeps one processor busy."
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
    let path = std::env::args().nth(1).unwrap_or_else(|| sample.to_owned());
    let set = parse_rules(RULES).map_err(|faults| faults[0].to_string())?;
    let timeline = recount::open(path)?.timeline();
    let observed = report(&timeline, &[set], &ReportOptions::default(), &recount::unwatched)?;
    for finding in &observed.findings {
        println!("{}: {}", finding.severity.as_str(), finding.headline);
    }
    Ok(())
}
