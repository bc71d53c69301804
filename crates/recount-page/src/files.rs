//! The texts of all pages, which the program holds.

/// A file below `page/`: its path from there, and its text.
pub(crate) type File = (&'static str, &'static str);

pub(crate) const CHART_STYLE: &str = include_str!("../page/uplot/uPlot.min.css");
pub(crate) const CHART_SCRIPT: &str = include_str!("../page/uplot/uPlot.iife.min.js");

// Read from the folder by `build.rs`.
include!(concat!(env!("OUT_DIR"), "/files.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_folder_are_listed_in_the_order_of_their_names() {
        for (files, one) in [
            (STYLES, "style/20-frame.css"),
            (MODULES, "view/panel/top.js"),
            (TEMPLATES, "templates/view.html"),
        ] {
            let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
            assert!(paths.is_sorted() && paths.contains(&one), "{paths:?}");
            // The chart library is put in front of the modules as a whole.
            assert!(!paths.iter().any(|path| path.starts_with("uplot/")), "{paths:?}");
        }
    }
}
