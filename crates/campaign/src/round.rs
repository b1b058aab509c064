//! What the next round of a campaign has to run.

use crate::part::Identity;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A round of a campaign: which paths of each estimation it has, for all shards together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Version of the program.
    pub volvelle: String,
    /// Its number, from 1.
    pub round: u64,
    /// The command that it belongs to.
    pub arguments: Vec<String>,
    /// First path and the path after the last, for each estimation of the run in their order.
    pub paths: Vec<[u64; 2]>,
}

impl Round {
    /// From a text.
    ///
    /// # Errors
    /// It is none, in a sentence.
    pub fn read(text: &str) -> Result<Self, String> {
        let round: Round = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if round.round == 0 || round.paths.iter().any(|[start, end]| start > end) {
            return Err("its numbers are no round".to_owned());
        }
        Ok(round)
    }

    /// As a text.
    pub fn to_text(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        format!("{text}\n")
    }

    /// Whether it belongs to a run.
    pub fn is_of(&self, identity: &Identity) -> bool {
        self.volvelle == identity.version && self.arguments == identity.arguments
    }

    /// The paths of an estimation.
    pub fn of_section(&self, number: usize) -> Option<Range<u64>> {
        self.paths.get(number).map(|&[start, end]| start..end)
    }
}
