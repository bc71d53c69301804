//! Style sheet and script, assembled in the order of their names.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

macro_rules! texts {
    ($($path:literal),* $(,)?) => { [$(($path, include_str!($path))),*] };
}

const CHART_STYLE: &str = include_str!("uplot/uPlot.min.css");
const CHART_SCRIPT: &str = include_str!("uplot/uPlot.iife.min.js");

/// Sorted by name; a test compares them with the folder.
const STYLES: &[(&str, &str)] = &texts![
    "css/10-colours.css",
    "css/20-frame.css",
    "css/30-report.css",
    "css/40-chart.css",
    "css/50-sheet.css",
    "css/60-diff.css",
    "css/90-print.css",
];

/// Sorted by name; a test compares them with the folder.
const SCRIPTS: &[(&str, &str)] = &texts![
    "js/10-elements.js",
    "js/20-blob.js",
    "js/30-numbers.js",
    "js/31-clock.js",
    "js/32-timeline.js",
    "js/33-theme.js",
    "js/40-lines.js",
    "js/41-scales.js",
    "js/42-shades.js",
    "js/43-plot.js",
    "js/44-legend.js",
    "js/45-chart.js",
    "js/46-chart-table.js",
    "js/47-charts.js",
    "js/50-strip.js",
    "js/51-strip-drawing.js",
    "js/60-sparkline.js",
    "js/61-sheet.js",
    "js/70-series-view.js",
    "js/71-findings.js",
    "js/72-pairs.js",
    "js/80-routes.js",
    "js/81-paper.js",
    "js/90-page.js",
];

/// The style sheet.
pub(super) fn style() -> String {
    let ours = STYLES.iter().map(|(_, text)| format!("{text}\n"));
    format!("{CHART_STYLE}\n{}", ours.collect::<String>())
}

/// The script, in a single scope that leaks nothing.
pub(super) fn script() -> String {
    let ours = SCRIPTS.iter().map(|(_, text)| format!("{text}\n"));
    format!("(() => {{\n\"use strict\";\n{CHART_SCRIPT}\n{}}})();\n", ours.collect::<String>())
}

/// The hash of a text for the page's content security policy.
pub(super) fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_of_the_folders_is_in_the_page_by_name() {
        for (folder, texts) in [("css", STYLES), ("js", SCRIPTS)] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/html").join(folder);
            let entries = std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry"));
            let mut there: Vec<String> =
                entries.map(|entry| format!("{folder}/{}", entry.file_name().display())).collect();
            there.sort();
            assert_eq!(texts.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>(), there);
        }
    }

    #[test]
    fn nothing_ends_the_elements_early() {
        for text in [style(), script()] {
            let text = text.to_lowercase();
            assert!(
                !text.contains("</script")
                    && !text.contains("</style")
                    && !text.contains("<!--")
                    && !text.contains('\r')
            );
        }
    }

    #[test]
    fn the_hash_is_sha_256() {
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
