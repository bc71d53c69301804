//! The texts of all pages, which the program holds.

/// A file below `page/`: its path from there, and its text.
pub(crate) type File = (&'static str, &'static str);

macro_rules! files {
    ($($path:literal),* $(,)?) => { &[$(($path, include_str!(concat!("../page/", $path)))),*] };
}

pub(crate) const CHART_STYLE: &str = include_str!("../page/uplot/uPlot.min.css");
pub(crate) const CHART_SCRIPT: &str = include_str!("../page/uplot/uPlot.iife.min.js");

/// In the order of their names, in which later rules win over earlier ones.
pub(crate) const STYLES: &[File] = files![
    "style/10-colours.css",
    "style/20-frame.css",
    "style/30-report.css",
    "style/40-chart.css",
    "style/50-sheet.css",
    "style/60-diff.css",
    "style/70-viewer.css",
    "style/72-board.css",
    "style/74-panels.css",
    "style/90-print.css",
];

/// All modules; which of them a page has, its entry says.
pub(crate) const MODULES: &[File] = files![
    "chart/chart.js",
    "chart/charts.js",
    "chart/columns.js",
    "chart/feed.js",
    "chart/grid.js",
    "chart/hundred.js",
    "chart/legend.js",
    "chart/lines.js",
    "chart/plot.js",
    "chart/pointer.js",
    "chart/scales.js",
    "chart/shades.js",
    "chart/stack.js",
    "chart/units.js",
    "chart/values.js",
    "data/blob.js",
    "data/capture.js",
    "data/difference.js",
    "data/file-points.js",
    "data/gathering.js",
    "data/latest.js",
    "data/points.js",
    "data/server-points.js",
    "frame/key-help.js",
    "frame/paper.js",
    "frame/rows.js",
    "frame/theme.js",
    "report/finding-keys.js",
    "report/findings.js",
    "report/page.js",
    "report/pairs.js",
    "report/routes.js",
    "report/series.js",
    "strip/drawing.js",
    "strip/strip.js",
    "table/sheet.js",
    "table/sparkline.js",
    "text/elements.js",
    "text/numbers.js",
    "text/order.js",
    "time/clock.js",
    "time/pace.js",
    "time/timeline.js",
    "view/board/adding.js",
    "view/board/board-view.js",
    "view/board/card.js",
    "view/board/lines.js",
    "view/board/menu.js",
    "view/board/pin.js",
    "view/board/split.js",
    "view/board/titles.js",
    "view/data/catalogue.js",
    "view/data/client.js",
    "view/data/progress.js",
    "view/find/drag.js",
    "view/find/finder.js",
    "view/find/match.js",
    "view/find/pattern.js",
    "view/find/search.js",
    "view/find/tree.js",
    "view/focus.js",
    "view/frame/counting.js",
    "view/frame/keys.js",
    "view/frame/notices.js",
    "view/frame/time-box.js",
    "view/frame/tools.js",
    "view/frame/top.js",
    "view/keep/command.js",
    "view/keep/download.js",
    "view/keep/first-charts.js",
    "view/keep/save-view.js",
    "view/keep/trail.js",
    "view/keep/view-file.js",
    "view/live-page.js",
    "view/page.js",
    "view/panel/answer-chart.js",
    "view/panel/answer-view.js",
    "view/panel/choose.js",
    "view/panel/completion-list.js",
    "view/panel/completion.js",
    "view/panel/dock.js",
    "view/panel/grid.js",
    "view/panel/local-chart.js",
    "view/panel/machine.js",
    "view/panel/marks.js",
    "view/panel/sql.js",
    "view/panel/suspects.js",
    "view/panel/top.js",
    "view/places.js",
    "view/report-part.js",
    "view/screen.js",
    "view/state/address.js",
    "view/state/board.js",
    "view/state/example-times.js",
    "view/state/resting-timeline.js",
    "view/state/span.js",
    "view/state/typed-time.js",
];

pub(crate) const TEMPLATES: &[File] = files![
    "templates/base.html",
    "templates/diff.html",
    "templates/page.html",
    "templates/sections.html",
    "templates/view.html",
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn root() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/page"))
    }

    /// Paths below `page/` of all our files with an extension.
    fn found(folder: &Path, extension: &str) -> Vec<String> {
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                paths.extend(found(&path, extension));
            } else if path.extension().is_some_and(|found| found == extension) {
                let path = path.strip_prefix(root()).expect("a path below page/");
                paths.push(path.to_str().expect("UTF-8").replace('\\', "/"));
            }
        }
        paths.retain(|path| !path.starts_with("uplot/"));
        paths.sort();
        paths
    }

    #[test]
    fn every_file_of_the_folders_is_listed_by_name() {
        for (files, extension) in [(STYLES, "css"), (MODULES, "js"), (TEMPLATES, "html")] {
            let listed: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
            assert_eq!(listed, found(root(), extension));
        }
    }
}
