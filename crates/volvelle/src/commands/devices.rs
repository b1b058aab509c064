//! `volvelle devices`, and `--device` of other commands.

use crate::args::ListDevices;
use volvelle_console::given::GivenOptions;
use volvelle_console::machine;
use volvelle_console::output::Output;
use volvelle_console::presented::{Shown, refused};
use volvelle_console::question::Ask;
use volvelle_diagnostics::Sources;
use volvelle_reports::documents::devices;
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
    let refused = refused(&args.page, &args.output, None);
    if !refused.is_empty() {
        return volvelle_console::refusal::refuse(&refused, args.output.json, output);
    }
    let (document, sources) = (devices::document(&devices, &absent), Sources::new());
    let shown = Shown::new(&args.page, document, "", &sources);
    let mut diagnostics = Vec::new();
    let written = shown.write(&[], &mut diagnostics, output);
    if args.output.json {
        output.print(&json::Document::of_devices(&devices, &absent, &sources).to_text());
    } else {
        shown.print(args.output.verbose, &written, output);
    }
    output.print_diagnostics(&diagnostics, &sources);
    volvelle_console::refusal::code_of(&diagnostics)
}
