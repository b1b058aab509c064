//! The processors that run this program, as two technologies: [`Interpreter`], the reference on one thread, and
//! [`Threads`], machine code on several.
//! Both keep buffers in main memory ([`Ram`]) and give the same bits as the reference interpreter.
//! `implementation` selects the code for the lanes of a function, `share` distributes ranges of lanes to
//! threads, which wait in a `pool`, and `launch` combines them.

mod implementation;
mod launch;
mod pool;
mod share;

use implementation::{Choice, Implementation};
use launch::Ready;
use pool::Pool;
use std::num::NonZeroUsize;
use std::sync::Arc;
use volvelle_runtime::storage::Ram;
use volvelle_runtime::{
    Built, Clock, Device, Error, Executable, Executor, Function, Offer, Place, Storage, Technology,
};
use volvelle_vector::Level;

/// The reference interpreter on one thread: slow, and by definition right.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl Technology for Interpreter {
    fn name(&self) -> &str {
        "interpreter"
    }

    fn device_name(&self, number: usize) -> String {
        device_name(self.name(), number)
    }

    fn offers(&self) -> Result<Vec<Offer>, Error> {
        Ok(vec![offer("reference interpreter", 1)])
    }

    fn open(&self, number: usize) -> Result<Arc<dyn Executor>, Error> {
        only("interpreter", number)?;
        Ok(Arc::new(Processors {
            name: "interpreter",
            offer: offer("reference interpreter", 1),
            threads: NonZeroUsize::MIN,
            pool: Arc::new(Pool::new(0)),
            choice: Choice::Reference,
            clock: None,
        }))
    }
}

/// Machine code on several threads: vector code if the machine supports it, otherwise scalar code.
#[derive(Clone)]
pub struct Threads {
    threads: NonZeroUsize,
    level: Option<Level>,
    clock: Option<Arc<Clock>>,
}

impl Threads {
    /// Creates an executor of `threads` threads, with the best vector code that this machine has.
    pub fn new(threads: NonZeroUsize) -> Self {
        Threads { threads, level: Some(Level::best()), clock: None }
    }

    /// Uses vector code of a given level instead of the best; `None` for scalar code.
    pub fn with_level(mut self, level: Option<Level>) -> Self {
        self.level = level;
        self
    }

    /// A clock that measures the time of compilers.
    pub fn with_clock(mut self, clock: Arc<Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    fn offer(&self) -> Offer {
        let driver = match self.level {
            Some(Level::Avx512) => "vector code for AVX-512",
            Some(Level::Avx2) => "vector code for AVX2",
            Some(Level::Portable) | None => "scalar code",
        };
        offer(driver, self.threads.get())
    }
}

impl Technology for Threads {
    fn name(&self) -> &str {
        "threads"
    }

    fn device_name(&self, number: usize) -> String {
        device_name(self.name(), number)
    }

    fn offers(&self) -> Result<Vec<Offer>, Error> {
        Ok(vec![self.offer()])
    }

    fn open(&self, number: usize) -> Result<Arc<dyn Executor>, Error> {
        only("threads", number)?;
        Ok(Arc::new(Processors {
            name: "threads",
            offer: self.offer(),
            threads: self.threads,
            pool: Arc::new(Pool::new(self.threads.get() - 1)),
            choice: Choice::Machine(self.level),
            clock: self.clock.clone(),
        }))
    }
}

/// The only device is called as the technology.
fn device_name(technology: &str, number: usize) -> String {
    if number == 0 { technology.to_owned() } else { format!("{technology}:{number}") }
}

fn only(name: &str, number: usize) -> Result<(), Error> {
    match number {
        0 => Ok(()),
        _ => Err(Error::Unavailable(format!("there is no `{name}:{number}`, only `{name}`"))),
    }
}

fn offer(driver: &str, threads: usize) -> Offer {
    Offer {
        device: Device {
            architecture: "CPU".to_owned(),
            vendor: String::new(),
            name: "processors of this machine".to_owned(),
            place: Place::Host,
            memory_bytes: None,
            compute_units: Some(u32::try_from(threads).unwrap_or(u32::MAX)),
        },
        driver: driver.to_owned(),
        has_f64: true,
    }
}

/// The processors, opened.
struct Processors {
    name: &'static str,
    offer: Offer,
    threads: NonZeroUsize,
    pool: Arc<Pool>,
    choice: Choice,
    clock: Option<Arc<Clock>>,
}

impl Executor for Processors {
    fn name(&self) -> &str {
        self.name
    }

    fn offer(&self) -> &Offer {
        &self.offer
    }

    fn lanes(&self) -> u64 {
        self.threads.get() as u64 * self.choice.width()
    }

    fn storage(&self) -> Arc<dyn Storage> {
        Ram::shared()
    }

    fn build(&self, function: &Function) -> Result<Arc<dyn Executable>, Error> {
        let now = || self.clock.as_ref().map(|clock| clock()).unwrap_or_default();
        let before = now();
        let implementation = Implementation::of(function, self.choice)?;
        let built = Built { compile_time: now().saturating_sub(before), ..Built::default() };
        Ok(Arc::new(Ready::new(function, implementation, self.threads, self.pool.clone(), built)))
    }
}
