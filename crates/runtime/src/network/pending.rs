//! Operations that run while the program continues.

use crate::error::Error;

/// A started operation. It owns its buffers, and returns them at its end.
///
/// Dropping it does not undo it: messages that it started are sent anyway.
pub trait Operation<T>: Send {
    /// Whether waiting would return at once. Does not wait itself; some networks move data only during calls
    /// like this one.
    ///
    /// # Errors
    /// A rank is gone.
    fn is_done(&mut self) -> Result<bool, Error>;

    /// Waits for the end.
    ///
    /// # Errors
    /// A rank is gone, or its message has another length.
    fn wait(self: Box<Self>) -> Result<T, Error>;
}

/// An operation in progress.
pub type Pending<T> = Box<dyn Operation<T>>;

/// An operation that has ended already.
pub struct Done<T>(pub T);

impl<T: Send> Operation<T> for Done<T> {
    fn is_done(&mut self) -> Result<bool, Error> {
        Ok(true)
    }

    fn wait(self: Box<Self>) -> Result<T, Error> {
        Ok(self.0)
    }
}
