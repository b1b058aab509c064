//! Operations that run while the program goes on.

use crate::error::Error;

/// An operation that was started. It owns its buffers, and gives them back in the end.
///
/// One that is dropped is not taken back: messages that it has started are on their way.
pub trait Operation<T>: Send {
    /// Whether waiting would be short. Does not wait itself; some networks move data only during calls like this one.
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

/// An operation under way.
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
