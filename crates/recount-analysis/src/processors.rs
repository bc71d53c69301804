//! Processors, which have two names in Windows: large machines have them in groups.

use recount_model::CounterPath;
use recount_tables::processes::PROCESSORS;

/// The path of a processor's counter by its other name; a processor of the first group goes by its number alone:
/// `Processor(3)` for `Processor Information(0,3)`.
pub(crate) fn by_other_name(path: &CounterPath) -> Option<CounterPath> {
    let [of_all, of_groups] = PROCESSORS;
    let instance = path.instance.as_deref()?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (object, instance) = if path.object.eq_ignore_ascii_case(of_all) {
        (of_groups, if is_number(instance) { format!("0,{instance}") } else { instance.to_owned() })
    } else if path.object.eq_ignore_ascii_case(of_groups) {
        let number = instance.strip_prefix("0,").filter(|number| is_number(number));
        (of_all, number.unwrap_or(instance).to_owned())
    } else {
        return None;
    };
    Some(CounterPath { object: object.to_owned(), instance: Some(instance), ..path.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_goes_by_its_number() {
        let other = |path: &str| {
            by_other_name(&path.parse().expect("a path")).map(|path| path.to_string()).unwrap_or_default()
        };
        for (one, two) in [
            (r"\\a\Processor Information(0,3)\% User Time", r"\\a\Processor(3)\% User Time"),
            (r"\Processor Information(_Total)\% User Time", r"\Processor(_Total)\% User Time"),
        ] {
            assert_eq!((other(one).as_str(), other(two).as_str()), (two, one));
        }
        assert_eq!(other(r"\Processor Information(1,3)\% User Time"), r"\Processor(1,3)\% User Time");
        assert_eq!(
            other(r"\Processor Information(0,_Total)\% User Time"),
            r"\Processor(0,_Total)\% User Time"
        );
        assert_eq!(other(r"\System\Threads"), "");
    }
}
