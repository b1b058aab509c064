//! The devices of this machine, and `--device`.

use crate::files;
use crate::options::DeviceArgs;
use crate::refusal::Refused;
use std::path::PathBuf;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_runtime::{Context, Network};
use volvelle_session::Session;
use volvelle_session::devices::Machine;

/// Folder in which kernels for devices are kept, or `off`.
const CACHE: &str = "VOLVELLE_CACHE";

/// Selects the devices of `--device` or `--device-config`.
///
/// # Errors
/// There is no such device, or the file says something else, at a place in the texts of the session.
pub fn select(args: &DeviceArgs, threads: usize, session: &mut Session) -> Result<(), Refused> {
    let machine = this_machine(threads);
    match &args.device_config {
        Some(path) => {
            let chosen = session.set_configured_devices(&machine, files::read(path)?);
            chosen.map_err(|diagnostics| Refused::in_texts(diagnostics, &session.model.sources))
        }
        None => {
            let devices = machine.select(&args.device)?;
            session.run.set_devices(devices);
            Ok(())
        }
    }
}

/// A context with the devices of `--device` or `--device-config`, for work that is spread over all of them.
pub fn context(
    args: &DeviceArgs,
    threads: usize,
    network: Option<Arc<dyn Network>>,
    sources: &mut Sources,
) -> Result<Arc<Context>, Vec<Diagnostic>> {
    let machine = this_machine(threads);
    match &args.device_config {
        Some(path) => {
            let text = files::read(path).map_err(|diagnostic| vec![diagnostic])?;
            let file = sources.add(&text.name, &text.text);
            machine.configured_context(file, &text.text, network)
        }
        None => machine.context(&args.device, network).map_err(|diagnostic| vec![diagnostic]),
    }
}

/// This machine, with so many threads.
pub fn this_machine(threads: usize) -> Machine {
    Machine::new(threads, cache(), libraries())
}

/// The library folder of the CUDA toolkit, if `CUDA_PATH` or `CUDA_HOME` names it.
fn libraries() -> Option<PathBuf> {
    let places = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os);
    places.map(|place| PathBuf::from(place).join("lib64")).find(|folder| folder.is_dir())
}

/// The folder of compiled kernels: `VOLVELLE_CACHE`, or the user's cache folder, if there is one.
fn cache() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(said) = variable(CACHE) {
        return (said.as_os_str() != "off").then_some(said);
    }
    let folder = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))?;
    folder.is_absolute().then(|| folder.join("volvelle").join("kernels"))
}
