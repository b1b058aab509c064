//! `volvelle devices`, and `--device` of other commands.

use crate::args::ListDevices;
use volvelle_console::given::GivenOptions;
use volvelle_console::machine;
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::question::Ask;
use volvelle_diagnostics::Sources;
use volvelle_reports::documents::devices;
use volvelle_session::csv::line;
use volvelle_session::devices::DeviceListing;
use volvelle_session::json;

impl Ask for ListDevices {
    const NAME: &'static str = "devices";
    const HAS_LIMITS: bool = false;

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        run(self, output)
    }
}

/// Lists the devices of this machine.
pub fn run(args: &ListDevices, output: &Output) -> u8 {
    let (devices, absent) = volvelle_console::devices::this_machine(machine::cores()).list();
    let (document, sources) = (devices::document(&devices, &absent), Sources::new());
    let shown = Shown::new(&args.answer, document, "", &sources).with_table(|| table(&devices));
    let mut diagnostics = Vec::new();
    let written = shown.write(&[], &mut diagnostics, output);
    let json = || json::Document::of_devices(&devices, &absent, &sources).to_text();
    shown.print(json, &written, output);
    output.print_diagnostics(&diagnostics, &sources);
    volvelle_console::refusal::code_of(&diagnostics)
}

/// A line for each technology that can use a device; devices that none can use have a line, too.
fn table(devices: &[DeviceListing]) -> String {
    let mut out = String::new();
    line(
        &mut out,
        &[
            "device",
            "vendor",
            "place",
            "compute units",
            "memory (bytes)",
            "name",
            "driver",
            "double precision",
        ],
    );
    for device in devices {
        let name = if device.name.is_empty() { &device.architecture } else { &device.name };
        let units = device.compute_units.map(|units| units.to_string()).unwrap_or_default();
        let memory = device.memory_bytes.map(|bytes| bytes.to_string()).unwrap_or_default();
        let about = [name.as_str(), &device.vendor, &device.place, &units, &memory];
        if device.services.is_empty() {
            line(&mut out, &[&about[..], &["", "", ""]].concat());
        }
        for service in &device.services {
            let is_double = if service.has_f64 { "true" } else { "false" };
            line(&mut out, &[&about[..], &[service.name.as_str(), &service.driver, is_double]].concat());
        }
    }
    out
}
