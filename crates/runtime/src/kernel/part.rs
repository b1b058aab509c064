//! The lanes of one part: they run on the part's device or, after a failure, on another one.
//!
//! A device that fails may have written half of its results, and its memory may be unreadable. With a
//! [`RecoveryPolicy`], the contents that the kernel writes (or all that it uses) are copied before it starts.
//! When the device fails, another device gets the contents of the part: the copies, and the rest read from
//! its present place. Then it runs all lanes of the part, from the first on.

use super::{Argument, Kernel, RecoveryPolicy, on};
use crate::balance::caught;
use crate::configuration::Distribution;
use crate::contents::Content;
use crate::error::Error;
use crate::launch::{Command, Executable, Launch, LaunchBuffer};
use crate::storage::Region;
use std::ops::Range;
use std::sync::{Arc, PoisonError};
use volvelle_kernel::{Access, Const, Exit};

/// The lanes of one part.
pub(super) struct Part<'a> {
    kernel: &'a Kernel,
    /// The device that had the part first.
    number: usize,
    lanes: Range<u64>,
    params: Vec<Const>,
    distribution: Option<&'a Distribution>,
    used: Vec<Used<'a>>,
}

/// A content that the kernel uses.
struct Used<'a> {
    /// Its name in the kernel.
    name: &'a str,
    content: &'a Arc<dyn Content>,
    is_written: bool,
    /// The part's elements, as they were before the kernel started.
    copy: Option<Vec<u8>>,
}

/// The reason why lanes did not run on a device.
enum Failure {
    /// The device failed.
    Failed(Error),
    /// It could not take over the contents of the part; perhaps there is no room.
    Refused(Error),
    /// Contents of the part are lost, or cannot be copied: no device can continue.
    Lost(Error),
}

impl<'a> Part<'a> {
    /// A part of a kernel whose arguments were checked.
    pub fn new(
        kernel: &'a Kernel,
        number: usize,
        lanes: Range<u64>,
        units: u64,
        distribution: Option<&'a Distribution>,
    ) -> Self {
        let (mut params, mut used) = (Vec::new(), Vec::<Used<'a>>::new());
        for (place, argument) in kernel.arguments.iter().enumerate() {
            match argument {
                Some(Argument::Scalar(value)) => params.push(*value),
                Some(Argument::First) => params.push(Const::u64(lanes.start)),
                Some(Argument::End) => params.push(Const::u64(lanes.end)),
                Some(Argument::Units) => params.push(Const::u64(units)),
                Some(Argument::Start(content)) => params.push(Const::u64(content.held(number).start)),
                Some(Argument::Content(content)) => {
                    let buffer = &kernel.function.buffers[place - (kernel.function.params.len() - 1)];
                    let is_written = buffer.access != Access::Read;
                    match used.iter_mut().find(|used| is_same(used.content, content)) {
                        Some(used) => used.is_written |= is_written,
                        None => used.push(Used { name: &buffer.name, content, is_written, copy: None }),
                    }
                }
                None => {}
            }
        }
        Part { kernel, number, lanes, params, distribution, used }
    }

    /// Runs the lanes on the device that does the work of the part, or on others if that fails.
    pub fn run(mut self) -> Result<Exit, Error> {
        if self.lanes.is_empty() {
            return Ok(Exit::Done);
        }
        let (kernel, mut tried) = (self.kernel, Vec::new());
        let context = &kernel.context;
        let mut device = context.acting(self.number);
        loop {
            let attribute = |error: Error| on(context.devices()[device].name(), error);
            let error = match self.attempt(device) {
                Ok(exit) => return Ok(exit),
                Err(Failure::Lost(error)) => return Err(error),
                Err(Failure::Refused(error)) => attribute(error),
                Err(Failure::Failed(error)) => {
                    let error = attribute(error);
                    if kernel.recovery != RecoveryPolicy::None && error.is_of_the_device() {
                        context.roster().fail(device, &error);
                    }
                    error
                }
            };
            if kernel.recovery == RecoveryPolicy::None || !error.is_of_the_device() {
                return Err(error);
            }
            tried.push(device);
            match context.roster().fail_over(self.number, &error, &tried) {
                Some(other) => device = other,
                None => return Err(error),
            }
        }
    }

    /// Runs the lanes on one device.
    fn attempt(&mut self, device: usize) -> Result<Exit, Failure> {
        self.bring(device)?;
        self.copy()?;
        self.launch(device).map_err(Failure::Failed)
    }

    /// Moves the contents of the part to a device, if they are elsewhere.
    fn bring(&self, device: usize) -> Result<(), Failure> {
        let executor = &self.kernel.context.devices()[device];
        for used in &self.used {
            if used.content.place(self.number) == device {
                continue;
            }
            let found;
            let bytes = match &used.copy {
                Some(copy) => copy,
                None => {
                    found = self.rescued(used)?;
                    &found
                }
            };
            let region = executor.storage().allocate(bytes.len()).map_err(Failure::Refused)?;
            region.write(0, bytes).map_err(Failure::Refused)?;
            used.content.settle(self.number, device, Arc::from(region)).map_err(Failure::Lost)?;
        }
        Ok(())
    }

    /// The part's elements of a content, from any device that still has them.
    fn rescued(&self, used: &Used<'_>) -> Result<Vec<u8>, Failure> {
        let devices = self.kernel.context.devices();
        let is_other = |device: &usize| used.content.is_replicated() && *device != self.number;
        // The copies of other devices first: that of the part's own device is probably lost.
        for other in (0..devices.len()).filter(is_other) {
            if let Ok(bytes) = read(&**used.content, other, Vec::new()) {
                return Ok(bytes);
            }
        }
        read(&**used.content, self.number, Vec::new()).map_err(|failure| {
            let device = devices[used.content.place(self.number)].name();
            let lost = |error| format!("what it had of `{}` is lost: {error}", used.name);
            match failure {
                Failure::Failed(error) => Failure::Lost(on(device, Error::Transfer(lost(error)))),
                other => other,
            }
        })
    }

    /// Copies the contents of the recovery policy that are not copied yet.
    fn copy(&mut self) -> Result<(), Failure> {
        let (recovery, number) = (self.kernel.recovery, self.number);
        let is_alone = self.kernel.context.devices().len() == 1;
        for used in &mut self.used {
            let is_kept = match recovery {
                // With a single device, nothing can be recovered.
                _ if is_alone => false,
                RecoveryPolicy::None => false,
                RecoveryPolicy::Written => used.is_written,
                RecoveryPolicy::All => used.is_written || !used.content.is_replicated(),
            };
            if is_kept && used.copy.is_none() {
                let room = self.kernel.room.lock().unwrap_or_else(PoisonError::into_inner).pop();
                used.copy = Some(read(&**used.content, number, room.unwrap_or_default())?);
            }
        }
        Ok(())
    }

    /// Runs the lanes on a device that has all contents, in launches of the distribution's size.
    fn launch(&self, device: usize) -> Result<Exit, Error> {
        let prepared = self.prepared(device)?;
        for launch in &prepared.launches(&prepared.buffers()) {
            let exit = caught(|| prepared.code.launch(launch))?;
            if exit != Exit::Done {
                return Ok(exit);
            }
        }
        Ok(Exit::Done)
    }

    /// The launches on a device that has all contents.
    fn prepared(&self, device: usize) -> Result<Prepared<'_>, Error> {
        let missing = || Error::Unavailable("it failed before the kernel was built".to_owned());
        let code = self.kernel.ready[device].as_ref().ok_or_else(missing)?;
        let contents = self.kernel.arguments.iter().flatten().filter_map(|argument| match argument {
            Argument::Content(content) => Some(content),
            _ => None,
        });
        let regions = contents.map(|content| {
            let held = content.held(self.number);
            // As many as were allocated, which memory had addresses for.
            (content.region(self.number), (held.end - held.start) as usize * content.layout().width)
        });
        let sizes = self.kernel.context.sizes(device, self.distribution);
        let (block, most) = (sizes.block, sizes.size.unwrap_or(u64::MAX).max(1));
        let lanes = self.lanes.clone();
        Ok(Prepared { code, regions: regions.collect(), params: &self.params, lanes, block, most })
    }
}

/// The launches of a part.
struct Prepared<'a> {
    code: &'a Arc<dyn Executable>,
    regions: Vec<(Arc<dyn Region>, usize)>,
    params: &'a [Const],
    lanes: Range<u64>,
    block: Option<u32>,
    /// Limit of lanes in a launch.
    most: u64,
}

impl Prepared<'_> {
    fn buffers(&self) -> Vec<LaunchBuffer<'_>> {
        self.regions.iter().map(|(region, elements)| LaunchBuffer::first(&**region, *elements)).collect()
    }

    fn launches<'b>(&'b self, buffers: &'b [LaunchBuffer<'b>]) -> Vec<Launch<'b>> {
        let mut start = self.lanes.start;
        let next = || {
            let lanes = start..start.saturating_add(self.most).min(self.lanes.end);
            start = lanes.end;
            (!lanes.is_empty()).then_some(Launch { lanes, block: self.block, params: self.params, buffers })
        };
        std::iter::from_fn(next).collect()
    }
}

/// Runs the lanes of the same part for one kernel after the other. A device with a queue gets all kernels at
/// once. None of the kernels recovers from failures.
///
/// # Errors
/// The device failed.
pub(super) fn run_in_order(parts: &[Part<'_>]) -> Result<Exit, Error> {
    let Some(first) = parts.first().filter(|part| !part.lanes.is_empty()) else { return Ok(Exit::Done) };
    let context = &first.kernel.context;
    let device = context.acting(first.number);
    let executor = &context.devices()[device];
    let attribute = |error: Error| on(executor.name(), error);
    for part in parts {
        part.bring(device).map_err(|failure| match failure {
            Failure::Lost(error) => error,
            Failure::Failed(error) | Failure::Refused(error) => attribute(error),
        })?;
    }
    let prepared: Result<Vec<Prepared<'_>>, Error> = parts.iter().map(|part| part.prepared(device)).collect();
    let prepared = prepared.map_err(attribute)?;
    let buffers: Vec<Vec<LaunchBuffer<'_>>> = prepared.iter().map(Prepared::buffers).collect();
    let commands: Vec<Command<'_>> = prepared
        .iter()
        .zip(&buffers)
        .flat_map(|(prepared, buffers)| {
            let launches = prepared.launches(buffers).into_iter();
            launches.map(|launch| Command { code: &**prepared.code, launch })
        })
        .collect();
    caught(|| executor.run_in_order(&commands)).map_err(attribute)
}

impl Drop for Part<'_> {
    /// The memory of copies is reused: allocating it again may take longer than copying.
    fn drop(&mut self) {
        let mut room = self.kernel.room.lock().unwrap_or_else(PoisonError::into_inner);
        room.extend(self.used.iter_mut().filter_map(|used| used.copy.take()));
    }
}

/// Whether both are one content.
fn is_same(one: &Arc<dyn Content>, other: &Arc<dyn Content>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(other))
}

/// A part's elements of a content, in `bytes`, which grows as needed.
fn read(content: &dyn Content, part: usize, mut bytes: Vec<u8>) -> Result<Vec<u8>, Failure> {
    let held = content.held(part);
    // As many as were allocated, which memory had addresses for.
    let count = (held.end - held.start) as usize * content.layout().bytes();
    bytes.try_reserve_exact(count.saturating_sub(bytes.len())).map_err(|error| {
        Failure::Lost(Error::Memory {
            bytes: count,
            why: format!("for a copy of what devices have: {error}"),
        })
    })?;
    bytes.resize(count, 0);
    content.region(part).read(0, &mut bytes).map_err(Failure::Failed)?;
    Ok(bytes)
}
