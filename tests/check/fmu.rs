//! FMUs made for the tests, and the verdict on them.

use crate::common::c::specimen;
use crate::common::command::TOOL;
use serde_json::Value;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub const XML: &str = include_str!("specimen.xml");
pub const LIBRARY: &str = "binaries/linux64/specimen.so";

/// Files of an FMU.
#[derive(Clone)]
pub struct Fmu {
    pub files: Vec<(String, Vec<u8>)>,
}

impl Fmu {
    /// With the specimen's library.
    pub fn new(xml: &str) -> Self {
        Self {
            files: vec![
                ("modelDescription.xml".into(), xml.into()),
                (LIBRARY.into(), specimen().to_vec()),
                ("resources/data.txt".into(), b"data".to_vec()),
            ],
        }
    }

    pub fn zipped(&self) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in &self.files {
            let options = SimpleFileOptions::default().unix_permissions(0o644);
            zip.start_file(name.as_str(), options).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }
}

/// The specimen's description with some of its text replaced.
pub fn changed(replacements: &[(&str, &str)]) -> String {
    let mut xml = XML.to_owned();
    for (from, to) in replacements {
        assert!(xml.contains(from), "there is no {from}");
        xml = xml.replacen(from, to, 1);
    }
    xml
}

/// What the tool says.
pub struct Verdict {
    pub json: Value,
    pub code: i32,
}

impl Verdict {
    /// Severity, rule and the rest of all findings.
    pub fn findings(&self) -> Vec<(String, String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let findings = self.json["findings"].as_array().unwrap().iter();
        findings
            .map(|f| {
                let rest = format!("{} {}", text(&f["variable"]), text(&f["message"]));
                assert!(!text(&f["hint"]).is_empty());
                (text(&f["severity"]), text(&f["rule"]), rest)
            })
            .collect()
    }

    /// Is there a finding of this rule with these words?
    pub fn has(&self, rule: &str, words: &str) -> bool {
        let fits =
            |(_, name, rest): &(String, String, String)| name == rule && rest.contains(words);
        self.findings().iter().any(fits)
    }

    /// What is wrong with the verdict, if something is: the finding must be there, and of another rule there is none.
    pub fn complaint(&self, what: &str, rule: &str, words: &str, is_alone: bool) -> Option<String> {
        let is_other = |f: &(String, String, String)| f.1 != rule && f.1 != "library.not_run";
        let has_others = is_alone && self.findings().iter().any(is_other);
        let is_wrong = has_others || !self.has(rule, words);
        is_wrong.then(|| format!("{what}: {rule} expected, found {:#?}", self.findings()))
    }

    pub fn assert_has(&self, what: &str, rule: &str, words: &str) {
        let complaint = self.complaint(what, rule, words, false);
        assert_eq!(complaint, None);
    }

    pub fn assert_only(&self, what: &str, rule: &str, words: &str) {
        let complaint = self.complaint(what, rule, words, true);
        assert_eq!(complaint, None);
    }
}

/// Writes an FMU, and removes it in the end.
pub struct Written(pub PathBuf);

impl Written {
    pub fn new(bytes: &[u8]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("stiction-test-{}-{number}.fmu", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

pub fn stiction(fmu: &Path, options: &[&str], fault: Option<&str>) -> Output {
    let mut command = Command::new(TOOL);
    command.arg("check").arg(fmu).args(options);
    match fault {
        Some(fault) => command.env("SPECIMEN", fault),
        None => command.env_remove("SPECIMEN"),
    };
    command.output().unwrap()
}

/// The verdict on the bytes of an FMU.
pub fn check(bytes: &[u8], options: &[&str], fault: Option<&str>) -> Verdict {
    let fmu = Written::new(bytes);
    let options = [&["--json"], options].concat();
    let output = stiction(&fmu.0, &options, fault);
    let text = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(complaint.is_empty(), "{complaint}");
    let json = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let verdict = Verdict {
        json,
        code: output.status.code().unwrap(),
    };
    // the exit code tells whether there are errors
    let errors = verdict.json["errors"].as_u64().unwrap();
    assert_eq!(verdict.code, i32::from(errors > 0));
    verdict
}
