//! Files as written by Windows in eight languages, in the code pages of these machines.

use encoding_rs::Encoding;
use jiff::tz::TimeZone;

use super::*;
use crate::{CodePage, Dialect, RowFault};

/// A file in one language: its code page, the zone in its header, and counters with their object or instance.
struct Locale {
    code_page: &'static str,
    zone: &'static str,
    counters: [&'static str; 5],
}

const LOCALES: [Locale; 8] = [
    Locale {
        code_page: "windows-1251",
        zone: " (RTZ 2 (",
        counters: [
            r"Процессор(_Total)\% загруженности процессора",
            r"Память\Доступно МБ",
            r"Физический диск(0 C:)\Средняя длина очереди диска",
            r"Процесс(sqlservr)\Рабочий набор",
            r"Система\Длина очереди процессора",
        ],
    },
    Locale {
        code_page: "Shift_JIS",
        zone: " (",
        counters: [
            r"Processor(_Total)\% Processor Time",
            r"メモリ\使用可能なメガバイト数",
            r"物理ディスク(0 C:)\平均ディスク キューの長さ",
            r"ネットワーク インターフェイス(Intel[R] 82574L)\受信バイト数/秒",
            r"システム\プロセッサ キューの長さ",
        ],
    },
    Locale {
        code_page: "windows-1252",
        zone: " (Mitteleuropäische Zeit)(-60)",
        counters: [
            r"Prozessor(_Total)\Prozessorzeit (%)",
            r"Arbeitsspeicher\Verfügbare MB",
            r"Physikalischer Datenträger(0 C:)\Durchschnittl. Warteschlangenlänge des Datenträgers",
            r"Prozess(sqlservr)\Arbeitsseiten",
            r"System\Prozessor-Warteschlangenlänge",
        ],
    },
    Locale {
        code_page: "windows-1252",
        zone: " (Paris, Madrid)(-60)",
        counters: [
            r"Processeur(_Total)\% temps processeur",
            r"Mémoire\Mégaoctets disponibles",
            r"Disque physique(0 C:)\Longueur moyenne de file d’attente du disque",
            r"Processus(sqlservr)\Plage de travail",
            r"Système\Longueur de la file du processeur",
        ],
    },
    Locale {
        code_page: "windows-1250",
        zone: " (",
        counters: [
            r"Procesor(_Total)\Czas procesora (%)",
            r"Pamięć\Dostępne bajty",
            r"Dysk fizyczny(0 C:)\Średnia długość kolejki dysku",
            r"Proces(sqlservr)\Zestaw roboczy",
            r"System\Długość kolejki procesora",
        ],
    },
    Locale {
        code_page: "GBK",
        zone: " (",
        counters: [
            r"Processor(_Total)\% Processor Time",
            r"内存\可用 MB 数",
            r"物理磁盘(0 C:)\平均磁盘队列长度",
            r"网络接口(Intel[R] 82574L)\每秒接收的字节数",
            r"系统\处理器队列长度",
        ],
    },
    Locale {
        code_page: "EUC-KR",
        zone: " (",
        counters: [
            r"프로세서(_Total)\프로세서 시간(%)",
            r"메모리\사용 가능한 메가바이트",
            r"실제 디스크(0 C:)\평균 디스크 큐 길이",
            r"네트워크 인터페이스(Intel[R] 82574L)\받은 바이트 수/초",
            r"시스템\프로세서 큐 길이",
        ],
    },
    Locale {
        code_page: "windows-1252",
        zone: " (Hora estándar romance)(-60)",
        counters: [
            r"Procesador(_Total)\% de tiempo de procesador",
            r"Memoria\MB disponibles",
            r"Disco físico(0 C:)\Longitud promedio de la cola de disco",
            r"Proceso(sqlservr)\Espacio de trabajo",
            r"Sistema\Longitud de la cola del procesador",
        ],
    },
];

impl Locale {
    fn text(&self) -> String {
        let mut text = format!("\"(PDH-CSV 4.0){}\"", self.zone);
        for counter in self.counters {
            write!(text, ",\"\\\\SRV-01\\{counter}\"").expect("a String");
        }
        text.push_str("\r\n\"03/26/2015 22:42:15.123\",\"12.5\",\" \",\"0.25\",\"4096\",\"1\"\r\n");
        text.push_str("\"03/26/2015 22:42:30.123\",\"86.93735103284412\",\"512\",\"0\",\"8192\",\"0\"\r\n");
        text
    }

    fn bytes(&self) -> Vec<u8> {
        let encoding = Encoding::for_label(self.code_page.as_bytes()).expect(self.code_page);
        let text = self.text();
        let (bytes, _, unmappable) = encoding.encode(&text);
        assert!(!unmappable, "{text}");
        bytes.into_owned()
    }
}

fn with(options: &PdhTextOptions, bytes: Vec<u8>) -> PdhText {
    PdhText::open(Arc::new(bytes), options).expect("PDH text")
}

fn paths(text: &PdhText) -> Vec<String> {
    let all = cells(&decode(text).cooked);
    let values = all.iter().filter(|line| line.contains("T22:42:30.") || line.contains(":42:30."));
    values.map(|line| line.split_once(' ').expect("a time").1.to_owned()).collect()
}

fn expected(locale: &Locale) -> Vec<String> {
    let values = ["86.93735103284412", "512", "0", "8192", "0"];
    let lines = locale.counters.iter().zip(values);
    lines.map(|(counter, value)| format!(r"\\SRV-01\{counter} = {value}")).collect()
}

fn detail<'a>(text: &'a PdhText, name: &str) -> &'a str {
    let found = text.info().details.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str()).unwrap_or_default()
}

#[test]
fn code_pages_show_by_their_letters() {
    for locale in &LOCALES {
        let text = open(locale.bytes());
        assert_eq!(paths(&text), expected(locale), "{}", locale.code_page);
        assert_eq!(detail(&text, "encoding"), format!("{} (detected)", locale.code_page));
        let is_cut = !locale.zone.ends_with("(-60)");
        assert_eq!(text.info().is_zone_unknown, is_cut);
        assert_eq!(text.info().zone.is_none(), is_cut);
        assert_eq!(text.health().total(), 1, "{:?}", text.health());
        assert!(text.health().is_complete());
    }
}

/// A capture with three counters has few letters for detection.
#[test]
fn a_single_name_shows_the_code_page() {
    for locale in &LOCALES {
        for counter in &locale.counters[1..3] {
            let one = Locale { counters: [counter; 5], ..*locale };
            let encoded = Encoding::for_label(locale.code_page.as_bytes())
                .expect("known")
                .encode(counter)
                .0
                .into_owned();
            if encoded.is_ascii() {
                continue;
            }
            let text = open(one.bytes());
            let object = &text.objects()[0].1;
            let found = format!(r"{}\{}", object.name, object.counters[0].name);
            let instance = if counter.contains('(') { "(0 C:)" } else { "" };
            assert_eq!(found, counter.replace(instance, ""), "{}", detail(&text, "encoding"));
        }
    }
}

#[test]
fn a_code_page_that_is_given_is_taken() {
    let russian = &LOCALES[0];
    let options = |name: &str| PdhTextOptions {
        code_page: Some(name.parse::<CodePage>().expect(name)),
        ..PdhTextOptions::default()
    };
    let text = with(&options("1251"), russian.bytes());
    assert_eq!(paths(&text), expected(russian));
    assert_eq!(detail(&text, "encoding"), "windows-1251 (as given)");
    assert!(text.health().is_sound(), "{:?}", text.health());
    let text = with(&options("windows-1252"), russian.bytes());
    assert!(paths(&text)[1].contains("Ïàìÿòü"), "{:?}", paths(&text));
    // A byte order mark is certain.
    let text = with(&options("1251"), format!("\u{FEFF}{}", russian.text()).into_bytes());
    assert_eq!((paths(&text), detail(&text, "encoding")), (expected(russian), "UTF-8"));
}

#[test]
fn unicode_needs_no_guess() {
    for locale in &LOCALES {
        let marked = format!("\u{FEFF}{}", locale.text());
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
        for (bytes, encoding) in [
            (locale.text().into_bytes(), "UTF-8"),
            (marked.clone().into_bytes(), "UTF-8"),
            (wide(&marked), "UTF-16LE"),
            (wide(&locale.text()), "UTF-16LE"),
            (big(&marked), "UTF-16BE"),
            (big(&locale.text()), "UTF-16BE"),
        ] {
            assert!(PdhText::recognise(&bytes));
            let text = open(bytes);
            assert_eq!((paths(&text), detail(&text, "encoding")), (expected(locale), encoding));
        }
    }
}

#[test]
fn a_zone_can_be_named_where_the_header_has_none() {
    let zone = TimeZone::get("Europe/Moscow").expect("a zone");
    let options = PdhTextOptions { zone: Some(zone), ..PdhTextOptions::default() };
    let text = with(&options, LOCALES[0].bytes());
    assert_eq!(times(&text)[0], ("2015-03-26T19:42:15.123Z".to_owned(), 180));
    let zone = text.info().zone.as_ref().expect("the zone");
    assert_eq!(
        (zone.name_at(180), zone.bias_min, text.info().is_zone_unknown),
        ("Europe/Moscow", -180, false)
    );
    // A zone in the header takes precedence.
    let text = with(&options, LOCALES[2].bytes());
    assert_eq!(times(&text)[0], ("2015-03-26T21:42:15.123Z".to_owned(), 60));
    // Without either, times stay as they are.
    let text = open(LOCALES[0].bytes());
    assert_eq!(times(&text)[0], ("2015-03-26T22:42:15.123Z".to_owned(), 0));
    assert!(text.info().is_zone_unknown);
}

/// A file saved by a spreadsheet on a Mac: carriage returns, no quotes, times without seconds.
#[test]
fn spreadsheets_leave_much_out() {
    let rows = "3/26/2015 22:42, ,4096\r3/26/2015 22:42,12.5,4096\r3/26/2015 22:43,1E-05,\r";
    let header = "(PDH-CSV 4.0) (Pacific Daylight Time)(420),\\\\WEB1\\Processor(_Total)\\% Processor Time,\\\\WEB1\\Memory\\Available Bytes\r";
    let text = open(format!("{header}{rows}"));
    assert_eq!(text.info().format, "PDH text (PDH-CSV)");
    assert_eq!(
        cells(&decode(&text).cooked),
        [
            r"2015-03-27T05:42:00Z \\WEB1\Processor(_Total)\% Processor Time = invalid-data",
            r"2015-03-27T05:42:00Z \\WEB1\Processor(_Total)\% Processor Time = 12.5",
            r"2015-03-27T05:43:00Z \\WEB1\Processor(_Total)\% Processor Time = 0.00001",
            r"2015-03-27T05:42:00Z \\WEB1\Memory\Available Bytes = 4096",
            r"2015-03-27T05:42:00Z \\WEB1\Memory\Available Bytes = 4096",
            r"2015-03-27T05:43:00Z \\WEB1\Memory\Available Bytes = invalid-data",
        ]
    );
    // Two rows share a minute, so no interval is known.
    assert_eq!(decode(&text).cooked[0].interval_s, [None; 3]);
    assert_eq!(text.health().count(FindingKind::Odd), 1);
    // With one row a minute, intervals are known.
    let text = open(format!("{header}{}", rows.replacen("22:42", "22:41", 1)));
    assert_eq!(decode(&text).cooked[0].interval_s, [None, Some(60.0), Some(60.0)]);
    assert!(text.health().is_sound());
    // A German one: semicolons, decimal commas, day first.
    let rows = "26.03.2015 22:41; ;4096\r26.03.2015 22:42;12,5;4096\r26.03.2015 22:43;1E-05;\r";
    let text = open(format!("{}{rows}", header.replace(',', ";")));
    assert_eq!(times(&text)[0].0, "2015-03-27T05:41:00Z");
    assert_eq!(decode(&text).cooked[0].columns[0].value_at(1), Some(12.5));
    assert!(text.health().is_sound(), "{:?}", text.health());
}

/// A spreadsheet kept only minutes and seconds of the times: nothing can be read.
#[test]
fn what_cannot_be_understood_is_an_error() {
    let header = "(PDH-CSV 4.0) (Pacific Daylight Time)(420),\\\\WEB1\\Memory\\Available Bytes";
    for (rows, expected) in [
        ("\r42:15.1,4096\r42:30.1,4096\r", RowFault::NoDate),
        ("\n3/26/15,4096\n", RowFault::ShortYear),
        ("\n3/26/2015 22:42,4096,1\n", RowFault::TooManyValues),
        ("\r\n3/26/2015 22:42,4096\r3/26/2015 22:43,4096\r", RowFault::Returns),
        ("\r\n3/26/201", RowFault::CutOff),
        ("\n2/30/2015 22:42,4096\n", RowFault::NoTime),
        ("\r", RowFault::Missing),
        ("", RowFault::Missing),
    ] {
        let error =
            PdhText::open(Arc::new(format!("{header}{rows}").into_bytes()), &PdhTextOptions::default());
        let error = error.err().expect(rows);
        assert!(
            matches!(error, crate::PdhTextError::NoSamples { fault, .. } if fault == expected),
            "{rows}: {error}"
        );
    }
}

#[test]
fn numbers_and_dates_of_locales_keep_their_values() {
    let base = "\"(PDH-CSV 4.0) (X)(0)\",\"\\\\H\\O\\C\"\r\n";
    let cases = [
        ("\"26/03/2015 22:42:15,123\",\"1234,5\"\r\n", ',', "2015-03-26T22:42:15.123Z", 1234.5),
        ("\"2015-03-26 오후 10:42:15\",\"0.5\"\r\n", ',', "2015-03-26T22:42:15Z", 0.5),
        ("\"2015/3/26 午後 10:42:15\"\t\"1e-005\"\r\n", '\t', "2015-03-26T22:42:15Z", 1e-5),
        ("\"3/26/2015 10:42:15 PM\";\"-2,5E+3\"\r\n", ';', "2015-03-26T22:42:15Z", -2500.0),
    ];
    for (row, separator, time, value) in cases {
        let header = base.replace(',', &separator.to_string());
        let text = open(format!("{header}{row}"));
        assert_eq!(times(&text)[0].0, time);
        assert_eq!(decode(&text).cooked[0].columns[0].value_at(0), Some(value), "{row}");
    }
    let tabs = open(format!("{}{}", base.replace(',', "\t").replace("CSV", "TSV"), "26.03.2015 1:02\t0,5\n"));
    assert_eq!(tabs.info().format, "PDH text (PDH-TSV)");
    assert_eq!((Dialect::Tsv.separator(), times(&tabs)[0].0.as_str()), (b'\t', "2015-03-26T01:02:00Z"));
}
