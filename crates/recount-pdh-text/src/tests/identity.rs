//! Processes are followed by the ids that the rows have.

use super::*;

/// A text of the object `Process` of `svchost` and its namesakes: per row, the pid, memory and processor time of each.
fn processes(rows: &[&str]) -> String {
    text_of(
        &[
            r"Process(svchost)\ID Process",
            r"Process(svchost#1)\ID Process",
            r"Process(svchost#2)\ID Process",
            r"Process(svchost)\Private Bytes",
            r"Process(svchost#1)\Private Bytes",
            r"Process(svchost#2)\Private Bytes",
        ],
        rows,
    )
}

fn text_of(paths: &[&str], rows: &[&str]) -> String {
    let header = paths.iter().map(|path| format!(",\"\\\\WEB1\\{path}\"")).collect::<Vec<_>>().concat();
    let line = |(minute, row): (usize, &&str)| {
        let cells = row.split('|').map(|cell| format!(",\"{}\"", cell.trim())).collect::<Vec<_>>().concat();
        format!("\"03/06/2026 08:{minute:02}:00.000\"{cells}\r\n")
    };
    let rows: String = rows.iter().enumerate().map(line).collect();
    format!("\"(PDH-CSV 4.0) (UTC)(0)\"{header}\r\n{rows}")
}

/// Per stretch: its values of the last counter, and its instances: shown name, id, and whether it goes on.
fn stretches(cooked: &[Cooked]) -> Vec<String> {
    let shown = |cooked: &Cooked| {
        let instances: Vec<String> = cooked
            .instances
            .iter()
            .zip(&cooked.continued)
            .map(|(instance, goes_on)| {
                let id = instance.id.map_or("-".to_owned(), |id| id.to_string());
                format!("{instance}={id}{}", if *goes_on { "" } else { " new" })
            })
            .collect();
        let column = cooked.columns.last().expect("a column");
        let values: Vec<String> = (0..cooked.num_cells())
            .map(|cell| column.value_at(cell).map_or("-".to_owned(), |value| value.to_string()))
            .collect();
        format!("{}: {}", instances.join(", "), values.join(" "))
    };
    cooked.iter().map(shown).collect()
}

/// The third becomes the second when that ends.
const SHIFT: [&str; 4] = ["10|20|30|1|2|3", "10|20|30|1|2|3.5", "10|30| |1|4| ", "10|30|40|1|5|100"];

#[test]
fn a_process_keeps_its_identity_when_its_number_shifts() {
    let text = open(processes(&SHIFT));
    assert_eq!(
        stretches(&decode(&text).cooked),
        [
            "svchost=10 new, svchost#1=20 new, svchost#2=30 new: 1 2 3 1 2 3.5",
            "svchost=10, svchost#1=30: 1 4",
            "svchost=10, svchost#1=30, svchost#2=40 new: 1 5 100",
        ]
    );
}

#[test]
fn cuts_and_selections_do_not_change_who_is_who() {
    let text = open(processes(&SHIFT));
    let one_by_one: Vec<Cooked> =
        (0..4).flat_map(|row| text.decode(&[row], &Selection::all()).cooked).collect();
    assert_eq!(
        stretches(&one_by_one)[1..],
        [
            "svchost=10, svchost#1=20, svchost#2=30: 1 2 3.5",
            "svchost=10, svchost#1=30: 1 4",
            "svchost=10, svchost#1=30, svchost#2=40 new: 1 5 100",
        ]
    );
    let memory = Selection::from_iter([r"\Process(*)\Private Bytes".parse().expect("a pattern")]);
    let all: Vec<u32> = (0..4).collect();
    let selected = text.decode(&all, &memory).cooked;
    assert_eq!(stretches(&selected), stretches(&decode(&text).cooked));
    assert!(selected.iter().all(|cooked| cooked.columns.len() == 1));
}

/// Of a rate, PDH writes the difference to whatever had the name in the row before. Only what can't be is known to be one.
#[test]
fn a_share_of_two_processes_is_none() {
    let rows = [
        "9|50|7|120|5|5|5",
        "7|1020| | |5|5|5",
        "7|120|0|4|5|5|5",
        "8|201|5|3|5|5|5",
        "8|200| | |5|5|5",
        "6|200|8|9|5|5|5",
    ];
    for (counter, processor, kept) in [
        ("% Processor Time", "% Processor Time", false),
        ("Prozessorzeit (%)", "Prozessorzeit (%)", false),
        ("IO-Lesebytes/s", "% Processor Time", true),
        // How many processors there are isn't known.
        ("% Processor Time", "Interrupts/sec", true),
    ] {
        let columns =
            |name: &str| ["ID Process", counter].map(|counter| format!(r"Process({name})\{counter}"));
        let mut paths: Vec<String> = ["go", "go#1"].into_iter().flat_map(columns).collect();
        paths.extend(["0", "1", "_Total"].map(|name| format!(r"Processor({name})\{processor}")));
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let text = open(text_of(&paths, &rows));
        let changed = |value: &str| if kept { value.to_owned() } else { "-".to_owned() };
        let expected = [
            "go=9 new, go#1=7 new: 50 120".to_owned(),
            format!("go=7: {}", changed("1020")),
            "go=7, go#1=- new: 120 4".to_owned(),
            format!("go=8 new, go#1=5 new: {} 3", changed("201")),
            "go=8: 200".to_owned(),
            "go=6 new, go#1=8: 200 9".to_owned(),
        ];
        let of_processes = |cooked: Vec<Cooked>| {
            let cooked: Vec<Cooked> =
                cooked.into_iter().filter(|one| &*one.object.name == "Process").collect();
            stretches(&cooked)
        };
        assert_eq!(of_processes(decode(&text).cooked), expected, "{counter}");
        let one_by_one = (0..6).flat_map(|row| text.decode(&[row], &Selection::all()).cooked);
        assert_eq!(of_processes(one_by_one.collect()), expected, "{counter}");
    }
}

#[test]
fn another_id_is_another_process() {
    let rows = ["10|20|0|1|2|3", "10|21|0|1|9|3", "10|21|7.5|1|9|3", "0|21| |1|9|4"];
    assert_eq!(
        stretches(&decode(&open(processes(&rows))).cooked),
        [
            "svchost=10 new, svchost#1=20 new, svchost#2=- new: 1 2 3",
            "svchost=10, svchost#1=21 new, svchost#2=-: 1 9 3 1 9 3",
            "svchost=- new, svchost#1=21, svchost#2=-: 1 9 4",
        ]
    );
}

#[test]
fn threads_have_the_ids_of_both() {
    let paths = [
        r"Thread(java/0)\ID Thread",
        r"Thread(java/0#1)\ID Thread",
        r"Thread(java/0)\ID Process",
        r"Thread(java/0#1)\ID Process",
        r"Thread(java/0)\% Processor Time",
        r"Thread(java/0#1)\% Processor Time",
    ];
    let cooked = decode(&open(text_of(&paths, &["5|6|1|2|10|20", "6| |2| |30| "]))).cooked;
    let of = |process: u64, thread: u64| (process << 32) | thread;
    assert_eq!(
        stretches(&cooked),
        [
            format!("java/0={} new, java/0#1={} new: 10 20", of(1, 5), of(2, 6)),
            format!("java/0={}: 30", of(2, 6)),
        ]
    );
}

#[test]
fn ids_are_known_in_other_objects_and_languages() {
    for id in [
        r".NET CLR Memory(w3wp)\Process ID",
        r"Prozess(w3wp)\Prozesskennung",
        r"Processus(w3wp)\ID de processus",
        r"Процесс(w3wp)\Идентификатор процесса",
        r"Job Object Details(w3wp)\ID Process",
    ] {
        let other = id.replace("(w3wp)", "(w3wp#1)");
        let (object, _) = id.split_once('(').expect("an object");
        let value = format!(r"{object}(w3wp#1)\Bytes");
        let first = format!(r"{object}(w3wp)\Bytes");
        let cooked = decode(&open(text_of(&[id, &other, &first, &value], &["1|2|5|6", "2| |7| "]))).cooked;
        assert_eq!(stretches(&cooked), ["w3wp=1 new, w3wp#1=2 new: 5 6", "w3wp=2: 7"], "{id}");
    }
    // 0 is the id of the idle process and of the total, and of no other.
    let zero = [r"Process(Idle)\ID Process", r"Process(_Total)\ID Process", r"Process(w3wp)\ID Process"];
    let cooked = decode(&open(text_of(&zero, &["0|0|0"]))).cooked;
    assert_eq!(stretches(&cooked), ["Idle=0 new, _Total=0 new, w3wp=- new: 0 0 0"]);
    // Who created a process doesn't say who it is.
    let creating = [r"Process(w3wp)\Creating Process ID", r"Process(w3wp)\Private Bytes"];
    let cooked = decode(&open(text_of(&creating, &["1|5", "2|6"]))).cooked;
    assert_eq!(stretches(&cooked), ["w3wp=- new: 5 6"]);
}

#[test]
fn objects_without_ids_are_not_cut() {
    let paths = [r"Process(a)\ID Process", r"Process(a)\Handle Count", r"Processor(0)\% Processor Time"];
    let cooked = decode(&open(text_of(&paths, &["1|5|10", "2|6|20", " | | "]))).cooked;
    assert_eq!(stretches(&cooked), ["a=1 new: 5", "a=2 new: 6", "0=- new: 10 20 -"]);
    // A value without an id is kept.
    let cooked = decode(&open(text_of(&paths, &["1|5|10", " |6|20"]))).cooked;
    assert_eq!(stretches(&cooked), ["a=1 new: 5", "a=- new: 6", "0=- new: 10 20"]);
}
