//! Steps over values on the requested device, and on this thread where there is none or once it has failed.

use volvelle_control::Stop;
use volvelle_runtime::Error;

use crate::context::Context;
use crate::sweeps::Sweeps;

/// Entries that are multiplied on a device before its vectors are read back: some ten seconds for a thread.
pub const READ_BACK: u64 = 1 << 34;

/// Number of rows below which launches on a device do not pay.
pub const LEAST: usize = 2048;

/// Whether a device makes the steps over values of that many rows, or did before it failed. No measurement decides.
pub fn is_for_device(context: &Context, rows: usize) -> bool {
    rows >= LEAST && context.sweeps().is_some_and(Sweeps::is_asked)
}

/// Steps over values in main memory.
pub trait HostSteps {
    /// The result of a step.
    type Outcome;

    /// Makes a step.
    fn step(&mut self, values: &mut [f64]) -> Self::Outcome;

    /// Entries that a step multiplies.
    fn work(&self) -> u64;
}

/// The same steps, bit for bit, over values on a device.
pub trait DeviceSteps {
    /// The result of a step.
    type Outcome;

    /// Makes a step.
    fn step(&mut self) -> Result<Self::Outcome, Error>;

    /// Brings the values in main memory up to date.
    fn read(&self, values: &mut [f64]) -> Result<(), Error>;

    /// Goes on from these values.
    fn write(&mut self, values: &[f64]) -> Result<(), Error>;
}

/// Steps on a device as long as it works, and on this thread otherwise. Every call gets the same values in main memory:
/// they are the newest only before the first step and after [`Fallback::fetch`], and the thread goes on from them where the
/// device fails.
pub struct Fallback<'a, H, D> {
    context: &'a Context<'a>,
    host: H,
    device: Option<D>,
    /// Steps since the values in main memory were the newest.
    behind: u64,
}

impl<'a, D: DeviceSteps, H: HostSteps<Outcome = D::Outcome>> Fallback<'a, H, D> {
    /// Begins on a device if one was requested, has not failed, and that many rows are worth it; `fill` fills it.
    pub fn new(
        context: &'a Context<'a>,
        host: H,
        rows: usize,
        fill: impl FnOnce(&Sweeps) -> Result<D, Error>,
    ) -> Self {
        let mut device = None;
        if let Some(sweeps) = context.sweeps().filter(|_| is_for_device(context, rows)) {
            if sweeps.has_failed() {
                context.note_failed_device();
            } else {
                match fill(sweeps) {
                    Ok(filled) => {
                        context.note_asked_device();
                        device = Some(filled);
                    }
                    Err(error) => context.give_up_device(error),
                }
            }
        }
        Fallback { context, host, device, behind: 0 }
    }

    /// Makes a step.
    ///
    /// # Errors
    /// The work must stop, which is checked when the steps of a failed device are repeated.
    pub fn step(&mut self, values: &mut [f64]) -> Result<D::Outcome, Stop> {
        if let Some(device) = &mut self.device {
            match device.step() {
                Ok(outcome) => {
                    self.behind += 1;
                    if self.behind.saturating_mul(self.host.work()) > READ_BACK {
                        self.fetch(values)?;
                    }
                    return Ok(outcome);
                }
                Err(error) => self.fail(error, values)?,
            }
        }
        Ok(self.host.step(values))
    }

    /// Brings the values in main memory up to date.
    ///
    /// # Errors
    /// As of [`Fallback::step`].
    pub fn fetch(&mut self, values: &mut [f64]) -> Result<(), Stop> {
        let Some(device) = &self.device else { return Ok(()) };
        if self.behind > 0 {
            match device.read(values) {
                Ok(()) => self.behind = 0,
                Err(error) => self.fail(error, values)?,
            }
        }
        Ok(())
    }

    /// Goes on from these values.
    pub fn put(&mut self, values: &[f64]) {
        self.behind = 0;
        if let Some(device) = &mut self.device
            && let Err(error) = device.write(values)
        {
            self.context.give_up_device(error);
            self.device = None;
        }
    }

    /// Gives up the device; the thread makes its steps again.
    fn fail(&mut self, error: Error, values: &mut [f64]) -> Result<(), Stop> {
        self.context.give_up_device(error);
        self.device = None;
        while self.behind > 0 {
            self.context.control.check()?;
            self.host.step(values);
            self.behind -= 1;
        }
        Ok(())
    }
}
