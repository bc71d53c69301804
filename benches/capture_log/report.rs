//! Runs the cases and prints what they measured.

use anyhow::Result;

use crate::case::Case;
use crate::encode::{LEVEL_QUICK, LEVEL_SMALL, Setting};
use crate::input::Input;
use crate::measured::Measured;
use crate::pack;

/// Long cases are measured once, the others this often; the median is reported.
const NUM_RUNS: usize = 3;

/// Measures everything and prints it.
pub(crate) fn print() -> Result<()> {
    let input = Input::of_environment()?;
    input.path()?;
    print_input(input)?;
    pack::print()
}

fn print_input(input: Input) -> Result<()> {
    let recorder = Case::Write(Setting::Recorder).measure(input, NUM_RUNS)?;
    let pack = Case::Write(Setting::Pack).measure(input, 1)?;
    let quick = Case::Zip(LEVEL_QUICK).measure(input, NUM_RUNS)?;
    let small = Case::Zip(LEVEL_SMALL).measure(input, 1)?;
    let all = Case::Runs(Setting::Recorder, 1).measure(input, NUM_RUNS)?;
    let (num_samples, num_values) = (recorder.get("samples")?, all.get("values")?);
    println!("\ninput: generated, {} s", input.name());
    println!(
        "{:.3} MB of blocks, {num_samples:.0} samples, {:.3} million raw values, bases included, {:.0} runs",
        mega(recorder.get("raw bytes")?),
        mega(num_values),
        all.get("runs")?
    );
    println!("\nwriting, and size");
    println!(
        "{:<30}{:>8}{:>8}{:>12}{:>12}{:>8}{:>9}{:>9}",
        "", "s", "MB/s", "bytes", "/sample", "/value", "raw/it", "peak MB"
    );
    let rows = [
        ("rcap, as recorded", &recorder),
        ("rcap, as packed", &pack),
        ("zstd -3", &quick),
        ("zstd -19 --long=27", &small),
    ];
    for (name, case) in rows {
        print_written(name, case, num_samples, num_values)?;
    }
    let best = small.get("bytes")?;
    println!(
        "size, as recorded / zstd -19 --long=27: {:.2}; as packed: {:.2} (aim: below 0.5)",
        recorder.get("bytes")? / best,
        pack.get("bytes")? / best
    );
    print_reading(input, &all)
}

fn print_written(name: &str, case: &Measured, num_samples: f64, num_values: f64) -> Result<()> {
    let (seconds, len_raw, len) = (case.get("seconds")?, case.get("raw bytes")?, case.get("bytes")?);
    println!(
        "{name:<30}{seconds:>8.2}{:>8.0}{len:>12.0}{:>12.0}{:>8.3}{:>9.1}{:>9.0}",
        mega(len_raw) / seconds,
        len / num_samples,
        len / num_values,
        len_raw / len,
        mega(case.get("peak resident")?)
    );
    Ok(())
}

fn print_reading(input: Input, all: &Measured) -> Result<()> {
    let unzip_quick = Case::Unzip(LEVEL_QUICK).measure(input, NUM_RUNS)?;
    let unzip_small = Case::Unzip(LEVEL_SMALL).measure(input, NUM_RUNS)?;
    println!("\nreading (median of {NUM_RUNS})");
    println!(
        "{:<30}{:>8}{:>12}{:>10}{:>11}{:>9}",
        "", "s", "Mvalues/s", "/ unzip 3", "/ unzip 19", "peak MB"
    );
    let (quick, small) = (unzip_quick.get("seconds")?, unzip_small.get("seconds")?);
    let num_values = all.get("values")?;
    let row = |name: &str, case: &Measured| -> Result<f64> {
        let seconds = case.get("seconds")?;
        println!(
            "{name:<30}{seconds:>8.3}{:>12.1}{:>10.2}{:>11.2}{:>9.0}",
            mega(num_values) / seconds,
            seconds / quick,
            seconds / small,
            mega(case.get("peak resident")?)
        );
        Ok(seconds)
    };
    row("unzip of zstd -3", &unzip_quick)?;
    row("unzip of zstd -19 --long=27", &unzip_small)?;
    row("records as they were", &Case::Records(Setting::Recorder).measure(input, NUM_RUNS)?)?;
    let one = row("to runs, 1 thread", all)?;
    let two = row("to runs, 2 threads", &Case::Runs(Setting::Recorder, 2).measure(input, NUM_RUNS)?)?;
    let packed_one =
        row("packed to runs, 1 thread", &Case::Runs(Setting::Pack, 1).measure(input, NUM_RUNS)?)?;
    let packed_two =
        row("packed to runs, 2 threads", &Case::Runs(Setting::Pack, 2).measure(input, NUM_RUNS)?)?;
    println!("2 threads over 1: {:.2} times as fast; packed {:.2}", one / two, packed_one / packed_two);
    let object = Case::OneObject(Setting::Recorder).measure(input, NUM_RUNS)?;
    println!(
        "Memory only: {:.3} s, {:.1} % of the bytes, {:.1} % of the time",
        object.get("seconds")?,
        1e2 * object.get("read bytes")? / all.get("read bytes")?,
        1e2 * object.get("seconds")? / one
    );
    Ok(())
}

fn mega(number: f64) -> f64 {
    number / 1e6
}
