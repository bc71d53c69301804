//! PDH text as other tools write it: `relog-german.csv` and `typeperf.tsv`.

/// What relog writes on a German system: decimal comma, day first, Windows-1252.
pub(crate) fn relog_german() -> Vec<u8> {
    const TEXT: &str = concat!(
        r#""(PDH-CSV 4.0) (Mitteleuropäische Zeit)(-60)","\\BERLIN\Prozessor(_Total)\Prozessorzeit (%)","#,
        r#""\\BERLIN\Arbeitsspeicher\Verfügbare Bytes","#,
        r#""\\BERLIN\Physischer Datenträger(0 C:)\Mittlere Sek./Lesevorgänge""#,
        "\r\n",
        r#""05.03.2019 23:59:30,125"," ","4294967296"," ""#,
        "\r\n",
        r#""05.03.2019 23:59:45,125","12,5","4294963200","0,0042500000000000003""#,
        "\r\n",
        r#""06.03.2019 00:00:00,125","7,8125","4294959104"," ""#,
        "\r\n",
        r#""06.03.2019 00:00:15,125","100","4294955008","1,5000000000000001e-05""#,
        "\r\n",
    );
    // Every character of the text has the same code in Windows-1252 as in Unicode.
    TEXT.chars().map(|c| c as u8).collect()
}

/// What `typeperf -f TSV` writes: tabs, and no zone in the header.
pub(crate) fn typeperf() -> Vec<u8> {
    concat!(
        "\"(PDH-TSV 4.0)\"\t\"\\\\TAPE\\System\\Processes\"\t\"\\\\TAPE\\Processor(0)\\% Idle Time\"\r\n",
        "\"11/20/2026 09:15:01.250\"\t\"181.000000\"\t\"-1\"\r\n",
        "\"11/20/2026 09:15:02.250\"\t\"182.000000\"\t\"93.750000\"\r\n",
        "\"11/20/2026 09:15:03.250\"\t\"180.000000\"\t\"87.500000\"\r\n",
    )
    .as_bytes()
    .to_vec()
}
