//! One process alone.

use super::{Network, check};
use crate::error::Error;

/// The network of a single process, which has no peers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Single;

impl Network for Single {
    fn name(&self) -> &str {
        "single"
    }

    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn send(&self, to: usize, _: &[u8]) -> Result<(), Error> {
        Err(no_such_rank(to))
    }

    fn receive(&self, from: usize, _: &mut [u8]) -> Result<(), Error> {
        Err(no_such_rank(from))
    }

    fn all_gather(&self, counts: &[usize], all: &mut [u8]) -> Result<(), Error> {
        check(1, counts, all)
    }

    fn barrier(&self) -> Result<(), Error> {
        Ok(())
    }
}

fn no_such_rank(rank: usize) -> Error {
    Error::Transfer(format!("there is no rank {rank} to talk to: this process is alone"))
}
