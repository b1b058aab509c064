//! What is said again and again in the same words about the same place is said once.

use crate::Diagnostic;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// Diagnostics in the order in which they came, each once. Models with tens of thousands of mistakes take time that follows their number.
#[derive(Clone, Debug, Default)]
pub struct Distinct {
    list: Vec<Diagnostic>,
    /// Hashes of what is in the list: few diagnostics have that of another one.
    hashes: HashSet<u64>,
    hasher: RandomState,
}

impl Distinct {
    /// Adds a diagnostic, unless it is there.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.hashes.insert(self.hasher.hash_one(&diagnostic)) || !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    /// The diagnostics; the list is empty afterwards.
    pub fn take(&mut self) -> Vec<Diagnostic> {
        self.hashes.clear();
        std::mem::take(&mut self.list)
    }
}
