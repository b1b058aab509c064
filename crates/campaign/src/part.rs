//! Parts of a run.

use crate::section::Section;
use crate::shard::Shard;
use serde::{Deserialize, Serialize};

/// What a run is, up to the machines that compute it: two parts with the same identity belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Version of the program: another one may draw other paths.
    pub version: String,
    /// The command and its arguments in their canonical order, but for those that say where and how it is run and what is printed.
    pub arguments: Vec<String>,
    /// The files that the command read.
    pub files: Vec<PackedFile>,
}

/// A file that the run reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    /// Its path as the command gives it, or from the folder of the model.
    pub path: String,
    /// SHA-256 of its contents, in hexadecimal digits.
    pub sha256: String,
    /// The contents; absent where the file is large.
    #[serde(skip)]
    pub contents: Option<Vec<u8>>,
}

/// A part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The run.
    pub identity: Identity,
    /// Which share of it.
    pub shard: Shard,
    /// The round of the campaign, from 1.
    pub round: u64,
    /// What was computed.
    pub body: Body,
}

/// What was computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Paths: a section for each estimation of the run, in their order.
    Paths(Vec<Section>),
    /// Answers at points of a grid, and whether these are all of the share.
    Points(Vec<PointRecord>, bool),
}

/// The answers at a point of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointRecord {
    /// Number of the point.
    pub point: u64,
    /// The answers, as whoever computed them writes them.
    pub answers: Vec<u8>,
}

impl Part {
    /// Whether everything of the share is there.
    pub fn is_complete(&self) -> bool {
        match &self.body {
            Body::Paths(sections) => !sections.is_empty() && sections.iter().all(Section::is_complete),
            Body::Points(_, complete) => *complete,
        }
    }
}
