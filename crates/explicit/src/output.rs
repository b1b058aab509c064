//! The reasons why a file is not written to its end.

use crate::finding::Finding;
use std::io;
use volvelle_control::Stop;

/// Why a file was not written to its end.
#[derive(Debug)]
pub enum WriteError {
    /// Writing failed.
    Io(io::Error),
    /// A limit was reached or the user stopped it.
    Stopped(Stop),
    /// The format cannot say this model.
    Refused(Finding),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Io(error)
    }
}

impl From<Stop> for WriteError {
    fn from(stop: Stop) -> Self {
        WriteError::Stopped(stop)
    }
}

impl From<Finding> for WriteError {
    fn from(finding: Finding) -> Self {
        WriteError::Refused(finding)
    }
}
