//! Whole files: forms of thresholds, encodings, files that aren't threshold files, and damaged files.

use std::fmt::Write as _;

use proptest::prelude::*;
use toml::Table;

use super::{Imported, PalError, Untranslated};
use recount_analysis::rules::parse_rules;

fn import(xml: &[u8], name: &str) -> Result<Imported, PalError> {
    super::import(xml, name, &|_| None)
}

const WEB_SERVER: &str = include_str!("../tests/pal/WebServer.xml");

fn of_web_server() -> Imported {
    import(WEB_SERVER.as_bytes(), "C:\\PAL\\WebServer.xml").expect("a threshold file")
}

/// A file of one analysis, one data source `$C`, and one threshold with this code.
fn file_of(code: &str) -> String {
    format!(
        r#"<PAL NAME="n"><ANALYSIS NAME="a" ENABLED="True" CATEGORY="c">
<DATASOURCE TYPE="CounterLog" COLLECTIONVARNAME="C" EXPRESSIONPATH="\O(*)\X"/>
<THRESHOLD NAME="t" CONDITION="Warning"><CODE><![CDATA[{code}]]></CODE></THRESHOLD></ANALYSIS></PAL>"#
    )
}

fn list(untranslated: &[Untranslated]) -> String {
    untranslated.iter().fold(String::new(), |mut list, entry| {
        let Untranslated { analysis, threshold, line, reason, .. } = entry;
        let threshold = threshold.as_deref().unwrap_or("-");
        writeln!(list, "{line}\t{analysis}\t{threshold}\t{reason}").expect("a string");
        list
    })
}

/// Compares with a file next to the fixture; `RECOUNT_BLESS=1` rewrites it.
fn assert_is(found: &str, name: &str) {
    let path = format!("{}/tests/pal/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("RECOUNT_BLESS").is_some() {
        std::fs::write(&path, found).expect(&path);
    }
    assert_eq!(found, std::fs::read_to_string(&path).expect(&path), "{name}");
}

#[test]
fn every_form_becomes_what_is_beside_the_fixture() {
    let imported = of_web_server();
    assert_is(&imported.toml, "WebServer.toml");
    assert_is(&list(&imported.untranslated), "WebServer.untranslated.txt");
}

#[test]
fn each_threshold_is_a_rule_or_an_entry() {
    let imported = of_web_server();
    let file = &imported.files[0];
    assert_eq!((imported.files.len(), file.num_analyses, file.num_thresholds), (1, 14, 27));
    assert_eq!((file.num_translated, imported.num_rules), (15, 16));
    let left: Vec<_> = imported.untranslated.iter().filter(|entry| entry.threshold.is_some()).collect();
    assert_eq!(WEB_SERVER.matches("<THRESHOLD ").count(), file.num_translated + left.len());
    for entry in &imported.untranslated {
        let line = WEB_SERVER.lines().nth(entry.line as usize - 1).expect("a line of the file");
        let name = entry.threshold.as_ref().unwrap_or(&entry.analysis);
        assert!(
            line.contains(&format!("NAME=\"{name}\"")) || line.contains("<INHERITANCE"),
            "{entry:?}: {line}"
        );
    }
}

/// Paths and links with arbitrary characters, ids and groups without letters: the set is valid.
#[test]
fn what_is_imported_passes_the_check() {
    let set = parse_rules(&of_web_server().toml).expect("sound");
    assert_eq!(set.rules.len(), of_web_server().num_rules);
    let text = "See <a href='http://a.example/x`y'>x</a>, http://b.example/ü and https://c.example/{1}.";
    let xml = file_of("StaticThreshold $C gt 1")
        .replace("</ANALYSIS>", &format!("<DESCRIPTION><![CDATA[{text}]]></DESCRIPTION></ANALYSIS>"))
        .replace("NAME=\"a\"", "NAME=\"测\"")
        .replace("CATEGORY=\"c\"", "CATEGORY=\"测\"")
        .replace(r"\O(*)\X", r"\测(*)\X");
    let imported = import(xml.as_bytes(), "测.xml").expect("a threshold file");
    let set = parse_rules(&imported.toml).expect("sound");
    assert_eq!((set.rules.len(), set.rules[0].group.as_str(), set.rules[0].id.as_str()), (1, "pal", "t"));
    assert_eq!(set.rules[0].links, ["https://c.example/{1}"]);
}

/// Two files with one analysis each, the second inherited: its questions count, but an analysis of the same
/// name doesn't.
#[test]
fn inherited_files_are_read() {
    let own = r#"<PAL NAME="n"><INHERITANCE FILEPATH="Base.xml"/><INHERITANCE FILEPATH="Gone.xml"/>
<ANALYSIS NAME="a" ENABLED="True" CATEGORY="c">
<DATASOURCE TYPE="CounterLog" COLLECTIONVARNAME="C" EXPRESSIONPATH="\O(*)\X"/>
<THRESHOLD NAME="t" CONDITION="Waning" COLOR="Red"><CODE>$x = [Int]$Limit * 2
StaticThreshold $C gt $x</CODE></THRESHOLD></ANALYSIS></PAL>"#;
    let base = r#"<PAL NAME="b"><INHERITANCE FILEPATH="C:\PAL\own.xml"/>
<QUESTION QUESTIONVARNAME="Limit" DATATYPE="string" DEFAULTVALUE="21">How many?</QUESTION>
<ANALYSIS NAME="A"><THRESHOLD NAME="u"/></ANALYSIS>
<ANALYSIS NAME="b"><DATASOURCE TYPE="CounterLog" COLLECTIONVARNAME="D" EXPRESSIONPATH="\P\Y"/>
<THRESHOLD NAME="v" CONDITION="Warning"><CODE>StaticThreshold $D lt 5</CODE></THRESHOLD></ANALYSIS></PAL>"#;
    let beside = |name: &str| (name == "Base.xml").then(|| base.as_bytes().to_vec());
    let imported = super::import(own.as_bytes(), "own.xml", &beside).expect("a threshold file");
    let counts: Vec<_> = imported
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.num_thresholds, file.num_translated))
        .collect();
    assert_eq!(counts, [("own.xml", 1, 1), ("Base.xml", 1, 1)]);
    assert_eq!(
        list(&imported.untranslated),
        "1\t\t-\tinherits the thresholds of Gone.xml, which isn't in the same directory; import that file, too\n"
    );
    assert_eq!(imported.missing, ["Gone.xml"]);
    let set = parse_rules(&imported.toml).expect("sound");
    let rules: Vec<_> =
        set.rules.iter().map(|rule| (rule.severity.as_str(), rule.threshold.text.as_str())).collect();
    assert_eq!(rules, [("critical", "> 42"), ("warning", "< 5")]);
    assert!(set.rules[0].source.ends_with("(with $Limit = 21, the default)"), "{}", set.rules[0].source);
}

/// The counter or expression, aggregate and threshold of each rule.
fn judged(xml: &str) -> Vec<(String, String, String)> {
    let imported = import(xml.as_bytes(), "x.xml").expect("a threshold file");
    assert_eq!(imported.untranslated, [], "{xml}");
    parse_rules(&imported.toml).expect("sound");
    let table: Table = imported.toml.parse().expect("TOML");
    let text =
        |rule: &toml::Value, key: &str| rule.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    let rules = table["rule"].as_array().expect("rules").iter();
    rules
        .map(|rule| {
            let subject = text(rule, "counter").or_else(|| text(rule, "expr")).expect("a subject");
            (subject, text(rule, "aggregate").expect("one"), text(rule, "threshold").expect("one"))
        })
        .collect()
}

const READS: &str = r#"<DATASOURCE TYPE="CounterLog" COLLECTIONVARNAME="Reads" EXPRESSIONPATH="\MSSQL:Disk\Reads/sec" ISCOUNTEROBJECTREGULAREXPRESSION="True" REGULAREXPRESSIONCOUNTERPATH="\(MSSQL|SQLServer).*:Disk\Reads/sec"/>
<DATASOURCE TYPE="CounterLog" COLLECTIONVARNAME="Writes" EXPRESSIONPATH="\Disk(*)\Writes/sec"/>"#;

#[test]
fn generated_data_sources_become_expressions() {
    let generated = r#"<DATASOURCE TYPE="Generated" COLLECTIONVARNAME="Ratio" EXPRESSIONPATH="\PAL Generated(*)\Ratio"><CODE><![CDATA[
$Ratio = @{}
For ($i=0;$i -lt $Reads.Count;$i++)
{
    For ($a=0;$a -lt $Writes.Count;$a++) { If ($Reads[$i].CounterInstance -eq $Writes[$a].CounterInstance) { $b = $a } }
    $values = New-Object System.Collections.ArrayList
    For ($v=0;$v -lt $Reads[$i].Value.Count;$v++)
    {
        If (($Reads[$i].QuantizedAvg[$v] -gt 0) -and (IsGreaterThanZero $Writes[$b].Value[$v]))
        {
            [int]$r = ([double]$Reads[$i].Value[$v] / ([double]$Writes[$b].Value[$v] + 1)) * 100
            [void] $values.Add($r)
        }
        Else { [void] $values.Add(0) }
    }
    $name = "\$($Reads[$i].CounterComputer)\PAL Generated\Ratio"
    $Ratio.Add($name,$values)
}
]]></CODE></DATASOURCE>"#;
    let sources = format!("{READS}{generated}</ANALYSIS>");
    let xml = file_of("StaticThreshold $Ratio gt 10").replacen("</ANALYSIS>", &sources, 1);
    let expected = r#"if("\*:Disk\Reads/sec" > 0 and "\Disk(*)\Writes/sec" > 0, "\*:Disk\Reads/sec" / ("\Disk(*)\Writes/sec" + 1) * 100, 0)"#;
    assert_eq!(judged(&xml), [(expected.to_owned(), "any".to_owned(), "> 10".to_owned())]);
}

/// As in PAL's "`LogicalDisk` Disk Overwhelmed": the values are constants, and counters are in conditions only.
#[test]
fn generated_data_sources_exclude_what_they_and_their_counters_exclude() {
    let sources = r#"<DATASOURCE TYPE="CounterLog" COLLECTIONVARNAME="Queue" EXPRESSIONPATH="\Disk(*)\Queue"><EXCLUDE INSTANCE="_Total"/></DATASOURCE>
<DATASOURCE TYPE="CounterLog" COLLECTIONVARNAME="Time" EXPRESSIONPATH="\Disk(*)\Time"><EXCLUDE INSTANCE="_Total"/><EXCLUDE INSTANCE="Volume1"/></DATASOURCE>
<DATASOURCE TYPE="Generated" COLLECTIONVARNAME="Busy" EXPRESSIONPATH="\Disk(*)\Disk Overwhelmed"><CODE><![CDATA[
$Busy = @{}
For ($i=0;$i -lt $Queue.Count;$i++)
{
    $OneQueue = $Queue[$i]
    For ($a=0;$a -lt $Time.Count;$a++)
    {
        If ($OneQueue.CounterInstance -eq $Time[$a].CounterInstance)
        {
            $OneTime = $Time[$a]
        }
    }
    $alValues = New-Object System.Collections.ArrayList
    For ($v=0;$v -lt $OneQueue.Value.Count;$v++)
    {
        If (($OneQueue.Value[$v] -ge 1) -and ($OneTime.Value[$v] -gt 0.015))
        {
            [void] $alValues.Add(2)
        }
        Else
        {
            [void] $alValues.Add(0)
        }
    }
    $name = "\\$($OneQueue.CounterComputer)\$($OneQueue.CounterObject)($($OneQueue.CounterInstance))\Disk Overwhelmed"
    $Busy.Add($name,$alValues)
}
]]></CODE><EXCLUDE INSTANCE="D:"/></DATASOURCE></ANALYSIS>"#;
    let xml = file_of("StaticThreshold $Busy ge 2").replacen("</ANALYSIS>", sources, 1);
    let expected = r#"if("\Disk(*)\Queue" >= 1 and "\Disk(*)\Time" > 0.015, 2, 0)"#;
    assert_eq!(judged(&xml), [(expected.to_owned(), "any".to_owned(), ">= 2".to_owned())]);
    let rule = first_rule(&xml);
    let excluded: Vec<_> =
        rule["exclude"].as_array().expect("a list").iter().map(|name| name.as_str()).collect();
    assert_eq!(excluded, [Some("D:"), Some("_Total"), Some("Volume1")]);
    assert_eq!(rule["measure"].as_str(), Some("Disk Overwhelmed"));
}

fn first_rule(xml: &str) -> Table {
    let imported = import(xml.as_bytes(), "x.xml").expect("a threshold file");
    let table: Table = imported.toml.parse().expect("TOML");
    table["rule"][0].as_table().expect("a rule").clone()
}

/// A finding shows the value of an expression, so the rule says what that is.
#[test]
fn expressions_say_what_they_measure() {
    let with_writes = |code: &str| file_of(code).replacen("</ANALYSIS>", &format!("{READS}</ANALYSIS>"), 1);
    let measure = |code: &str| {
        first_rule(&with_writes(code)).get("measure").and_then(|value| value.as_str()).map(str::to_owned)
    };
    assert_eq!(measure("StaticThreshold $C gt 5"), None);
    let per_instance = "$n = $Writes.Count - 1\n$t = $n * 2\nStaticThreshold $C ge $t";
    assert_eq!(measure(per_instance).as_deref(), Some("X per instance of Disk"));
    let relative = "$t = $Writes.Count + 2\nStaticThreshold $C ge $t";
    assert_eq!(measure(relative).as_deref(), Some("X less its limit"));
}

#[test]
fn a_total_that_is_subtracted_twice_is_reported() {
    let remark = "it subtracts 1 from a count from which _Total is excluded already";
    let code = "$t = ($Writes.Count - 1) * 2\nStaticThreshold $C ge $t";
    let xml = file_of(code).replacen("</ANALYSIS>", &format!("{READS}</ANALYSIS>"), 1);
    assert!(!first_rule(&xml)["source"].to_string().contains(remark));
    let excluding = xml.replace(
        r#"EXPRESSIONPATH="\Disk(*)\Writes/sec"/>"#,
        r#"EXPRESSIONPATH="\Disk(*)\Writes/sec"><EXCLUDE INSTANCE="_Total"/></DATASOURCE>"#,
    );
    let rule = first_rule(&excluding);
    assert!(rule["source"].to_string().contains(remark), "{rule}");
    assert_eq!(rule["expr"].as_str(), Some(r#""\O(*)\X" - ((count("\Disk(*)\Writes/sec") - 1) * 2)"#));
}

#[test]
fn what_is_left_is_counted_by_reason() {
    let kind = |code: &str| {
        let imported = import(file_of(code).as_bytes(), "x.xml").expect("a threshold file");
        imported.untranslated.first().map(|left| left.kind)
    };
    assert_eq!(kind("StaticThreshold -Collection $C -Operator 'eq' -Threshold 1"), Some("other operators"));
    assert_eq!(
        kind("StaticThreshold -CollectionOfCounterInstances $C -Operator 'eq' -Threshold 1"),
        Some("other operators")
    );
}

#[test]
fn limits_per_instance_become_ratios() {
    let code = "[Int] $n = $Writes.Count - 1
If ($n -eq 0) { $n = 1 }
$t = $n * 2
StaticThreshold $C ge $t";
    let xml = file_of(code).replacen("</ANALYSIS>", &format!("{READS}</ANALYSIS>"), 1);
    let expected = r#""\O(*)\X" / count("\Disk(*)\Writes/sec")"#;
    assert_eq!(judged(&xml), [(expected.to_owned(), "any".to_owned(), ">= 2".to_owned())]);
}

#[test]
fn alerts_of_loops_become_rules() {
    let code = "For ($i=0;$i -lt $C.Count;$i++)
{
    $o = $C[$i]
    For ($t=0;$t -lt $alQuantizedTime.Count;$t++)
    {
        $avg = $False; $max = $False
        If ($o.QuantizedAvg[$t] -ge 10) { $avg = $True }
        If (($o.QuantizedMax[$t] -ne '-') -and ($o.QuantizedMax[$t] -ge 100)) { $max = $True }
        If (($avg -eq $True) -or ($max -eq $True))
        {
            CreateAlert -TimeSliceIndex $t -CounterInstanceObject $o -IsAvgThresholdBroken $avg -IsMaxThresholdBroken $max
        }
    }
}";
    let counter = || r"\O(*)\X".to_owned();
    let expected = [
        (counter(), "mean".to_owned(), ">= 10".to_owned()),
        (counter(), "any".to_owned(), ">= 100".to_owned()),
    ];
    assert_eq!(judged(&file_of(code)), expected);
}

#[test]
fn paths_are_counter_paths_and_written_as_people_write_them() {
    let imported = of_web_server();
    assert!(imported.toml.contains("counter = '\\LogicalDisk(*)\\Avg. Disk sec/Read'\n"));
    let table: Table = imported.toml.parse().expect("TOML");
    for rule in table["rule"].as_array().expect("rules") {
        rule["counter"]
            .as_str()
            .expect("a path")
            .parse::<recount_model::CounterPath>()
            .expect("a counter path");
    }
}

#[test]
fn an_enabled_file_without_translatable_thresholds_is_a_set_without_rules() {
    let imported = import(file_of("CreateAlert").as_bytes(), "Some Thing.xml").expect("a threshold file");
    assert_eq!((imported.num_rules, imported.untranslated.len()), (0, 1));
    let table: Table = imported.toml.parse().expect("TOML");
    assert_eq!(table["set"]["name"].as_str(), Some("pal-some-thing"));
    assert!(!table.contains_key("rule"));
}

#[test]
fn every_encoding_of_the_file_gives_the_same() {
    let expected = of_web_server();
    let marked = format!("\u{feff}{WEB_SERVER}");
    let bytes_of =
        |text: &str, unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    for bytes in [
        marked.as_bytes().to_vec(),
        bytes_of(&marked, u16::to_le_bytes),
        bytes_of(&marked, u16::to_be_bytes),
        bytes_of(WEB_SERVER, u16::to_le_bytes),
        bytes_of(WEB_SERVER, u16::to_be_bytes),
    ] {
        assert_eq!(import(&bytes, "WebServer.xml").expect("a threshold file"), expected);
    }
}

fn message(bytes: &[u8]) -> String {
    import(bytes, "x.xml").expect_err("no threshold file").to_string()
}

#[test]
fn errors_have_the_line_and_what_to_do() {
    assert_eq!(
        message(b"<PAL>\n\n\xe9</PAL>"),
        "line 3: the file isn't valid UTF-8 here; save it as UTF-8 and import it again"
    );
    assert_eq!(
        message(b"\xff\xfe<\0P\0\n\0\x00\xdc>\0"),
        "line 2: the file isn't valid UTF-16 here; save it as UTF-8 and import it again"
    );
    assert!(message(b"\xff\xfe<\0P").starts_with("line 1: the file isn't valid UTF-16"));
    assert!(
        message(b"<!-- x -->\n<html/>")
            .starts_with("line 2: a PAL threshold file begins with the element PAL")
    );
    let unlike = "line 2: not XML as PAL writes it: ";
    assert!(message(b"<PAL>\n<A></B></PAL>").starts_with(&format!("{unlike}expected 'A' tag, not 'B'")));
    assert!(message(b"<PAL>\n<A>").starts_with(&format!("{unlike}the file ends inside an element")));
    assert!(
        message(b"<?xml version='1.0'?>\n<!DOCTYPE PAL []><PAL/>")
            .starts_with(&format!("{unlike}a document type"))
    );
    assert_eq!(message(b""), "line 1: not XML as PAL writes it: it has no element");
}

#[test]
fn what_is_larger_than_any_threshold_file_is_refused_before_it_takes_memory() {
    assert!(matches!(import(&vec![b' '; (8 << 20) + 1], "x"), Err(PalError::TooLarge { .. })));
    let many = |part: &str, num: usize| format!("<PAL>\n{}</PAL>", part.repeat(num));
    // Nested as deeply as the limit of nodes allows: neither the parser nor the walk recurses.
    let nested = format!("<PAL>{}{}</PAL>", "<A>".repeat(200_000), "</A>".repeat(200_000));
    assert_eq!(import(nested.as_bytes(), "x").map(|imported| imported.num_rules), Ok(0));
    for hostile in [
        many("<A/>", 600_000),
        format!("<PAL\n {}/>", (0..1_500).fold(String::new(), |all, n| format!("{all} a{n}=''"))),
        many("<A xmlns:b='c'/>", 200),
        many("<ANALYSIS><THRESHOLD/></ANALYSIS>", 6_000),
        file_of("")
            .replace("</ANALYSIS>", &format!("{}</ANALYSIS>", "<THRESHOLD CONDITION='x'/>".repeat(6_000))),
    ] {
        assert!(matches!(import(hostile.as_bytes(), "x"), Err(PalError::TooMany { .. })), "{hostile:.60}");
    }
}

#[test]
fn long_names_and_texts_are_cut() {
    let long = "x ".repeat(100_000);
    let xml = file_of("StaticThreshold $C gt 1")
        .replace("\"a\"", &format!("\"{long}\""))
        .replace("\"t\"", &format!("\"{long}\""))
        .replace("</ANALYSIS>", &format!("<DESCRIPTION>{long}</DESCRIPTION></ANALYSIS>"));
    let imported = import(xml.as_bytes(), &long).expect("a threshold file");
    assert_eq!(imported.num_rules, 1);
    assert!(imported.toml.len() < 12_000, "{}", imported.toml.len());
}

#[test]
fn texts_that_look_like_toml_stay_texts() {
    let evil = "\"\"\" ''' \\ \"\n[[rule]]\nid = 'x' # \u{202e}&#8;";
    let xml = file_of("StaticThreshold $C gt 1")
        .replace("</ANALYSIS>", &format!("<DESCRIPTION><![CDATA[{evil}]]></DESCRIPTION></ANALYSIS>"));
    let xml = xml.replace("NAME=\"n\"", "NAME='\"\"\"&#10;[[rule]]' CONTENTOWNERS='&#10;[[rule]]'");
    let imported = import(xml.as_bytes(), "a\n[b]'\"\".xml").expect("a threshold file");
    let table: Table = imported.toml.parse().expect("TOML");
    assert_eq!(table.len(), 2);
    let rules = table["rule"].as_array().expect("rules");
    assert_eq!(rules.len(), 1);
    let expected = "\"\"\" ''' \\ \" [[rule]] id = 'x' # \u{202e}";
    assert_eq!(rules[0]["explanation"].as_str(), Some(expected));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// The file with some of its bytes changed: an error, or TOML with all the rules.
    #[test]
    fn damaged_files_never_panic(changes in prop::collection::vec((0..WEB_SERVER.len(), any::<u8>()), 1..6)) {
        let mut bytes = WEB_SERVER.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        if let Ok(imported) = import(&bytes, "x.xml") {
            let table: Table = imported.toml.parse().expect("TOML");
            let num_rules = table.get("rule").and_then(|rules| rules.as_array()).map_or(0, Vec::len);
            prop_assert_eq!(num_rules, imported.num_rules);
        }
    }

    /// Any code becomes a rule with a finite threshold, or an entry.
    #[test]
    fn any_code_is_a_rule_or_an_entry(code in "(StaticThreshold|If|\\$C|-Op|-T|gt|'|\"|\\(|\\)|`|#|<#|;|\n| |[0-9.+*/%-]|MB|0x|\\[int\\]|\\PC){0,24}") {
        let xml = file_of(&code.replace("]]>", ""));
        if let Ok(imported) = import(xml.as_bytes(), "x.xml") {
            prop_assert_eq!(imported.num_rules == 0, imported.untranslated.len() == 1);
            imported.toml.parse::<Table>().expect("TOML");
        }
    }

    #[test]
    fn any_description_is_plain_text(html in "(<|>|</|<a href=|<p>|<li>|<br>|<script>|<!--|-->|&|&amp;|&#|;|x|'|\"|http://|\n|\\PC){0,40}") {
        let description = super::html::to_plain(&html);
        for link in &description.links {
            let is_web = link.to_lowercase().starts_with("http://") || link.to_lowercase().starts_with("https://");
            prop_assert!(is_web && !link.contains(['<', '>', '"', ' ']), "{}", link);
        }
        prop_assert!(!description.text().contains(|c: char| c.is_control() && c != '\n'));
        prop_assert!(!description.text().contains("\n\n\n"));
    }
}
