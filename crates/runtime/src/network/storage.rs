//! Memory of another process, as a storage.

use super::Network;
use crate::error::Error;
use crate::storage::{Region, Storage};
use std::any::Any;
use std::sync::Arc;

/// Another rank as a storage: writing to its regions sends to the rank, reading from them receives.
///
/// Both sides take part: what one rank copies into its region of the other, the other copies out of its
/// region of the first, piece by piece in the same order.
pub struct NetworkStorage {
    network: Arc<dyn Network>,
    rank: usize,
    name: String,
}

impl NetworkStorage {
    /// The storage of another rank.
    ///
    /// # Errors
    /// There is no other rank with this number.
    pub fn of(network: Arc<dyn Network>, rank: usize) -> Result<Self, Error> {
        if rank >= network.size() || rank == network.rank() {
            let (own, size) = (network.rank(), network.size());
            return Err(Error::Unavailable(format!("rank {own} of {size} has no other rank {rank}")));
        }
        Ok(NetworkStorage { network, rank, name: format!("rank {rank}") })
    }
}

impl Storage for NetworkStorage {
    fn name(&self) -> &str {
        &self.name
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Region>, Error> {
        Ok(Box::new(NetworkRegion { network: self.network.clone(), rank: self.rank, bytes }))
    }
}

struct NetworkRegion {
    network: Arc<dyn Network>,
    rank: usize,
    bytes: usize,
}

impl NetworkRegion {
    fn expect_within(&self, offset: usize, bytes: usize) {
        let within = offset <= self.bytes && bytes <= self.bytes - offset;
        assert!(within, "bytes beyond the end of a region");
    }
}

impl Region for NetworkRegion {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn write(&self, offset: usize, from: &[u8]) -> Result<(), Error> {
        self.expect_within(offset, from.len());
        // The place goes first: both sides must mean the same.
        self.network.send(self.rank, &(offset as u64).to_le_bytes())?;
        self.network.send(self.rank, from)
    }

    fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), Error> {
        self.expect_within(offset, to.len());
        let mut place = [0; 8];
        self.network.receive(self.rank, &mut place)?;
        let found = u64::from_le_bytes(place);
        if found != offset as u64 {
            let rank = self.rank;
            return Err(Error::Transfer(format!(
                "rank {rank} sent bytes from {found} on instead of {offset}"
            )));
        }
        self.network.receive(self.rank, to)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
