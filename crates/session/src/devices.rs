//! The devices of this machine, and those of them that a user names.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use volvelle_diagnostics::{Diagnostic, FileId, Severity, codes};
use volvelle_runtime::architecture::{Cpu, Gpu};
use volvelle_runtime::configuration::Configuration;
use volvelle_runtime::network::Single;
use volvelle_runtime::{Architecture, Clock, Context, Devices, Error, Executor, Network, Node, Technology};
use volvelle_technologies::{Cache, Cuda, Interpreter, OpenCl, Threads};

/// This machine, looked at when that is needed: libraries of devices take their time to open.
#[derive(Clone)]
pub struct Machine {
    threads: NonZeroUsize,
    cache: Cache,
    libraries: Option<PathBuf>,
    node: Arc<OnceLock<Node>>,
}

/// A device of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceListing {
    /// `CPU`, `GPU`.
    pub architecture: String,
    /// Its maker.
    pub vendor: String,
    /// Its name.
    pub name: String,
    /// Where it is: `host`, `pci 0000:3b:00.0`.
    pub place: String,
    /// Bytes of its memory.
    pub memory_bytes: Option<u64>,
    /// Cores or multiprocessors.
    pub compute_units: Option<u32>,
    /// Ways to use it.
    pub services: Vec<Service>,
}

/// A way to use a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// The name in options: `opencl:0`.
    pub name: String,
    /// The name that the technology gives the device.
    pub device: String,
    /// Library or driver, with its version.
    pub driver: String,
    /// Whether it calculates in double precision.
    pub has_f64: bool,
}

impl Machine {
    /// A machine of which `threads` threads are used. Built kernels are kept in the folder `cache`; libraries of CUDA are
    /// looked for in the folder `libraries` besides the usual ones.
    pub fn new(threads: usize, cache: Option<PathBuf>, libraries: Option<PathBuf>) -> Self {
        Machine {
            threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
            cache: cache.map_or_else(Cache::none, Cache::at),
            libraries,
            node: Arc::default(),
        }
    }

    fn node(&self) -> &Node {
        self.node.get_or_init(|| {
            let start = Instant::now();
            let clock: Arc<Clock> = Arc::new(move || start.elapsed());
            let threads = Threads::new(self.threads).with_clock(clock);
            let (cuda, opencl) =
                (Cuda::new(self.cache.clone(), self.libraries.clone()), OpenCl::new(self.cache.clone()));
            // The first that serves a device is the one that is preferred.
            let technologies: Vec<Arc<dyn Technology>> =
                vec![Arc::new(cuda), Arc::new(threads), Arc::new(opencl), Arc::new(Interpreter)];
            Node::find(&[&Cpu::new(), &Gpu::new()], technologies)
        })
    }

    /// All devices, and for each technology that serves none the reason.
    pub fn list(&self) -> (Vec<DeviceListing>, Vec<(String, String)>) {
        let node = self.node();
        let devices = node.devices().iter().map(|found| DeviceListing {
            architecture: found.device.architecture.clone(),
            vendor: found.device.vendor.clone(),
            name: found.device.name.clone(),
            place: found.device.place.to_string(),
            memory_bytes: found.device.memory_bytes,
            compute_units: found.device.compute_units,
            services: found
                .served
                .iter()
                .map(|served| Service {
                    name: served.name.clone(),
                    device: served.offer.device.name.clone(),
                    driver: served.offer.driver.clone(),
                    has_f64: served.offer.has_f64,
                })
                .collect(),
        });
        let absent = node.absent().iter().map(|absent| (absent.technology.clone(), absent.why.clone()));
        (devices.collect(), absent.collect())
    }

    /// The devices of a list of names, such as `opencl:0,threads`; `auto` for threads, and devices of their own where that pays.
    ///
    /// # Errors
    /// There is no such device, or it does not answer.
    pub fn select(&self, list: &str) -> Result<Devices, Diagnostic> {
        match list.trim() {
            "auto" => return Ok(self.automatic()),
            // These need no library, so none is looked for.
            "threads" => return Ok(Devices::default()),
            "interpreter" => return Ok(Devices::interpreter()),
            _ => {}
        }
        let refused = |message: String| Diagnostic::error(codes::NO_DEVICE, message);
        let selected = self.node().select(list).map_err(|error| {
            let known = match error.known.as_slice() {
                [] => "leave --device out".to_owned(),
                known => format!("available devices: auto, {}", known.join(", ")),
            };
            refused(error.why).help(known).help("`volvelle devices` shows details")
        })?;
        let (mut executors, mut threads) = (Vec::new(), false);
        for served in selected {
            if served.technology == "threads" {
                threads = true;
                continue;
            }
            let opened = self.node().open(served);
            executors
                .push(opened.map_err(|error| refused(format!("{} cannot be used: {error}", served.name)))?);
        }
        Ok(Devices::asked(executors, threads))
    }

    /// The devices that a configuration selects: a text in TOML.
    ///
    /// # Errors
    /// Diagnostics about the text, with places in it; or about the devices that it names.
    pub fn configured(&self, file: FileId, text: &str) -> Result<Devices, Vec<Diagnostic>> {
        let (configuration, complaints) = Configuration::read(file, text);
        if complaints.iter().any(|complaint| complaint.severity == Severity::Error) {
            return Err(complaints);
        }
        let context = Context::open(self.node(), &configuration, Arc::new(Single))?;
        let is_threads = |executor: &&Arc<dyn Executor>| executor.name() == "threads";
        let threads = context.devices().iter().any(|executor| is_threads(&executor));
        let others = context.devices().iter().filter(|executor| !is_threads(executor)).cloned().collect();
        Ok(Devices::asked(others, threads))
    }

    /// A context for work that is spread over all of its devices: those of a list of names, where `auto` is threads; with the devices of the other
    /// processes of a cluster.
    ///
    /// # Errors
    /// There is no such device, or it does not answer.
    pub fn context(&self, list: &str, network: Option<Arc<dyn Network>>) -> Result<Arc<Context>, Diagnostic> {
        let unusable = |error: Error| {
            Diagnostic::error(codes::NO_DEVICE, format!("the devices cannot be used: {error}"))
        };
        let devices = self.select(if list.trim() == "auto" { "threads" } else { list })?;
        let mut executors: Vec<Arc<dyn Executor>> = Vec::new();
        if devices.are_interpreted() {
            executors.push(Interpreter.open(0).map_err(unusable)?);
        } else if !devices.are_without_threads() {
            executors.push(Threads::new(self.threads).open(0).map_err(unusable)?);
        }
        for member in devices.members() {
            executors.push(member.executor().map_err(unusable)?.clone());
        }
        match network {
            Some(network) => Context::among(executors, network),
            None => Context::of(executors),
        }
        .map_err(unusable)
    }

    /// A context with the devices that a configuration selects: a text in TOML.
    ///
    /// # Errors
    /// Diagnostics about the text, with places in it; or about the devices that it names.
    pub fn configured_context(
        &self,
        file: FileId,
        text: &str,
        network: Option<Arc<dyn Network>>,
    ) -> Result<Arc<Context>, Vec<Diagnostic>> {
        let (configuration, complaints) = Configuration::read(file, text);
        if complaints.iter().any(|complaint| complaint.severity == Severity::Error) {
            return Err(complaints);
        }
        Context::open(self.node(), &configuration, network.unwrap_or_else(|| Arc::new(Single)))
    }

    /// Threads, and cards on the bus where that pays. No library is opened before.
    fn automatic(&self) -> Devices {
        let cards = Gpu::new().find().len();
        let machine = self.clone();
        let open = move |number: usize| {
            let node = machine.node();
            let is_card = |served: &&volvelle_runtime::Served| {
                served.offer.device.place != volvelle_runtime::Place::Host && served.offer.has_f64
            };
            let cards = node.automatic().into_iter().filter(is_card).nth(number);
            let none = || Error::Unavailable("no technology supports it".to_owned());
            node.open(cards.ok_or_else(none)?)
        };
        Devices::where_they_pay(cards, Arc::new(open))
    }
}

/// The warning about a device that failed: what it did not do (`left`), and what replaced it (`instead`).
pub fn complaint(name: &str, left: &str, instead: &str, error: &Error) -> Diagnostic {
    Diagnostic::warning(codes::DEVICE_FAILED, format!("{name} {left}: {error}"))
        .note(format!("{instead}; the results are the same"))
        .help("`volvelle devices` lists the devices and their capabilities")
}
