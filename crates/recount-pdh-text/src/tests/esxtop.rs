//! Batch files of esxtop: objects with colons, empty names, cells without a separator, and very many columns.

use super::*;

const HEADER: &str = concat!(
    r#""(PDH-CSV 4.0) (UTC)(0)","\\esx1.example.com\Memory\Memory Overcommit (1 Minute Avg)","#,
    r#""\\esx1.example.com\Group Cpu(1:system)\% Used","\\esx1.example.com\Group Cpu(1:system)\","#,
    r#""-","","\\esx1.example.com\Physical Disk Adapter(vmhba0)\-","#,
    r#""\\esx1.example.com\Vcpu(1:system:1025:helper1-0)\% Wait""\\esx1.example.com\Network Port(vSwitch0:33554433:vmnic0)\Packets/sec","#,
    r#""\\esx1.example.com\Interrupt Vector(0x21)\Count/sec" , "#,
    "\n",
);

fn rows(rows: &[&str]) -> String {
    let mut text = HEADER.to_owned();
    for (second, row) in rows.iter().enumerate() {
        writeln!(text, "\"02/14/2012 20:13:{second:02}\",{row}").expect("a String");
    }
    text
}

#[test]
fn columns_keep_their_values() {
    let text = open(rows(&[
        r#""0.10","1.5","9","","","7","95.25","12","3.00" , "#,
        r#""0.20","2.5","9","","","8","95.50""13","4.00 ","#,
        r#""0.30","3.5" "9","","","9","95.75","14","  5.00""#,
    ]));
    let rows = decode(&text);
    assert!(rows.health.is_sound(), "{:?}", rows.health);
    let shown: Vec<String> =
        cells(&rows.cooked).iter().map(|line| line[17..].replace(r"Z \\esx1.example.com\", " ")).collect();
    let mut expected = Vec::new();
    for (path, values) in [
        (r"Memory\Memory Overcommit (1 Minute Avg)", ["0.1", "0.2", "0.3"]),
        (r"Group Cpu(1:system)\% Used", ["1.5", "2.5", "3.5"]),
        (r"Physical Disk Adapter(vmhba0)\-", ["7", "8", "9"]),
        (r"Vcpu(1:system:1025:helper1-0)\% Wait", ["95.25", "95.5", "95.75"]),
        (r"Network Port(vSwitch0:33554433:vmnic0)\Packets/sec", ["12", "13", "14"]),
        (r"Interrupt Vector(0x21)\Count/sec", ["3", "4", "5"]),
    ] {
        expected
            .extend(values.iter().enumerate().map(|(second, value)| format!("0{second} {path} = {value}")));
    }
    assert_eq!(shown, expected);
    // One note for three columns without a counter.
    let notes: Vec<String> = text.health().findings().iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("3 columns are skipped") && notes[0].contains("the first is column 4"),
        "{notes:?}"
    );
    assert_eq!(&*text.objects()[1].1.name, "Group Cpu");
}

#[test]
fn a_row_that_may_be_shifted_is_left_out() {
    // The header lacks a separator, and so may a row that is short.
    let text = open(rows(&[
        r#""0.10","1.5","9","","","7","95.25","12","3.00""#,
        r#""0.10","1.5","9","","","7","95.25","12""#,
        r#""0.10","1.5","9","","","7","95.25","12","3.00","#,
    ]));
    assert_eq!((text.times().len(), text.health().count(FindingKind::Dropped)), (2, 1));
    // In a short row, a value that is not a number may be two values glued together.
    let header = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\O\\A\",\"\\\\H\\O\\B\",\"\\\\H\\O\\C\"\n";
    let text = open(format!(
        "{header}02/14/2012 20:13:01,0.500.25,3\n02/14/2012 20:13:02,1,2,3\n02/14/2012 20:13:03,1,2\n"
    ));
    assert_eq!((text.times().len(), text.health().count(FindingKind::Dropped)), (2, 1));
    assert_eq!(text.health().count(FindingKind::Damaged), 1);
}

#[test]
fn repeated_counters_are_noted_once() {
    let mut header = "\"(PDH-CSV 4.0) (UTC)(0)\"".to_owned();
    let mut row = "\"02/14/2012 20:13:15\"".to_owned();
    for at in 0..100 {
        write!(header, ",\"\\\\esx\\Group Cpu({}:vm)\\% Used\"", at % 10).expect("a String");
        write!(row, ",\"{at}.00\"").expect("a String");
    }
    let text = open(format!("{header}\n{row}\n"));
    assert_eq!(text.health().total(), 1);
    let finding = &text.health().findings()[0];
    assert!(finding.what.starts_with("90 columns are skipped"), "{finding}");
    assert_eq!(decode(&text).cooked[0].columns[0].values, (0..10).map(f64::from).collect::<Vec<_>>());
}

/// As in an esxtop file with many virtual machines.
#[test]
fn seventeen_thousand_columns_are_read() {
    const NUM_COLUMNS: usize = 17_427;
    let mut text = "\"(PDH-CSV 4.0) (UTC)(0)\"".to_owned();
    for at in 0..NUM_COLUMNS {
        let (vm, counter) = (at / 30, at % 30);
        write!(text, ",\"\\\\esx1\\Group Cpu({vm}:vm{vm})\\Counter {counter}\"").expect("a String");
    }
    for second in 0..4 {
        write!(text, "\n\"02/14/2012 20:13:{second:02}\"").expect("a String");
        (0..NUM_COLUMNS).for_each(|at| write!(text, ",\"{}.25\"", at + second).expect("a String"));
    }
    let text = open(text);
    let rows = decode(&text);
    assert_eq!(
        (text.section(0).layout.targets.len(), text.times().len(), rows.cooked.len()),
        (NUM_COLUMNS, 4, 1)
    );
    let cooked = &rows.cooked[0];
    for at in [0, 29, 30, 17_426] {
        let (vm, counter) = (at / 30, at % 30);
        let cell = 3 * cooked.instances.len() + vm;
        assert_eq!(cooked.columns[counter].value_at(cell), Some(at as f64 + 3.25));
    }
}
