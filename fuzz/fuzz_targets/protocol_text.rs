//! Any text as a cache-coherence protocol: no panic, a reason for each refusal, and what the check says is what the machine does.
#![no_main]

#[allow(dead_code, reason = "tests use more of it")]
#[path = "../../crates/coherence/tests/protocols/oracle.rs"]
mod oracle;

use volvelle_coherence::{Verdict, check, read};
use volvelle_diagnostics::{RenderOptions, Severity, Sources, render_all};

/// Caches of the machines that are gone through.
const CACHES: usize = 3;
/// States of protocols for which they are.
const STATES: usize = 6;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut sources = Sources::new();
    let file = sources.add("protocol.toml", text);
    let (protocol, mut diagnostics) = read(file, text);
    let has_errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(protocol.is_none(), has_errors, "a protocol is refused with a reason");
    if let Some(protocol) = &protocol {
        let checked = check(protocol);
        diagnostics.extend(checked.diagnostics(protocol));
        assert_eq!(checked.is_proved(), diagnostics.is_empty(), "what is not proved has a message");
        let least = (protocol.states.len() <= STATES).then(|| oracle::least_error(protocol, CACHES));
        match checked.verdict {
            Verdict::Failed(run) => {
                oracle::confirm(protocol, &run);
                let found = (run.caches <= CACHES).then_some((run.caches, run.steps.len()));
                assert!(least.is_none_or(|least| least == found));
            }
            Verdict::Proved { .. } => assert!(least.is_none_or(|least| least.is_none())),
            Verdict::Bounded { caches, .. } if caches >= CACHES => {
                assert!(least.is_none_or(|least| least.is_none()));
            }
            Verdict::Bounded { .. } => {}
        }
    }
    let _ = render_all(&diagnostics, &sources, RenderOptions { color: true, ..RenderOptions::default() });
});
