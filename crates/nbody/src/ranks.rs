//! Agreement between ranks: all continue, or none.

use crate::trouble::Trouble;
use volvelle_control::Stop;
use volvelle_kernel::{Buffer, Exit};
use volvelle_runtime::{Context, Error, Kernel};

/// How a piece of work ended on one rank, or on all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Continue.
    Done,
    /// To end before the work is done, with a state as it should be.
    Stop(Stop),
    /// A kernel failed at a site.
    Failed,
    /// A kernel left a buffer.
    OutOfBounds(Buffer),
}

const STOPS: [Stop; 4] = [Stop::Timeout, Stop::Memory, Stop::States, Stop::Cancelled];

impl Outcome {
    /// The outcome of a kernel without buffers that grow.
    ///
    /// # Errors
    /// The device failed.
    pub(crate) fn of(ended: Result<(), Error>) -> Result<Self, Error> {
        let exit = match ended {
            Ok(()) => Exit::Done,
            Err(Error::Exit { exit, .. }) => exit,
            Err(error) => return Err(error),
        };
        Ok(match exit {
            Exit::Done => Outcome::Done,
            Exit::Failed(_) => Outcome::Failed,
            Exit::Full(buffer) | Exit::OutOfBounds(buffer) => Outcome::OutOfBounds(buffer),
        })
    }

    /// As a byte, the more urgent the greater.
    fn byte(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::Stop(stop) => STOPS.iter().position(|&s| s == stop).unwrap_or(0) as u8 + 1,
            Outcome::Failed => 5,
            Outcome::OutOfBounds(buffer) => (6 + buffer.index()).min(255) as u8,
        }
    }

    fn of_byte(byte: u8) -> Self {
        match byte {
            0 => Outcome::Done,
            1..=4 => Outcome::Stop(STOPS[usize::from(byte) - 1]),
            5 => Outcome::Failed,
            _ => Outcome::OutOfBounds(Buffer(u32::from(byte) - 6)),
        }
    }

    /// The error of a kernel that should not fail but did, or that accessed memory outside a buffer.
    pub(crate) fn trouble(self, kernel: &Kernel) -> Option<Trouble> {
        let function = kernel.function();
        let why = match self {
            Outcome::Done | Outcome::Stop(_) => return None,
            Outcome::Failed => "fails at a site of its own".to_owned(),
            Outcome::OutOfBounds(buffer) => {
                let name = function.buffers.get(buffer.index()).map_or("", |buffer| buffer.name.as_str());
                format!("leaves its buffer `{name}`")
            }
        };
        Some(Trouble::Kernel { name: function.name.clone(), why })
    }

    /// The more urgent of two.
    pub(crate) fn and(self, other: Self) -> Self {
        if other.byte() > self.byte() { other } else { self }
    }

    /// The most urgent outcome of all ranks, which call it at the same place.
    pub(crate) fn agreed(self, context: &Context) -> Result<Self, Error> {
        let network = context.network();
        if network.size() == 1 {
            return Ok(self);
        }
        let mut bytes = vec![0; network.size()];
        bytes[network.rank()] = self.byte();
        network.all_gather(&vec![1; network.size()], &mut bytes)?;
        Ok(Outcome::of_byte(bytes.into_iter().max().unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back() {
        let mut outcomes = vec![Outcome::Done, Outcome::Failed, Outcome::OutOfBounds(Buffer(0))];
        outcomes.push(Outcome::OutOfBounds(Buffer(3)));
        outcomes.extend(STOPS.map(Outcome::Stop));
        for outcome in outcomes {
            assert_eq!(Outcome::of_byte(outcome.byte()), outcome);
        }
        assert_eq!(Outcome::Failed.and(Outcome::Stop(Stop::Timeout)), Outcome::Failed);
        assert_eq!(Outcome::Done.and(Outcome::Stop(Stop::Timeout)), Outcome::Stop(Stop::Timeout));
    }
}
