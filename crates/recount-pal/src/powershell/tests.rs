//! Calls of `StaticThreshold` as written in files.

use super::super::obstacle::Obstacle;
use super::amount::number_of;
use super::call::StaticThreshold;
use super::{Answers, Collections, answer};

fn collections() -> Collections {
    ["c", "d", "e"].map(|name| (name.to_owned(), true)).into()
}

fn static_thresholds(code: &str) -> Result<Vec<StaticThreshold>, Obstacle> {
    let answers: Answers =
        [("cores".to_owned(), answer("4", false)), ("oltp".to_owned(), answer("True", true))].into();
    super::thresholds(code, &collections(), &answers).map(|outcome| outcome.calls)
}

fn known(call: &StaticThreshold) -> f64 {
    number_of(&call.threshold).expect("a known number")
}

/// The only call in some code: collection, condition, whether it compares the trend.
fn call(code: &str) -> Result<(String, String, bool), Obstacle> {
    let calls = static_thresholds(code)?;
    assert_eq!(calls.len(), 1, "{code}");
    let call = &calls[0];
    Ok((call.collection.clone(), format!("{} {}", call.relation.sign(), known(call)), call.is_trend_only))
}

/// The threshold given by the text after `-Threshold`.
fn threshold(text: &str) -> Result<f64, Obstacle> {
    let calls = static_thresholds(&format!("StaticThreshold $C 'gt' {text}"))?;
    Ok(known(&calls[0]))
}

#[test]
fn arguments_are_bound_as_powershell_binds_them() {
    for (code, condition, is_trend_only) in [
        ("StaticThreshold -CollectionOfCounterInstances $C -Operator 'gt' -Threshold .015", "> 0.015", false),
        ("staticthreshold $C 'lt' 64", "< 64", false),
        ("StaticThreshold $C ge 1 $True", ">= 1", true),
        ("StaticThreshold $C LE 1 -IsTrendOnly $false", "<= 1", false),
        ("StaticThreshold -threshold 5 -op \"gt\" $C -Is:$TRUE", "> 5", true),
        ("StaticThreshold 'gt' -Coll $C 7", "> 7", false),
        ("\r\n  # note\r\n<# more\nof it #> StaticThreshold `\r\n $C gt `\n 5 # five\n;;\n", "> 5", false),
        ("StaticThreshold \u{2013}Operator gt $C 5", "> 5", false),
        ("StaticThreshold ${C} gt -5 1", "> -5", true),
        ("StaticThreshold $C gt 5 0", "> 5", false),
    ] {
        assert_eq!(call(code), Ok(("c".into(), condition.into(), is_trend_only)), "{code}");
    }
    let calls =
        static_thresholds("StaticThreshold $C gt 1; StaticThreshold $D lt 2\nStaticThreshold $E le 3");
    let calls = calls.expect("three calls");
    assert_eq!(calls.iter().map(|call| call.collection.as_str()).collect::<Vec<_>>(), ["c", "d", "e"]);
    assert_eq!(calls[1].code, "StaticThreshold $D lt 2");
}

#[test]
fn numbers_are_those_of_powershell() {
    for (text, number) in [
        ("10", 10.0),
        ("'10'", 10.0),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("1.5E-2", 0.015),
        ("10MB", 10_485_760.0),
        ("1.5kb", 1536.0),
        ("2Gb", 2_147_483_648.0),
        ("1tb", 1_099_511_627_776.0),
        ("1PB", 1_125_899_906_842_624.0),
        ("0x1F", 31.0),
        ("0x7fffffff", 2_147_483_647.0),
        ("0x100000000", 4_294_967_296.0),
        ("0x10KB", 16_384.0),
        ("5L", 5.0),
        ("5lkb", 5120.0),
        ("5.5d", 5.5),
        ("-10", -10.0),
    ] {
        assert_eq!(threshold(text), Ok(number), "{text}");
    }
}

#[test]
fn arithmetic_is_computed_within_parentheses() {
    for (text, number) in [
        ("(10MB)", 10_485_760.0),
        ("(10 * 1024)", 10_240.0),
        ("( 1 + 2*3 )", 7.0),
        ("((1+2)*3)", 9.0),
        ("$(10 / 4)", 2.5),
        ("(7 % 4 - 1)", 2.0),
        ("(-2 * -(3 - 1))", 4.0),
        ("(8 - 2 - 1)", 5.0),
        ("(8 / 2 / 2)", 2.0),
        ("([int] 2.5 + [int]3.5)", 6.0),
        ("([double]1 / 4)", 0.25),
        ("(60\n * 60)", 3600.0),
        ("([System.Int64](3GB))", 3_221_225_472.0),
    ] {
        assert_eq!(threshold(text), Ok(number), "{text}");
    }
}

#[test]
fn what_is_no_constant_has_a_reason() {
    for (text, reason) in [
        ("$Threads", "needs the value of $Threads, which only a run of PAL knows"),
        ("($Threads * 2)", "needs the value of $Threads, which only a run of PAL knows"),
        ("$C.StdDev", "PowerShell that uses \"stddev\", which has no counterpart in rules"),
        (
            "10 * 1024",
            "StaticThreshold is given more than it takes: 1024 (PowerShell computes within parentheses only)",
        ),
        (
            "10*1024",
            "-Threshold of StaticThreshold is '10*1024', not a number (PowerShell computes in parentheses only)",
        ),
        ("0xFFFFFFFF", "the hexadecimal number 0xFFFFFFFF is negative or too large in PowerShell"),
        (
            "0xFFFFFFFFFFFFFFFFF",
            "the hexadecimal number 0xFFFFFFFFFFFFFFFFF is negative or too large in PowerShell",
        ),
        ("(1 / 0)", "the result of the arithmetic is not a number, or too large for its type"),
        ("1e400", "the result of the arithmetic is not a number, or too large for its type"),
        ("([int] 3GB)", "the result of the arithmetic is not a number, or too large for its type"),
        ("([Math]::Pow(2, 3))", "PowerShell that uses \"[math]::Pow\", which has no counterpart in rules"),
        ("(1 + 2", "PowerShell that isn't understood at: "),
        ("5 | Out-Null", "PowerShell that isn't understood at: | Out-Null"),
        ("5,6", "PowerShell that isn't understood at: 5,6"),
        ("-Foo 5", "StaticThreshold has no parameter -Foo"),
        ("-Threshold", "StaticThreshold is given no -Threshold"),
        ("", "StaticThreshold is given no -Threshold"),
        ("5 -Op lt -Op gt", "StaticThreshold is given -Operator twice"),
        ("5 'True'", "-IsTrendOnly of StaticThreshold is 'True', not $True or $False"),
        ("'a", "PowerShell that isn't understood at: 'a"),
        ("\"$x\"", "-Threshold of StaticThreshold is a text with variables, not a number"),
    ] {
        let error = threshold(text).expect_err(text);
        assert_eq!(error.to_string(), reason, "{text}");
    }
}

#[test]
fn other_code_is_named() {
    for (code, reason) in [
        (
            "ForEach ($x in $C) { StaticThreshold $C gt 1 }",
            "PowerShell that has no counterpart in rules: ForEach ($x in $C) { StaticThreshold $C gt 1 }",
        ),
        ("Get-Date", "PowerShell that has no counterpart in rules: Get-Date"),
        ("$x.y = 5", "PowerShell that has no counterpart in rules: $x.y = 5"),
        ("StaticThreshold $C gt 5 }", "PowerShell that isn't understood at: }"),
        (
            "StaticThreshold 5 gt 5",
            "-CollectionOfCounterInstances of StaticThreshold is 5, not the variable of a data source",
        ),
        ("StaticThreshold $C eq 5", "-Operator of StaticThreshold is 'eq', not gt, ge, lt or le"),
        ("StaticThreshold $C $op 5", "needs the value of $op, which only a run of PAL knows"),
        (
            "If ($C[0].Value[0] -gt 1) { StaticThreshold $C gt 5 }",
            "calls StaticThreshold under a condition on counter values",
        ),
    ] {
        assert_eq!(static_thresholds(code).expect_err(code).to_string(), reason, "{code}");
    }
    let deep = format!("StaticThreshold $C gt {}1{}", "(".repeat(30_000), ")".repeat(30_000));
    assert_eq!(static_thresholds(&deep), Err(Obstacle::Nesting(32)));
    let signs = format!("StaticThreshold $C gt ({}1)", "- ".repeat(30_000));
    assert_eq!(static_thresholds(&signs), Err(Obstacle::Nesting(32)));
    assert_eq!(static_thresholds(&"StaticThreshold $C gt 1;".repeat(21)), Err(Obstacle::Calls(20)));
    assert_eq!(static_thresholds(&" ".repeat(100_000)), Err(Obstacle::TooComplex));
    assert_eq!(static_thresholds("# nothing\n;"), Ok(Vec::new()));
}

#[test]
fn statements_are_run_with_the_answers_of_the_file() {
    for (code, limit) in [
        ("$half = $([Int]$Cores) * 0.50\nStaticThreshold $C lt $half", 2.0),
        ("$x = -$([Int]$Cores) * 0.25\nStaticThreshold $C lt $x -IsTrendOnly $True", -1.0),
        ("If ($($OLTP) -eq $True)\n{\n $m = 90\n}\nElse\n{ $m = 50 }\nStaticThreshold $C le $m", 90.0),
        ("$x = [Math]::Round(2.6, 0) * 1KB; StaticThreshold $C gt $x", 3072.0),
        (
            "switch ('a'.ToUpper()) { 'B' { $x = 1 } 'A' { $x = 2 } default { $x = 3 } }\nStaticThreshold $C gt $x",
            2.0,
        ),
        ("If ($Cores -gt 4) { $x = 1 } ElseIf ($Cores -eq 4) { $x = 2 }\nStaticThreshold $C gt $x", 2.0),
        (
            "$s = '64-bit'.substring(0,2)\nIf ($s -eq '32') {StaticThreshold $C gt 2} Else {StaticThreshold $C gt 8TB}",
            8_796_093_022_208.0,
        ),
    ] {
        let calls = static_thresholds(code).expect(code);
        assert_eq!(calls.iter().map(known).collect::<Vec<_>>(), [limit], "{code}");
    }
}

/// Doubling a value repeatedly takes neither time nor memory.
#[test]
fn what_grows_is_cut() {
    let doubled = format!("$x = $C[0].Value[0]\n{}StaticThreshold $C gt $x", "$x = $x + $x\n".repeat(500));
    assert_eq!(static_thresholds(&doubled), Err(Obstacle::TooComplex));
    let branches = "If ($C[0].Value[0] -gt 1) { $x = 1 } Else { $x = 2 }\n".repeat(500);
    assert_eq!(static_thresholds(&branches), Ok(Vec::new()));
}
