//! Distribution of the owners' elements, in one step or while kernels run.

use super::parts::Parts;
use crate::error::Error;
use crate::network::Pending;
use std::ops::Range;
use std::sync::PoisonError;

/// A synchronisation in progress. Until it is finished, devices hold the old elements of others. Kernels may
/// read and write their own; the next synchronisation distributes what they write. Dropping it changes
/// nothing.
#[must_use = "elements of others arrive only when it is finished"]
pub struct Synchronization<'a> {
    parts: &'a Parts,
    /// `None` if one device holds all elements.
    pending: Option<Pending<Vec<u8>>>,
}

impl<'a> Synchronization<'a> {
    pub(super) fn start(parts: &'a Parts) -> Result<Self, Error> {
        if parts.partition.parts() == 1 {
            return Ok(Synchronization { parts, pending: None });
        }
        parts.follow()?;
        let room = std::mem::take(&mut *parts.transit.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Synchronization { parts, pending: Some(parts.start_gather(room)?) })
    }

    /// Whether all elements have arrived, so that finishing does not wait. Some networks move data only
    /// during such calls.
    ///
    /// # Errors
    /// A rank is gone.
    pub fn is_done(&mut self) -> Result<bool, Error> {
        self.pending.as_mut().map_or(Ok(true), |pending| pending.is_done())
    }

    /// Waits for the elements of others and copies them to all devices of this process.
    ///
    /// # Errors
    /// A transfer failed: devices may hold a mixture of old and new elements.
    pub fn finish(self) -> Result<(), Error> {
        let Some(pending) = self.pending else { return Ok(()) };
        let (parts, all) = (self.parts, pending.wait()?);
        for device in 0..parts.devices() {
            let owned = parts.owned(device);
            let (before, after) = (parts.bytes(&(0..owned.start)), parts.bytes(&(0..owned.end)));
            parts.region(device).write(0, &all[..before])?;
            parts.region(device).write(after, &all[after..])?;
        }
        *parts.transit.lock().unwrap_or_else(PoisonError::into_inner) = all;
        Ok(())
    }
}

/// An exchange of halos in progress. Until it is finished, halos hold a mixture of old and new elements.
/// Kernels may read and write their own; the next exchange distributes what they write.
#[must_use = "halos arrive only when it is finished"]
pub struct HaloExchange<'a> {
    parts: &'a Parts,
    /// Devices of this process with the elements that they receive, in order.
    targets: Vec<(usize, Range<u64>)>,
    pending: Pending<Vec<Vec<u8>>>,
}

impl<'a> HaloExchange<'a> {
    /// All ranks go through the same transfers in the same order, so messages between two of them match.
    pub(super) fn start(parts: &'a Parts) -> Result<Self, Error> {
        parts.follow()?;
        let network = parts.context.network();
        let counts = parts.context.counts().iter().enumerate();
        let ranks: Vec<usize> = counts.flat_map(|(rank, &count)| std::iter::repeat_n(rank, count)).collect();
        let own = network.rank();
        let local = |worker: usize| worker - parts.first;
        let (mut sent, mut received, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for to in 0..ranks.len() {
            let held = parts.held_by(to);
            let concerned = |from: &usize| *from != to && (ranks[*from] == own || ranks[to] == own);
            for from in (0..ranks.len()).filter(concerned) {
                let owned = parts.partition.part(from);
                let piece = held.start.max(owned.start)..held.end.min(owned.end);
                if piece.is_empty() {
                    continue;
                }
                let count = parts.bytes(&piece);
                if ranks[from] != own {
                    received.push((ranks[from], count));
                    targets.push((local(to), piece));
                    continue;
                }
                let (from, source) = (local(from), parts.offset(local(from), piece.start));
                if ranks[to] == own {
                    let (to, target) = (local(to), parts.offset(local(to), piece.start));
                    parts.region(to).copy_from(target, &*parts.region(from), source, count)?;
                } else {
                    let mut bytes = vec![0; count];
                    parts.region(from).read(source, &mut bytes)?;
                    sent.push((ranks[to], bytes));
                }
            }
        }
        let pending = network.start_exchange(sent, &received)?;
        Ok(HaloExchange { parts, targets, pending })
    }

    /// Whether all elements have arrived, so that finishing does not wait. Some networks move data only
    /// during such calls.
    ///
    /// # Errors
    /// A rank is gone.
    pub fn is_done(&mut self) -> Result<bool, Error> {
        self.pending.is_done()
    }

    /// Waits for the elements of other ranks and copies them to the devices of this process.
    ///
    /// # Errors
    /// A transfer failed: halos may hold a mixture of old and new elements.
    pub fn finish(self) -> Result<(), Error> {
        let found = self.pending.wait()?;
        for ((device, piece), bytes) in self.targets.into_iter().zip(found) {
            self.parts.region(device).write(self.parts.offset(device, piece.start), &bytes)?;
        }
        Ok(())
    }
}
