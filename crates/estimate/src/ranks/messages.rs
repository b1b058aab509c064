//! Messages between ranks.

use serde::{Deserialize, Serialize};
use volvelle_runtime::Error;
use volvelle_simulate::sample::Sampled;

/// Tag of the leader's orders.
pub const ORDER: u8 = 1;
/// Tag of messages to the leader.
pub const REPLY: u8 = 2;

/// An order of the leader.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Order {
    /// To prepare for a round of an estimation.
    Round(Round),
    /// To run the paths from the first one up to the second.
    Run(u64, u64),
    /// To compute a numbered task.
    Compute(u64),
    /// Receive a value from the leader, so that all continue alike.
    Know(Vec<u8>),
    /// To leave the estimation, or the tasks.
    Done,
    /// To leave all that follow as well.
    End,
}

/// A round: the leader's knowledge that depends on paths.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Round {
    /// Indices of the measures among all.
    pub wanted: Vec<usize>,
    /// The indices of the measures of the previous round for which the leader then built an oracle.
    pub undecided: Option<Vec<usize>>,
    /// Whether the leader has an oracle.
    pub has_oracle: bool,
    /// Expected number of paths, if known.
    pub expected: Option<u64>,
}

/// The result of a rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// Summaries of the blocks, in their order.
    Blocks(Vec<Sampled>),
    /// A path failed or was given up, a limit was reached, or the rank cannot run these paths.
    Undecided,
    /// The result of a task, if there is one.
    Result(u64, Option<Vec<u8>>),
    /// The rank takes no further orders.
    Left,
}

/// A message as bytes.
pub fn bytes<M: Serialize>(message: &M) -> Result<Vec<u8>, Error> {
    postcard::to_allocvec(message).map_err(|error| Error::Transfer(error.to_string()))
}

/// A message of its bytes.
pub fn message<'a, M: Deserialize<'a>>(bytes: &'a [u8]) -> Result<M, Error> {
    postcard::from_bytes(bytes).map_err(|error| Error::Transfer(error.to_string()))
}
