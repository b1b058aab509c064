//! One process alone.

use super::{Message, Network, Tag, Wanted, expect_parts};
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

    fn post(&self, to: usize, _: Tag, _: Vec<u8>) -> Result<(), Error> {
        Err(no_such_rank(to))
    }

    fn receive_any(&self, wanted: Wanted) -> Result<Message, Error> {
        Err(wanted.from.map_or_else(nobody, no_such_rank))
    }

    fn try_receive_any(&self, wanted: Wanted) -> Result<Option<Message>, Error> {
        Err(wanted.from.map_or_else(nobody, no_such_rank))
    }

    fn all_gather(&self, counts: &[usize], all: &mut [u8]) -> Result<(), Error> {
        expect_parts(1, counts, all)
    }

    fn barrier(&self) -> Result<(), Error> {
        Ok(())
    }
}

fn no_such_rank(rank: usize) -> Error {
    Error::Transfer(format!("there is no rank {rank} to talk to: this process is alone"))
}

fn nobody() -> Error {
    Error::Transfer("there is no other rank that could send something: this process is alone".to_owned())
}
