//! Protocols by name: those that are shipped, and those of files.

use volvelle_coherence::{Protocol, read, shipped, unknown};
use volvelle_diagnostics::{Diagnostic, Sources, codes};

/// The source of protocols that are not shipped: this crate knows no files.
pub trait Protocols {
    /// The protocol with this name, if it is that of a file.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn own(&mut self, name: &str) -> Option<Result<Protocol, Vec<Diagnostic>>>;

    /// The protocol with this name.
    ///
    /// # Errors
    /// There is none, or its file is wrong.
    fn find(&mut self, name: &str) -> Result<Protocol, Vec<Diagnostic>> {
        if let Some(own) = self.own(name) {
            return own;
        }
        named(name).unwrap_or_else(|| Err(unknown(name))).map_err(|found| vec![found])
    }
}

/// Provides the shipped protocols only.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShippedProtocols;

impl Protocols for ShippedProtocols {
    fn own(&mut self, _: &str) -> Option<Result<Protocol, Vec<Diagnostic>>> {
        None
    }
}

pub(super) fn mesi() -> Protocol {
    let protocol = named("mesi").and_then(Result::ok);
    protocol.expect("the protocol that is shipped is right")
}

/// A protocol that is shipped.
fn named(name: &str) -> Option<Result<Protocol, Diagnostic>> {
    let text = shipped(name)?;
    let (protocol, found) = read(Sources::new().add("protocol", text), text);
    let wrong = || {
        let message = format!("the protocol `{name}` cannot be read");
        found.into_iter().next().unwrap_or_else(|| Diagnostic::error(codes::MACHINE_VALUE, message))
    };
    Some(protocol.ok_or_else(wrong))
}
