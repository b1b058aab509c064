//! `volvelle completions`

use crate::args::Completions;
use volvelle_console::given::GivenOptions;
use volvelle_console::output::Output;
use volvelle_console::program;
use volvelle_console::question::Ask;

impl Ask for Completions {
    const NAME: &'static str = "completions";
    const HAS_LIMITS: bool = false;

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        run(self, output)
    }
}

/// Prints the completion script of a shell.
pub fn run(args: &Completions, output: &Output) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program::command(), "volvelle", &mut script);
    output.print_document(&String::from_utf8_lossy(&script));
    0
}
