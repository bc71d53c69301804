//! Numbers in files of `/proc`, found by name.
//!
//! The `procfs` crate builds a map of all lines of such a file. Here most lines aren't needed, and the needed
//! ones have the same order in every sample. So they are located once, and afterwards each line is compared
//! only with the next wanted one, without a map or an allocation.

/// The text format of a file, and how its fields are named here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `NAME VALUE` or `NAME: VALUE unit`, one per line; only the first value of a line counts: `MemTotal`.
    Named,
    /// A line of names and one of values, both after `GROUP:`, as in `/proc/net/snmp`: `Tcp.InSegs`.
    Pairs,
    /// `GROUP: NAME VALUE NAME VALUE ...`, one per line, as in `/proc/net/sockstat`: `TCP.tw`.
    Keyed,
    /// `some avg10=... total=VALUE`, one per line, as in `/proc/pressure`: `some`.
    Pressure,
    /// A sequence of numbers with anything between them: `0` is the first.
    Positional,
}

/// The wanted fields of one file.
#[derive(Debug)]
pub(super) struct Fields {
    form: Form,
    /// In the order of the file.
    wanted: Vec<&'static str>,
    values: Vec<u64>,
}

impl Fields {
    /// The fields of `names` that are in `text`.
    pub(super) fn find(form: Form, text: &str, names: &[&'static str]) -> Fields {
        let mut wanted: Vec<&'static str> = Vec::new();
        scan(form, text, &mut |group, name, value| {
            let found = names.iter().find(|wanted| matches(form, wanted, group, name));
            if let Some(found) = found
                && number(value).is_some()
                && !wanted.contains(found)
            {
                wanted.push(found);
            }
        });
        let values = vec![0; wanted.len()];
        Fields { form, wanted, values }
    }

    /// The position of a field's value in [`Fields::values`]; `None` if the file doesn't have it.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.wanted.iter().position(|wanted| *wanted == name)
    }

    /// Reads the values from a later text of the file. The error is the name of the first field that isn't
    /// where it was before; the values are then unusable.
    pub(super) fn read(&mut self, text: &str) -> Result<(), &'static str> {
        let mut next = 0;
        let (form, wanted, values) = (self.form, &self.wanted, &mut self.values);
        scan(form, text, &mut |group, name, value| {
            if let Some(field) = wanted.get(next)
                && matches(form, field, group, name)
                && let Some(value) = number(value)
            {
                values[next] = value;
                next += 1;
            }
        });
        self.wanted.get(next).map_or(Ok(()), |missing| Err(missing))
    }

    /// The values read last.
    pub(super) fn values(&self) -> &[u64] {
        &self.values
    }
}

/// Whether `field` means `name` in `group`.
fn matches(form: Form, field: &str, group: &str, name: &str) -> bool {
    match form {
        Form::Named | Form::Pressure | Form::Positional => field == name,
        Form::Pairs | Form::Keyed => field.split_once('.') == Some((group, name)),
    }
}

/// Calls back with every field: group, name, and the text starting with its value.
fn scan<'t>(form: Form, text: &'t str, visit: &mut dyn FnMut(&'t str, &'t str, &'t str)) {
    match form {
        Form::Named => text.split('\n').for_each(|line| {
            if let Some((name, value)) = line.split_once([' ', '\t']) {
                visit("", name.strip_suffix(':').unwrap_or(name), value.trim_start());
            }
        }),
        Form::Pairs => scan_pairs(text, visit),
        Form::Keyed => text.split('\n').filter_map(|line| line.split_once(": ")).for_each(|(group, line)| {
            let mut words = line.split_ascii_whitespace();
            while let (Some(name), Some(value)) = (words.next(), words.next()) {
                visit(group, name, value);
            }
        }),
        Form::Pressure => text.split('\n').for_each(|line| {
            if let (Some((name, _)), Some((_, total))) = (line.split_once(' '), line.split_once(" total=")) {
                visit("", name, total);
            }
        }),
        Form::Positional => {
            let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
            for (name, value) in POSITIONS.iter().zip(numbers) {
                visit("", name, value);
            }
        }
    }
}

/// Names for fields without a name.
const POSITIONS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

fn scan_pairs<'t>(text: &'t str, visit: &mut dyn FnMut(&'t str, &'t str, &'t str)) {
    let mut names: Option<(&str, &str)> = None;
    for line in text.split('\n').filter_map(|line| line.split_once(": ")) {
        match names.take() {
            Some((group, names)) if group == line.0 => {
                for (name, value) in names.split(' ').zip(line.1.split(' ')) {
                    visit(group, name, value);
                }
            }
            // A line of names. A preceding line of names without values is skipped.
            _ => names = Some(line),
        }
    }
}

/// The decimal number at the beginning of a text; `None` if there is none or it exceeds 64 bits.
pub(super) fn number(text: &str) -> Option<u64> {
    let mut value: Option<u64> = None;
    for digit in text.bytes().take_while(u8::is_ascii_digit) {
        let tens = value.unwrap_or(0).checked_mul(10)?;
        value = Some(tens.checked_add(u64::from(digit - b'0'))?);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(form: Form, text: &str, names: &[&'static str]) -> Vec<Option<u64>> {
        let mut fields = Fields::find(form, text, names);
        fields.read(text).expect("the same text");
        names.iter().map(|name| fields.position(name).map(|at| fields.values()[at])).collect()
    }

    #[test]
    fn every_form_is_read() {
        let meminfo =
            "MemTotal:       24684092 kB\nMemFree:        21576080 kB\nActive(file):     399352 kB\n";
        assert_eq!(
            read(Form::Named, meminfo, &["Active(file)", "MemTotal", "Mem"]),
            [Some(399_352), Some(24_684_092), None]
        );
        let stat = "cpu  1 2 3\nintr 7992112 5 6\nctxt 15826228\n";
        assert_eq!(read(Form::Named, stat, &["ctxt", "intr"]), [Some(15_826_228), Some(7_992_112)]);
        let snmp6 = "Ip6InReceives                   \t2\nIp6OutRequests                  \t13\n";
        assert_eq!(read(Form::Named, snmp6, &["Ip6OutRequests"]), [Some(13)]);
        let snmp = "Tcp: MaxConn InSegs\nTcp: -1 32381\nUdp: InDatagrams\nUdp: 286\nUdpLite: InDatagrams\nUdpLite: 4\n";
        assert_eq!(
            read(Form::Pairs, snmp, &["Tcp.MaxConn", "Tcp.InSegs", "UdpLite.InDatagrams", "Udp.InDatagrams"]),
            [None, Some(32_381), Some(4), Some(286)]
        );
        let sockstat = "sockets: used 14\nTCP: inuse 1 orphan 0 tw 2 alloc 1 mem 14\n";
        assert_eq!(read(Form::Keyed, sockstat, &["TCP.tw", "UDP.mem"]), [Some(2), None]);
        let pressure = "some avg10=10.47 avg60=2.50 avg300=0.76 total=1103526826\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(read(Form::Pressure, pressure, &["full", "some"]), [Some(7), Some(1_103_526_826)]);
        let loadavg = "0.23 0.07 0.19 4/95 3283\n";
        assert_eq!(read(Form::Positional, loadavg, &["0", "3", "7"]), [Some(0), Some(7), Some(95)]);
    }

    #[test]
    fn a_field_that_has_gone_is_reported() {
        let mut fields = Fields::find(Form::Named, "a 1\nb 2\nc 3\n", &["a", "c"]);
        assert_eq!(fields.read("a 5\nnew 6\nc 7\n"), Ok(()));
        assert_eq!(fields.values(), [5, 7]);
        assert_eq!(fields.read("a 5\n"), Err("c"));
        assert_eq!(fields.read("a x\nc 7\n"), Err("a"));
        assert_eq!(fields.read(""), Err("a"));
    }

    #[test]
    fn numbers_are_checked() {
        assert_eq!(number("18446744073709551615 kB"), Some(u64::MAX));
        assert_eq!(number("18446744073709551616"), None);
        assert_eq!((number(""), number("-1"), number("0")), (None, None, Some(0)));
    }
}
