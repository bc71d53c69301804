//! Runs the cases and prints what they measured.

use std::path::Path;

use anyhow::{Context, Result};

use crate::case::Case;
use crate::cook;
use crate::measured::Measured;

/// Conversions are repeated so often, and the median told.
const NUM_RUNS: usize = 3;

/// Measures everything and prints it.
pub(crate) fn print(log: &Path) -> Result<()> {
    println!("\ninput: {}", log.display());
    let container = Case::Container.measure(log, 1)?;
    println!(
        "{:.0} MB, {:.0} samples, {:.0} runs, {:.1} million raw values",
        mega(container.get("raw bytes")?),
        container.get("samples")?,
        container.get("runs")?,
        mega(container.get("raw values")?)
    );
    print_convert(log)?;
    print_parse(&container, &Case::Blocks.measure(log, 1)?)?;
    print_cook(&Case::Cook.measure(log, 1)?)
}

fn print_convert(log: &Path) -> Result<()> {
    let baseline = Case::Baseline.measure(log, NUM_RUNS)?;
    let default = Case::BaselineDefault.measure(log, 1)?;
    let one = Case::Convert1.measure(log, NUM_RUNS)?;
    let two = Case::Convert2.measure(log, NUM_RUNS)?;
    let disk = Case::ConvertDisk.measure(log, NUM_RUNS)?;
    println!("\nconvert to objects Parquet (median of {NUM_RUNS})");
    println!(
        "{:<34}{:>8}{:>10}{:>12}{:>11}{:>8}{:>10}{:>10}",
        "", "s", "raw MB/s", "Mvalues/s", "MB written", "ratio", "peak MB", "anon MB"
    );
    let num_values = baseline.get("values")?;
    let seconds = baseline.get("seconds")?;
    let rows = [
        ("arrow-rs, same arrays, 1 thread", &baseline),
        ("arrow-rs by default, 1 thread", &default),
        ("convert, 1 thread", &one),
        ("convert, 2 threads", &two),
        ("convert, 2 threads, to disk", &disk),
    ];
    for (name, case) in rows {
        let own = case.get("seconds")?;
        println!(
            "{name:<34}{own:>8.2}{:>10.0}{:>12.1}{:>11.1}{:>8.2}{:>10.0}{:>10.0}",
            mega(one.get("raw bytes")?) / own,
            mega(num_values) / own,
            mega(case.get("written bytes")?),
            own / seconds,
            mega(case.get("peak resident")?),
            mega(case.get("peak anonymous")?),
        );
    }
    println!("2 threads over 1: {:.2} times as fast", one.get("seconds")? / two.get("seconds")?);
    Ok(())
}

fn print_parse(container: &Measured, blocks: &Measured) -> Result<()> {
    println!("\nparsing, 1 thread");
    println!("{:<34}{:>10}{:>14}{:>22}", "", "MB/s", "copy's time x", "allocations per block");
    let row = |name: &str, case: &Measured, key: &str, allocations: Option<f64>| -> Result<()> {
        let rate = mega(case.get("raw bytes")?) / case.get(key)?;
        let ratio = case.get(key)? / case.get("copy")?;
        let allocations = allocations.map_or(String::new(), |each| format!("{each:.4}"));
        println!("{name:<34}{rate:>10.0}{ratio:>14.2}{allocations:>22}");
        Ok(())
    };
    let num_blocks = blocks.get("blocks")?;
    row("copy of the log", container, "copy", None)?;
    row("buffers: open, find samples", container, "open", None)?;
    row("log to runs", container, "seconds", Some(container.get("allocations")? / num_blocks))?;
    row("copy of the blocks", blocks, "copy", None)?;
    row(
        "blocks: every structure, value",
        blocks,
        "walk",
        Some(blocks.get("walk allocations")? / num_blocks),
    )?;
    row("blocks to runs", blocks, "seconds", Some(blocks.get("allocations")? / num_blocks))?;
    println!(
        "blocks to runs: {:.2} allocations per 1000 instances; {:.1} % of the blocks take none at all",
        1e3 * blocks.get("allocations")? / blocks.get("instances")?,
        1e2 * blocks.get("blocks without allocation")? / num_blocks
    );
    for (name, case) in [("log to runs", container), ("blocks to runs", blocks)] {
        let (peak, anonymous) = (case.get("peak resident")?, case.get("peak anonymous")?);
        println!("{name}: peak {:.0} MB, of which anonymous {:.0} MB", mega(peak), mega(anonymous));
    }
    Ok(())
}

fn print_cook(case: &Measured) -> Result<()> {
    println!("\ncooking the same samples, 1 thread");
    println!("{:<22}{:>10}{:>12}{:>9}", "class", "Mvalues", "Mvalues/s", "ratio");
    for (class, seconds) in case.with_prefix("cook ").filter(|(class, _)| *class != cook::ALL) {
        print_class(case, class, seconds)?;
    }
    print_class(case, cook::ALL, case.get("seconds")?)?;
    let (peak, anonymous) = (case.get("peak resident")?, case.get("peak anonymous")?);
    println!("peak {:.0} MB, of which anonymous {:.0} MB", mega(peak), mega(anonymous));
    Ok(())
}

fn print_class(case: &Measured, class: &str, seconds: f64) -> Result<()> {
    let num_values = case.get(&format!("values {class}")).context(class.to_owned())?;
    let plain = case.get(&format!("plain {class}"))?;
    println!(
        "{class:<22}{:>10.1}{:>12.0}{:>9.2}",
        mega(num_values),
        mega(num_values) / seconds,
        seconds / plain
    );
    Ok(())
}

fn mega(number: f64) -> f64 {
    number / 1e6
}
