//! Requests that belong together, with the memory that the library uses for them.

use super::session::{Session, Tested};
use super::table::Handle;
use std::ffi::c_int;
use volvelle_runtime::Error;

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duty {
    /// It sends.
    Send,
    /// It receives a message of a rank, of this length.
    Receive { from: usize, bytes: usize },
    /// It is this rank's part in a collective operation with this number.
    Together { number: u64 },
}

/// Requests in progress. They own the memory that the library reads and writes, so it stays in place until
/// all requests end.
pub(super) struct Flight<H> {
    requests: Vec<(H, Duty)>,
    buffers: Vec<Vec<u8>>,
    /// Counts and places of a gathering.
    numbers: [Vec<c_int>; 2],
    failure: Option<Error>,
    /// Whether a test failed: then the library may still use the memory.
    is_doubtful: bool,
}

impl<H: Handle> Flight<H> {
    /// With these buffers, for requests that use them.
    pub(super) fn new(buffers: Vec<Vec<u8>>, numbers: [Vec<c_int>; 2]) -> Self {
        Flight { requests: Vec::new(), buffers, numbers, failure: None, is_doubtful: false }
    }

    /// Starts a request, given buffers and numbers. Does nothing after one that failed.
    pub(super) fn start(
        &mut self,
        duty: Duty,
        start: impl FnOnce(&mut [Vec<u8>], &[Vec<c_int>; 2]) -> Result<H, Error>,
    ) {
        if self.failure.is_none() {
            match start(&mut self.buffers, &self.numbers) {
                Ok(request) => self.requests.push((request, duty)),
                Err(error) => self.failure = Some(error),
            }
        }
    }

    /// Whether a request could not be started; then this is why.
    pub(super) fn failure(&self) -> Option<Error> {
        self.failure.clone()
    }

    /// Whether no request is in progress.
    pub(super) fn is_over(&self) -> bool {
        self.requests.is_empty()
    }

    /// The purposes of the requests in progress.
    pub(super) fn duties(&self) -> impl Iterator<Item = Duty> {
        self.requests.iter().map(|(_, duty)| *duty)
    }

    /// Asks the library for progress. Returns whether no request is in progress any more.
    pub(super) fn advance(&mut self, session: &Session<H>) -> bool {
        let mut failure = self.failure.take();
        let is_doubtful = &mut self.is_doubtful;
        self.requests.retain_mut(|(request, duty)| {
            let is_receive = matches!(duty, Duty::Receive { .. });
            // SAFETY: requests that are over are not kept, so that this one is not.
            let found = match unsafe { session.test(request, is_receive) } {
                Ok(Tested::Pending) => return true,
                Ok(Tested::Over { bytes }) => match *duty {
                    Duty::Receive { from, bytes: expected } if bytes != expected => Some(Error::Transfer(
                        format!("a message of {bytes} bytes from rank {from} instead of {expected}"),
                    )),
                    _ => None,
                },
                Ok(Tested::Cancelled) => match *duty {
                    Duty::Receive { from, .. } => Some(gone(from)),
                    _ => None,
                },
                Err(error) => {
                    *is_doubtful = true;
                    Some(match *duty {
                        Duty::Receive { from, bytes } => Error::Transfer(format!(
                            "a message from rank {from}, which should have {bytes} bytes: {error}"
                        )),
                        _ => error,
                    })
                }
            };
            failure = failure.take().or(found);
            false
        });
        self.failure = failure;
        self.is_over()
    }

    /// Cancels receives from ranks that satisfy a condition, unless their message has come.
    pub(super) fn cancel(&mut self, session: &Session<H>, is_vain: impl Fn(usize) -> bool) {
        for (request, duty) in &mut self.requests {
            if matches!(*duty, Duty::Receive { from, .. } if is_vain(from)) {
                // SAFETY: the request is a receive and not over. A failure leaves it as it was.
                let _ = unsafe { session.cancel(request) };
            }
        }
    }

    /// The buffers, after all requests have ended.
    ///
    /// # Errors
    /// A request failed, or is still in progress.
    pub(super) fn land(&mut self) -> Result<Vec<Vec<u8>>, Error> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        match self.is_over() {
            true => Ok(std::mem::take(&mut self.buffers)),
            false => Err(Error::Transfer("an operation is not over".to_owned())),
        }
    }
}

impl<H> Drop for Flight<H> {
    fn drop(&mut self) {
        // Memory that the library may still use is never freed.
        if !self.requests.is_empty() || self.is_doubtful {
            std::mem::forget(std::mem::take(&mut self.buffers));
            std::mem::forget(std::mem::take(&mut self.numbers));
        }
    }
}

pub(super) fn gone(rank: usize) -> Error {
    Error::Transfer(format!("rank {rank} is gone"))
}
