//! What 100 % of a counter is, where people may take it for something else: the time of one processor, or of all. The same
//! as in the page's charts (`chart/hundred.js`).

const PROCESSORS: [&str; 6] = [
    "processor",
    "processor information",
    "physical cpu",
    "hyper-v hypervisor logical processor",
    "hyper-v hypervisor virtual processor",
    "hyper-v hypervisor root virtual processor",
];
const USERS_OF_ONE: [&str; 6] =
    ["process", "process v2", "thread", "job object", "job object details", "cgroup"];

/// In words; `None` if nothing needs saying.
pub(super) fn hundred_of(object: &str, counter: &str, instance: Option<&str>) -> Option<&'static str> {
    const ONE: &str = "one processor";
    const ALL: &str = "all processors";
    let (object, counter) = (object.to_lowercase(), counter.to_lowercase());
    let rest = counter.strip_prefix("% ")?;
    if !(rest == "time" || rest.ends_with(" time")) || rest.contains("pressure") {
        return None;
    }
    if USERS_OF_ONE.contains(&&*object) {
        return Some(ONE);
    }
    if object == "system" {
        return Some(ALL);
    }
    // Sums of processors, and those of a group of them ("0,_Total").
    let instance = instance.unwrap_or_default().to_lowercase();
    let is_sum = instance.is_empty() || instance == "_total" || instance.ends_with(",_total");
    PROCESSORS.contains(&&*object).then_some(if is_sum { ALL } else { ONE })
}

/// Of the lines of an axis: what all of them have in common, or that each says it.
pub(super) fn hundred_text(all: &[Option<&'static str>]) -> Option<String> {
    match all {
        [Some(first), rest @ ..] if rest.iter().all(|other| *other == Some(*first)) => {
            Some(format!("100 % = {first}"))
        }
        all if all.iter().any(Option::is_some) => Some("100 %: see the lines".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_percent_is_one_processor_or_all() {
        for (object, counter, instance, expected) in [
            ("Process", "% Processor Time", Some("java"), Some("one processor")),
            ("Processor", "% User Time", Some("3"), Some("one processor")),
            ("processor", "% User Time", Some("_Total"), Some("all processors")),
            ("Processor Information", "% Privileged Time", Some("0,_Total"), Some("all processors")),
            ("System", "% Total Processor Time", None, Some("all processors")),
            ("LogicalDisk", "% Free Space", Some("C:"), None),
            ("PhysicalDisk", "% Disk Time", Some("_Total"), None),
            ("Memory", "% Pressure Some Time", None, None),
        ] {
            assert_eq!(hundred_of(object, counter, instance), expected, "{object} {counter}");
        }
    }

    #[test]
    fn an_axis_says_it_for_all_lines_or_the_lines_do() {
        let (one, all) = (Some("one processor"), Some("all processors"));
        assert_eq!(hundred_text(&[one, one]).as_deref(), Some("100 % = one processor"));
        assert_eq!(hundred_text(&[one, all]).as_deref(), Some("100 %: see the lines"));
        assert_eq!(hundred_text(&[None, one]).as_deref(), Some("100 %: see the lines"));
        assert_eq!((hundred_text(&[None, None]), hundred_text(&[])), (None, None));
    }
}
