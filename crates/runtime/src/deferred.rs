//! Devices that are opened on first use, since opening one takes time and memory.

use crate::error::Error;
use crate::technology::Executor;
use std::sync::{Arc, OnceLock};

/// Opens a device.
type Opener = dyn Fn() -> Result<Arc<dyn Executor>, Error> + Send + Sync;

/// A device that is opened when it is first needed, once. Threads may share it.
pub struct Deferred {
    opener: Box<Opener>,
    opened: OnceLock<Result<Arc<dyn Executor>, Error>>,
}

impl Deferred {
    /// A device that is not open yet.
    pub fn new(open: impl Fn() -> Result<Arc<dyn Executor>, Error> + Send + Sync + 'static) -> Self {
        Deferred { opener: Box::new(open), opened: OnceLock::new() }
    }

    /// The device.
    ///
    /// # Errors
    /// It could not be opened. It is not tried again.
    pub fn executor(&self) -> Result<&Arc<dyn Executor>, Error> {
        self.opened.get_or_init(&self.opener).as_ref().map_err(Clone::clone)
    }
}

impl From<Arc<dyn Executor>> for Deferred {
    /// A device that is open already.
    fn from(executor: Arc<dyn Executor>) -> Self {
        Deferred::new(move || Ok(Arc::clone(&executor)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn it_is_opened_once_and_only_where_it_is_needed() {
        let opened = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&opened);
        let device = Deferred::new(move || {
            let before = counted.fetch_add(1, Ordering::SeqCst);
            Err(Error::Unavailable(format!("opened {before} times before")))
        });
        assert_eq!(opened.load(Ordering::SeqCst), 0);
        let errors: Vec<Option<Error>> = std::thread::scope(|scope| {
            let ask = || device.executor().err();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(errors, vec![Some(Error::Unavailable("opened 0 times before".to_owned())); 4]);
        assert_eq!(opened.load(Ordering::SeqCst), 1);
    }
}
