//! The state of an open device: its context and its streams.

use super::find::{ListedDevice, Ready};
use super::handles::{Context, Status, Stream};
use std::sync::{Arc, Mutex, PoisonError};

/// The state that memory and kernels of an open device share.
#[derive(Debug)]
pub(super) struct Opened {
    /// `cuda:0`.
    pub(super) name: String,
    pub(super) ready: Ready,
    pub(super) found: ListedDevice,
    pub(super) context: Arc<Context>,
    /// Free streams.
    streams: Mutex<Vec<Stream>>,
}

impl Opened {
    pub(super) fn new(name: String, ready: Ready, found: ListedDevice, context: Context) -> Self {
        Opened { name, ready, found, context: Arc::new(context), streams: Mutex::default() }
    }

    /// Lends an idle stream to `work`, which must leave it idle unless it fails.
    ///
    /// # Errors
    /// Those of `work`, or there is no stream.
    pub(super) fn with_stream<T>(
        &self,
        work: impl FnOnce(&Stream) -> Result<T, Status>,
    ) -> Result<T, Status> {
        let free = self.streams.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let stream = match free {
            Some(stream) => stream,
            None => Stream::new(&self.context)?,
        };
        let done = work(&stream);
        match done {
            Ok(_) => self.streams.lock().unwrap_or_else(PoisonError::into_inner).push(stream),
            // Commands of the failed work must end before their memory is freed.
            Err(_) => drop(stream.wait()),
        }
        done
    }

    /// An error code in words, with the name of the device.
    pub(super) fn says(&self, code: Status) -> String {
        format!("{}: {}", self.name, self.context.driver.name(code))
    }
}
