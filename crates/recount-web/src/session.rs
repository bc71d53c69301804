//! Captures that a page has opened.

use std::error::Error;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use recount::analysis::rules::{RuleSet, SETS, parse_rules};
use recount::{Capture, GivenFile, OpenError, OpenOptions, hint_of, open_given};
use recount_view::{Align, Local, Opener, Opening, ViewError};
use serde::Deserialize;
use serde_json::json;

use crate::host::{HostFile, HostOutput};

/// What the page asks to open.
#[derive(Deserialize)]
struct Asked {
    files: Vec<AskedFile>,
    title: String,
}

#[derive(Deserialize)]
struct AskedFile {
    /// By which the worker knows it.
    number: u32,
    /// With `/` between folders.
    path: String,
    len: u64,
}

pub(crate) struct Session {
    local: Local,
}

impl Session {
    /// Opens files; the error is JSON.
    pub(crate) fn open(asked: &[u8]) -> Result<Session, Vec<u8>> {
        let asked: Asked = serde_json::from_slice(asked).map_err(|error| message_of(&error))?;
        let sets: Result<Vec<RuleSet>, _> = SETS.iter().map(|(_, text)| parse_rules(text)).collect();
        // Of a folder its name, as on a command line.
        let name = |file: &AskedFile| file.path.split('/').next().map(PathBuf::from);
        let mut inputs: Vec<PathBuf> = asked.files.iter().filter_map(name).collect();
        inputs.dedup();
        let opening = Opening {
            open: opener(asked.files),
            compare: None,
            align: Align::default(),
            inputs,
            beside: Vec::new(),
            shift: None,
            compared: None,
            reading: Vec::new(),
            title: asked.title,
            sets: sets.unwrap_or_default(),
            view: None,
        };
        match Local::open(opening) {
            Ok(local) => Ok(Session { local }),
            Err(ViewError::Open(error)) => match error.downcast_ref::<OpenError>() {
                Some(error) => Err(message_with(error, Some(hint_on_page(error)))),
                None => Err(message_of(&*error)),
            },
            Err(error) => Err(message_with(&error, hint_of(&error))),
        }
    }

    pub(crate) fn count(&self, progressed: &(dyn Fn(&[u8]) + Sync)) {
        self.local.count(progressed);
    }

    pub(crate) fn should_wait(&self, question: &str, content: &[u8]) -> bool {
        self.local.should_wait(question, content)
    }

    pub(crate) fn answer(&self, question: &str, content: &[u8]) -> (u32, Vec<u8>) {
        let reply = self.local.answer(question, content);
        (reply.status.into(), reply.bytes)
    }

    /// Writes a file to the worker; returns what could not be read, as JSON.
    pub(crate) fn save(&self, kind: &str) -> Result<Vec<u8>, Vec<u8>> {
        match self.local.save(kind, Box::new(HostOutput)) {
            Ok(health) => Ok(json!({ "findings": health.total() }).to_string().into_bytes()),
            Err(error) => Err(message_with(&*error, hint_of(&*error))),
        }
    }
}

fn opener(files: Vec<AskedFile>) -> Opener {
    Box::new(move || {
        let given = files.iter().map(|file| {
            let input = HostFile { number: file.number, len: file.len };
            GivenFile::new(&*file.path, Arc::new(input))
        });
        let captures = open_given(&given.collect::<Vec<_>>(), &OpenOptions::default())?;
        Ok(captures.into_iter().map(Capture::in_english).collect())
    })
}

/// What to try on a page, which has files to drop instead of paths to name.
fn hint_on_page(error: &OpenError) -> &'static str {
    match error {
        OpenError::Io { source, .. } => match source.kind() {
            ErrorKind::OutOfMemory => {
                "a page may use up to 4 GB of memory; the program recount opens larger files"
            }
            ErrorKind::InvalidData => error.hint(),
            _ => "choose it again, from where it is now",
        },
        OpenError::Twice { .. } => "its samples would count twice: drop every capture once",
        _ if error.lacks_files() => {
            "drop all files of the capture together, or their folder; of an archive of PCP these are NAME.meta and NAME.0, \
             NAME.1, ..."
        }
        _ => error.hint(),
    }
}

fn message_of(error: &(dyn Error + 'static)) -> Vec<u8> {
    message_with(error, None)
}

fn message_with(error: &(dyn Error + 'static), hint: Option<&str>) -> Vec<u8> {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let cause = error.to_string();
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
        source = error.source();
    }
    json!({ "error": text, "hint": hint }).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn error(asked: &str) -> Value {
        let error = Session::open(asked.as_bytes()).err().expect("an error");
        serde_json::from_slice(&error).expect("JSON")
    }

    #[test]
    fn errors_say_what_to_try() {
        // Outside of a browser no file of a page can be read.
        let said = error(r#"{"title": "a.blg", "files": [{"number": 0, "path": "a.blg", "len": 10}]}"#);
        assert!(said["error"].as_str().is_some_and(|text| text.starts_with("a.blg: ")), "{said}");
        assert!(
            said["error"].as_str().is_some_and(|text| text.contains("the browser can't read it")),
            "{said}"
        );
        assert_eq!(said["hint"], "choose it again, from where it is now");
        assert!(error("{").get("error").is_some_and(Value::is_string));
    }

    #[test]
    fn hints_are_those_of_a_page() {
        // Beginning of the label of an archive: version 2, and the lengths around it.
        let mut volume = 132_u32.to_be_bytes().to_vec();
        volume.extend(0x5005_2602_u32.to_be_bytes());
        volume.resize(128, 0);
        volume.extend(132_u32.to_be_bytes());
        let opened = open_given(&[GivenFile::new("web1.0", Arc::new(volume))], &OpenOptions::default());
        let error = opened.err().expect("an error");
        assert_eq!(
            error.to_string(),
            "web1.0: the archive's web1.meta is missing; it holds the names of the values"
        );
        assert!(hint_on_page(&error).starts_with("drop all files of the capture together"), "{error}");
        let twice = OpenError::Twice { name: "a.blg".into() };
        assert!(hint_on_page(&twice).ends_with("drop every capture once"));
        let large = OpenError::Io { name: "a.csv".into(), source: ErrorKind::OutOfMemory.into() };
        assert!(hint_on_page(&large).contains("the program recount"));
        let unknown = OpenError::Unknown { name: "a".into(), begins: "00".into(), len: 1 };
        assert_eq!(hint_on_page(&unknown), unknown.hint());
    }
}
