//! Charts alone, as SVG files.
use recount::analysis::report::{ReportOptions, ViewChart, ViewFile, ViewHead, figures_of_view};

fn figure(counters: &[&str], stacked: bool, logarithmic: bool) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
    let capture = recount::open(path).expect("a sample");
    let options = ReportOptions::default();
    let observed =
        recount::report(&capture.timeline(), &[], &options, &recount::unwatched).expect("not cancelled");
    let counters = counters.iter().map(|&counter| counter.to_owned()).collect();
    let chart = ViewChart { title: "<A> & B".to_owned(), counters, stacked, logarithmic };
    let view = ViewFile { view: ViewHead::default(), charts: vec![chart] };
    figures_of_view(&observed, &view).remove(0)
}

#[test]
fn a_figure_has_lines_axes_and_a_legend() {
    let svg =
        figure(&[r"\Processor(*)\% User Time", r"\Memory\Available Bytes", "Page Faults/sec"], false, false);
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" ") && svg.ends_with("</svg>"));
    for text in [
        "&lt;A&gt; &amp; B",
        "0 % User Time",
        "_Total % User Time",
        "Available Bytes",
        "mean 4 %",
        ">6 %<",
        "MiB",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    // A second axis to the right; a third there isn't.
    assert!(svg.contains("x=\"550\"") && svg.contains("not drawn: a third unit"));
    assert_eq!(svg.matches("not drawn").count(), 1);
}

#[test]
fn lines_are_stacked_and_axes_logarithmic() {
    let counters = [r"\Processor(*)\% User Time"];
    // 4 % and 8 % and 6 %: the stack ends at 18 %.
    let [plain, stacked, logarithmic] =
        [(false, false), (true, false), (false, true)].map(|(stacked, log)| figure(&counters, stacked, log));
    assert!(!plain.contains(">15 %<") && stacked.contains(">15 %<"));
    assert!(!plain.contains(">1 %<") && logarithmic.contains(">1 %<") && logarithmic.contains(">10 %<"));
}

#[test]
fn the_legend_shows_lines_as_they_are_drawn() {
    let svg = figure(&[r"\Processor(*)\*"], false, false);
    let (lines, dashed) =
        (svg.matches("<g class=\"series-").count(), svg.matches("stroke-dasharray=\"6 3\"").count());
    assert!(lines > 4);
    assert_eq!(dashed, 2 * (lines - 4), "the line and its place in the legend, from the fifth on");
}
