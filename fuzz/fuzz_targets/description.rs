//! A model description: it is examined to its end, and the findings can be told.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction::tool::check::{self, Report};

fuzz_target!(|bytes: &[u8]| {
    let mut report = Report::default();
    let description = check::examine_description(bytes, None, &mut report);
    report.sort();
    for finding in &report.findings {
        assert!(!finding.message.is_empty());
        finding.place();
    }
    // whatever is refused is refused for a reason
    assert!(description.is_some() || !report.findings.is_empty());
});
