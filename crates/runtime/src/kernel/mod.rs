//! Kernels of a context: a function that is built for every device, with its arguments.

mod argument;
mod part;

use argument::on;
pub use argument::{Argument, Kernel, RecoveryPolicy, Which};

use crate::configuration::Distribution;
use crate::contents::Content;
use crate::context::Context;
use crate::error::Error;
use crate::launch::{Executable, Function};
use part::Part;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use volvelle_kernel::{Buffer, Const, Exit, Type};

impl Kernel {
    /// Builds a function for all devices of this process that have not failed.
    ///
    /// # Errors
    /// A device cannot build it.
    pub fn new(context: &Arc<Context>, function: Function) -> Result<Self, Error> {
        function.check()?;
        let mut ready = Vec::new();
        for (number, device) in context.devices().iter().enumerate() {
            ready.push(match context.roster().has_failed(number) {
                true => None,
                false => Some(device.build(&function).map_err(|error| on(device.name(), error))?),
            });
        }
        let arguments = vec![None; function.params.len() - 1 + function.buffers.len()];
        Ok(Kernel {
            context: context.clone(),
            function,
            ready,
            arguments,
            recovery: RecoveryPolicy::default(),
            room: Mutex::default(),
        })
    }

    /// The function.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The compiled kernels of the devices of this process.
    pub fn built(&self) -> Vec<Arc<dyn Executable>> {
        self.ready.iter().flatten().cloned().collect()
    }

    /// Sets which contents are copied before later starts; [`RecoveryPolicy::None`] is the default.
    pub fn set_recovery(&mut self, policy: RecoveryPolicy) {
        self.recovery = policy;
        self.room = Mutex::default();
    }

    /// Sets an argument for all later starts.
    ///
    /// # Errors
    /// There is no such argument, or it is of another type.
    pub fn set<'a>(
        &mut self,
        which: impl Into<Which<'a>>,
        argument: impl Into<Argument>,
    ) -> Result<(), Error> {
        let (which, argument) = (which.into(), argument.into());
        let number = self.number(which)?;
        let (name, expected) = self.declared(number);
        let is_buffer = number >= self.function.params.len() - 1;
        let (found, fits) = match &argument {
            Argument::Scalar(value) => {
                (format!("a number of type {}", value.ty), !is_buffer && value.ty == expected)
            }
            Argument::First | Argument::End | Argument::Units | Argument::Start(_) => {
                ("a number of type u64".to_owned(), !is_buffer && expected == Type::U64)
            }
            Argument::Content(content) => {
                (format!("elements of {}", content.layout()), is_buffer && content.layout().ty == expected)
            }
        };
        if !fits {
            let wanted = if is_buffer {
                format!("a buffer of {expected}")
            } else {
                format!("a number of type {expected}")
            };
            return Err(self.mismatch(format!("argument `{name}` is {wanted}, not {found}")));
        }
        self.arguments[number] = Some(argument);
        Ok(())
    }

    fn number(&self, which: Which<'_>) -> Result<usize, Error> {
        let count = self.arguments.len();
        let names = || {
            (0..count).map(|number| format!("`{}`", self.declared(number).0)).collect::<Vec<_>>().join(", ")
        };
        let (found, wanted) = match which {
            Which::Number(number) => {
                (Some(number).filter(|&number| number < count), format!("number {number}"))
            }
            Which::Name(name) => {
                ((0..count).find(|&number| self.declared(number).0 == name), format!("`{name}`"))
            }
        };
        found
            .ok_or_else(|| self.mismatch(format!("there is no argument {wanted} among {count}: {}", names())))
    }

    /// Name and type of an argument.
    fn declared(&self, number: usize) -> (&str, Type) {
        let params = &self.function.params[1..];
        match params.get(number) {
            Some(param) => (&param.name, param.ty),
            None => {
                let buffer = &self.function.buffers[number - params.len()];
                (&buffer.name, buffer.ty)
            }
        }
    }

    fn mismatch(&self, why: String) -> Error {
        Error::Mismatch(format!("kernel `{}`: {why}", self.function.name))
    }

    /// Runs a lane for each unit, on the device that owns the unit. All devices run at the same time; returns
    /// when those of this process are done. All ranks call it with the same number of units. The distribution
    /// limits the size of launches; without one, the context's distribution `default` does.
    ///
    /// If a device fails, and the contents were copied for recovery ([`Kernel::set_recovery`]), all lanes of
    /// its part run on another device of this process, with the same bits. That device does the work of the
    /// part from then on ([`Context::failovers`] lists it).
    ///
    /// # Errors
    /// An argument is missing, or the number of elements of a split content differs from the number of units:
    /// both are found before anything runs. Lanes did not reach the end of the kernel ([`Error::Exit`]: it
    /// accessed memory outside a buffer, or reached a failing statement); the error is that of the first such
    /// device. A device failed, and no other could do its work: then the results are undefined.
    pub fn start(&self, units: u64, distribution: Option<&Distribution>) -> Result<(), Error> {
        self.check(units)?;
        let exit = self
            .on_all_devices(units, |device, lanes| Part::new(self, device, lanes, units, distribution).run());
        ended(&[self], exit?)
    }

    /// Runs kernels one after the other, each as [`Kernel::start`] does. Each device runs all lanes of its
    /// part of one kernel before those of the next. A device with a queue gets all kernels at once, which
    /// saves waiting if they are short. Devices do not wait for each other between kernels: a kernel that
    /// reads what another device wrote needs a separate start.
    ///
    /// # Errors
    /// As [`Kernel::start`]; also if the kernels belong to different contexts. If lanes did not reach the
    /// end, the error is that of one of the kernels on the first such device; later kernels may have run.
    pub fn start_in_order(
        kernels: &[&Self],
        units: u64,
        distribution: Option<&Distribution>,
    ) -> Result<(), Error> {
        let Some(first) = kernels.first() else { return Ok(()) };
        for kernel in kernels {
            kernel.check(units)?;
            if !Arc::ptr_eq(&kernel.context, &first.context) {
                return Err(kernel.mismatch("it is not of the context of those before it".to_owned()));
            }
        }
        if kernels.iter().any(|kernel| kernel.recovery != RecoveryPolicy::None) {
            return kernels.iter().try_for_each(|kernel| kernel.start(units, distribution));
        }
        let exit = first.on_all_devices(units, |device, lanes| {
            let parts =
                kernels.iter().map(|&kernel| Part::new(kernel, device, lanes.clone(), units, distribution));
            part::run_in_order(&parts.collect::<Vec<Part<'_>>>())
        });
        ended(kernels, exit?)
    }

    /// Runs a closure for the part of each device of this process, all at the same time.
    fn on_all_devices(
        &self,
        units: u64,
        work: impl Fn(usize, Range<u64>) -> Result<Exit, Error> + Sync,
    ) -> Result<Exit, Error> {
        let (counts, rank) = (self.context.counts(), self.context.network().rank());
        let partition = self.context.partition(units);
        let first: usize = counts[..rank].iter().sum();
        let run = |device: usize| work(device, partition.part(first + device));
        let ends: Vec<Result<Exit, Error>> = std::thread::scope(|scope| {
            let run = &run;
            let others: Vec<_> = (1..self.ready.len())
                .map(|device| {
                    std::thread::Builder::new().spawn_scoped(scope, move || run(device)).map_err(|_| device)
                })
                .collect();
            let mut ends = vec![run(0)];
            ends.extend(others.into_iter().map(|other| match other {
                Ok(thread) => {
                    thread.join().unwrap_or_else(|_| Err(Error::Launch("the technology panicked".to_owned())))
                }
                // If threads cannot be started, devices run one after the other.
                Err(device) => run(device),
            }));
            ends
        });
        let mut exit = Exit::Done;
        for end in ends {
            let end = end?;
            exit = if exit == Exit::Done { end } else { exit };
        }
        Ok(exit)
    }

    fn check(&self, units: u64) -> Result<(), Error> {
        let missing: Vec<String> = (0..self.arguments.len())
            .filter(|&number| self.arguments[number].is_none())
            .map(|number| format!("`{}`", self.declared(number).0))
            .collect();
        if !missing.is_empty() {
            return Err(self.mismatch(format!("arguments are not set: {}", missing.join(", "))));
        }
        let devices = self.ready.len();
        for (number, argument) in self.arguments.iter().enumerate() {
            let Some(Argument::Content(content) | Argument::Start(content)) = argument else { continue };
            let elements = content.elements();
            if content.is_split() && elements != units {
                let (name, kind) = (self.declared(number).0, content.kind());
                return Err(self.mismatch(format!(
                    "argument `{name}` is split over the devices ({kind}), and has {elements} elements for {units} units"
                )));
            }
            // A content of another context may be too small for the accesses to its region.
            let fits = |device: usize| {
                let held = content.held(device);
                let bytes = (held.end - held.start).checked_mul(content.layout().bytes() as u64);
                bytes.is_some_and(|bytes| bytes <= content.region(device).bytes() as u64)
            };
            if !(0..devices).all(fits) {
                return Err(
                    self.mismatch(format!("argument `{}` is not of this context", self.declared(number).0))
                );
            }
        }
        Ok(())
    }
}

/// The error of a kernel that did not reach its end; one of them, if there are several.
fn ended(kernels: &[&Kernel], exit: Exit) -> Result<(), Error> {
    let names: Vec<String> = kernels.iter().map(|kernel| format!("`{}`", kernel.function.name)).collect();
    let (which, name) = match kernels {
        [kernel] => (format!("kernel {}", names[0]), Some(kernel)),
        _ => (format!("one of the kernels {}", names.join(", ")), None),
    };
    let buffer = |buffer: Buffer| match name.and_then(|kernel| kernel.function.buffers.get(buffer.index())) {
        Some(buffer) => format!("buffer `{}`", buffer.name),
        None => format!("buffer {}", buffer.index()),
    };
    let why = match exit {
        Exit::Done => return Ok(()),
        Exit::Failed(site) => format!("{which} failed at its site {}", site.0),
        Exit::OutOfBounds(of) => format!("{which} left its {}", buffer(of)),
        Exit::Full(of) => format!("{which} had no room left in its {}", buffer(of)),
    };
    Err(Error::Exit { exit, why })
}

impl From<usize> for Which<'_> {
    fn from(number: usize) -> Self {
        Which::Number(number)
    }
}

impl<'a> From<&'a str> for Which<'a> {
    fn from(name: &'a str) -> Self {
        Which::Name(name)
    }
}

impl From<Const> for Argument {
    fn from(value: Const) -> Self {
        Argument::Scalar(value)
    }
}

macro_rules! scalars {
    ($($rust:ty: $value:ident => $constant:expr;)*) => { $(
        impl From<$rust> for Argument {
            fn from($value: $rust) -> Self {
                Argument::Scalar($constant)
            }
        }
    )* };
}

scalars! {
    bool: value => Const::bool(value);
    i32: value => Const::int(Type::I32, value.into());
    i64: value => Const::i64(value);
    u32: value => Const::int(Type::U32, value.into());
    u64: value => Const::u64(value);
    f32: value => Const::f32(value);
    f64: value => Const::f64(value);
}

impl<C: Content + 'static> From<Arc<C>> for Argument {
    fn from(content: Arc<C>) -> Self {
        Argument::Content(content)
    }
}

impl From<Arc<dyn Content>> for Argument {
    fn from(content: Arc<dyn Content>) -> Self {
        Argument::Content(content)
    }
}
