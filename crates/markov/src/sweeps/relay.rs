//! Steps over values by a device that somebody asked for, and by this thread where there is none, or once it has failed.

use volvelle_control::Stop;
use volvelle_runtime::Error;

use super::READ_BACK;
use crate::context::Context;
use crate::sweeps::Sweeps;

/// Rows below which a device is not worth its launches.
pub const LEAST: usize = 2048;

/// Whether a device makes the steps over values of so many rows, or did before it failed. Nothing that was measured decides.
pub fn is_for_device(context: &Context, rows: usize) -> bool {
    rows >= LEAST && context.sweeps().is_some_and(Sweeps::is_asked)
}

/// Steps over values in main memory.
pub trait Here {
    /// What a step tells.
    type Told;

    /// Makes a step.
    fn step(&mut self, values: &mut [f64]) -> Self::Told;

    /// Entries that a step multiplies.
    fn work(&self) -> u64;
}

/// The same steps, bit for bit, over values that a device has.
pub trait There {
    /// What a step tells.
    type Told;

    /// Makes a step.
    fn step(&mut self) -> Result<Self::Told, Error>;

    /// Brings the values of main memory up to date.
    fn read(&self, values: &mut [f64]) -> Result<(), Error>;

    /// Goes on from these values.
    fn write(&mut self, values: &[f64]) -> Result<(), Error>;
}

/// Who makes the steps. It is given the same values again and again: they are the newest only before the first step and after
/// [`Relay::fetch`], and what a thread goes on from where the device fails.
pub struct Relay<'a, H, T> {
    context: &'a Context<'a>,
    here: H,
    there: Option<T>,
    /// Steps since the values in main memory were the newest.
    behind: u64,
}

impl<'a, T: There, H: Here<Told = T::Told>> Relay<'a, H, T> {
    /// A thread, and a device if `fill` fills one: it is asked where values of so many rows are for a device, and that has not
    /// failed.
    pub fn new(
        context: &'a Context<'a>,
        here: H,
        rows: usize,
        fill: impl FnOnce(&Sweeps) -> Result<T, Error>,
    ) -> Self {
        let mut there = None;
        if let Some(sweeps) = context.sweeps().filter(|_| is_for_device(context, rows)) {
            if sweeps.has_failed() {
                context.note_failed_device();
            } else {
                match fill(sweeps) {
                    Ok(filled) => {
                        context.note_asked_device();
                        there = Some(filled);
                    }
                    Err(error) => context.give_up_device(error),
                }
            }
        }
        Relay { context, here, there, behind: 0 }
    }

    /// Makes a step.
    ///
    /// # Errors
    /// The work is to stop, which is asked where a device has failed and its steps are made again.
    pub fn step(&mut self, values: &mut [f64]) -> Result<T::Told, Stop> {
        if let Some(there) = &mut self.there {
            match there.step() {
                Ok(told) => {
                    self.behind += 1;
                    if self.behind.saturating_mul(self.here.work()) > READ_BACK {
                        self.fetch(values)?;
                    }
                    return Ok(told);
                }
                Err(error) => self.fail(error, values)?,
            }
        }
        Ok(self.here.step(values))
    }

    /// Brings the values in main memory up to date.
    ///
    /// # Errors
    /// As of [`Relay::step`].
    pub fn fetch(&mut self, values: &mut [f64]) -> Result<(), Stop> {
        let Some(there) = &self.there else { return Ok(()) };
        if self.behind > 0 {
            match there.read(values) {
                Ok(()) => self.behind = 0,
                Err(error) => self.fail(error, values)?,
            }
        }
        Ok(())
    }

    /// Goes on from these values.
    pub fn put(&mut self, values: &[f64]) {
        self.behind = 0;
        if let Some(there) = &mut self.there
            && let Err(error) = there.write(values)
        {
            self.context.give_up_device(error);
            self.there = None;
        }
    }

    /// The device is not asked any more; its steps are made again.
    fn fail(&mut self, error: Error, values: &mut [f64]) -> Result<(), Stop> {
        self.context.give_up_device(error);
        self.there = None;
        while self.behind > 0 {
            self.context.control.check()?;
            self.here.step(values);
            self.behind -= 1;
        }
        Ok(())
    }
}
