//! Progress on standard error: only on a terminal, only on long work.

use std::ops::ControlFlow;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use recount::{Capture, Progress};

/// How often the bar is drawn, per second; the first time after as long.
const DRAWS_PER_SECOND: u8 = 4;

/// A bar over the bytes of all captures. Invisible if `quiet` or if standard error is no terminal.
pub(super) fn bar(captures: &[Capture], quiet: bool) -> ProgressBar {
    let target = if quiet {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND)
    };
    if target.is_hidden() {
        // Adding up the samples of text takes a walk over it.
        return ProgressBar::hidden();
    }
    let samples = |capture: &Capture| {
        (0..capture.source.times().len()).map(|s| capture.source.len_sample(s) as u64).sum::<u64>()
    };
    let len = captures.iter().map(samples).sum();
    let bar = ProgressBar::with_draw_target(Some(len), target);
    let style = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// A line that says how far work of unknown length is. Invisible if `quiet` or if standard error is no terminal.
pub(super) fn line(quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let target = ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND);
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// The callback for every step of the work.
pub(super) fn steps(bar: &ProgressBar) -> impl Fn(Progress) -> ControlFlow<()> + Sync + use<'_> {
    move |step| {
        bar.inc(step.len_raw);
        ControlFlow::Continue(())
    }
}
