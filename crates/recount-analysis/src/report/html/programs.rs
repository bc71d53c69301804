//! The pictures of who used the processors: programs, and other groups of processes, as areas up to all that the machine has.

use std::fmt::Write as _;

use recount_tables::processes::NOT_ATTRIBUTED;

use super::drawing::{COLOURS, GRID, MUTED, TOP};
use super::shading::{PlotArea, escaped, gaps, marks};
use crate::attribution::{GroupBy, GroupProcesses, GroupShares, num_processes};
use crate::report::observe::Observed;
use crate::shown::{quantity, short};

/// As wide as a card, so that the letters are as large as those around them.
const WIDTH: f64 = 400.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 392.0;
const BOTTOM: f64 = 172.0;
const HEIGHT: f64 = 192.0;
const AREA: PlotArea = PlotArea { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM };
/// Of the programs beyond the eight.
const COLOUR_OF_REST: &str = "#b9bfc4";
/// What has no name is hatched by this.
const HATCH: &str = "not-attributed";

/// The picture of programs, and behind it those of other groups, to be opened. `None` if nothing is known.
pub(super) fn pictures(observed: &Observed) -> Option<String> {
    let (first, others) = observed.programs.split_first()?;
    let mut html = picture(observed, first);
    for shares in others.iter().filter(|shares| shares.groups.len() > 1) {
        let picture = picture(observed, shares);
        let _ = write!(html, "<details><summary>By {}</summary>{picture}</details>", word(shares.by));
    }
    Some(html)
}

fn word(by: GroupBy) -> &'static str {
    match by {
        GroupBy::User => "user",
        GroupBy::Unit => "unit",
        GroupBy::Container => "container",
        GroupBy::Command => "program",
        GroupBy::Tree => "what started them",
    }
}

/// A picture as SVG, with the names of what is large enough on it, and the list of all, with all names escaped.
fn picture(observed: &Observed, shares: &GroupShares) -> String {
    let num = shares.groups.len() + 1;
    let hatch = format!("{HATCH}-{}", shares.by.name());
    let mut svg = format!(
        "<div class=\"picture-of-groups\"><svg class=\"still\" role=\"img\" aria-label=\"Processor time by {}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"11\"><defs><pattern id=\"{hatch}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" stroke=\"{MUTED}\" stroke-width=\"2\"/></pattern></defs>",
        word(shares.by)
    );
    axes(&mut svg, observed);
    gaps(&mut svg, observed, AREA);
    let mut below = vec![0.0; shares.not_attributed.len()];
    let mut names = String::new();
    let mut list = String::from("<ul class=\"groups\">");
    let nameless = (NOT_ATTRIBUTED.to_owned(), shares.not_attributed.clone());
    for (at, (name, used)) in shares.groups.iter().chain([&nameless]).enumerate() {
        let is_nameless = at + 1 == num;
        let fill = if is_nameless {
            format!("url(#{hatch})")
        } else {
            COLOURS.get(at).unwrap_or(&COLOUR_OF_REST).to_string()
        };
        let above: Vec<f64> = below.iter().zip(used).map(|(below, used)| below + used).collect();
        let _ = write!(svg, "<path d=\"{}\" fill=\"{fill}\" fill-opacity=\"0.75\"/>", area(&below, &above));
        let name = short(name);
        label(&mut names, &name, (&below, &above));
        let mean = if is_nameless { shares.mean_not_attributed } else { Some(shares.mean(used)) };
        let mean = mean.map_or("-".to_owned(), |mean| quantity(100.0 * mean, "%"));
        let title = format!("{} <b>{mean}</b>", escaped(&name));
        let _ = write!(
            list,
            "<li><svg class=\"group-sign\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect width=\"10\" height=\"10\" fill=\"{fill}\" fill-opacity=\"0.75\"/></svg>"
        );
        match shares.processes.get(at).filter(|processes| !is_nameless && !processes.most.is_empty()) {
            Some(processes) => details(&mut list, &title, processes),
            None => list.push_str(&title),
        }
        list.push_str("</li>");
        below = above;
    }
    svg.push_str(&names);
    marks(&mut svg, observed, AREA);
    svg + "</svg>" + &list + "</ul></div>"
}

/// The most that a letter takes. Those of East Asia are as wide as they are high.
fn width_of(letter: char) -> f64 {
    if letter.is_ascii() { 6.6 } else { 11.0 }
}

/// A name where its area is high enough for it.
fn label(svg: &mut String, name: &str, (below, above): (&[f64], &[f64])) {
    const HIGH: f64 = 15.0;
    let width = (RIGHT - LEFT) / above.len().max(1) as f64;
    let num = ((name.chars().map(width_of).sum::<f64>() + 8.0) / width).ceil() as usize;
    let ends = |from: usize| {
        let steps = from..from + num;
        let most = below[steps.clone()].iter().copied().fold(0.0, f64::max);
        let least = above[steps].iter().copied().fold(f64::INFINITY, f64::min);
        (height_of(least), height_of(most))
    };
    let last = (above.len() + 1).saturating_sub(num.max(1));
    let room = |from: &usize| {
        let (top, bottom) = ends(*from);
        bottom - top
    };
    // Near the middle, of places that have room enough.
    let rank = |from: &usize| (room(from).min(3.0 * HIGH), -(*from as f64 - last as f64 / 2.0).abs());
    let best = (0..last).filter(|from| room(from) >= HIGH).max_by(|one, other| {
        let (one, other) = (rank(one), rank(other));
        one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
    });
    if let Some(from) = best {
        let (top, bottom) = ends(from);
        let x = LEFT + width * (from as f64 + num as f64 / 2.0);
        let y = top.midpoint(bottom) + 4.0;
        let _ = write!(
            svg,
            "<text class=\"on-area\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
            escaped(name)
        );
    }
}

/// The processes of a group, to be opened: by id, and by what started them.
fn details(html: &mut String, title: &str, processes: &GroupProcesses) {
    let seconds = |seconds: f64| quantity(seconds, "sec");
    let num = |num: u64, with_cpu: u64| num_processes(num, Some((with_cpu, "with CPU")));
    let items = |items: &mut dyn Iterator<Item = String>| {
        let mut list = String::new();
        for item in items {
            let _ = write!(list, "<li>{}</li>", escaped(&item));
        }
        list
    };
    let most = items(
        &mut processes.most.iter().map(|(shown, used)| format!("{}: {}", short(shown), seconds(*used))),
    );
    let trees = items(&mut processes.trees.iter().map(|tree| {
        let used = tree.cpu_s.map(|used| format!(", {}", seconds(used))).unwrap_or_default();
        format!("{}: {}{used}", short(&tree.name), num(tree.num, tree.num_with_cpu))
    }));
    let _ = write!(
        html,
        "<details><summary>{title}, {}</summary><ul>{most}</ul><details><summary>What started them</summary><ul>{trees}</ul></details></details>",
        num(processes.num, processes.num_with_cpu)
    );
}

fn axes(svg: &mut String, observed: &Observed) {
    for percent in [0_u32, 25, 50, 75, 100] {
        let y = height_of(f64::from(percent) / 100.0);
        let _ = write!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"{GRID}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{MUTED}\">{percent} %</text>",
            LEFT - 6.0,
            y + 4.0
        );
    }
    let Some((begin, end)) = observed.facts.span() else { return };
    for (x, anchor, time) in [(LEFT, "start", begin), (RIGHT, "end", end)] {
        let text = escaped(&observed.facts.shown(time.utc));
        let y = BOTTOM + 16.0;
        let _ =
            write!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{MUTED}\">{text}</text>");
    }
}

/// The place of a share of all processors. Rounding may lead a little above all.
fn height_of(share: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * share.min(1.0)
}

/// Stretches are steps: nothing is known of what happened within them.
fn area(below: &[f64], above: &[f64]) -> String {
    let width = (RIGHT - LEFT) / above.len().max(1) as f64;
    let x = |at: usize| LEFT + width * at as f64;
    let mut path = format!("M{LEFT:.1} {:.1}", height_of(below.first().copied().unwrap_or(0.0)));
    let mut steps = |steps: &mut dyn Iterator<Item = (f64, usize)>| {
        let mut steps = steps.map(|(share, to)| (format!("{:.1}", height_of(share)), to)).peekable();
        while let Some((height, to)) = steps.next() {
            // The next one goes on at this height.
            if steps.peek().is_none_or(|(next, _)| *next != height) {
                let _ = write!(path, "V{height}H{:.1}", x(to));
            }
        }
    };
    steps(&mut above.iter().enumerate().map(|(at, share)| (*share, at + 1)));
    steps(&mut below.iter().enumerate().rev().map(|(at, share)| (*share, at)));
    path.push('Z');
    path
}
