//! `volvelle debug`

use crate::conversation::{Surroundings, converse};
use crate::options::DebugAdapter;
use volvelle_console::given::GivenOptions;
use volvelle_console::output::{self, Output};
use volvelle_console::question::Ask;
use volvelle_console::{door, machine};

impl Ask for DebugAdapter {
    const NAME: &'static str = "debug";
    const HAS_LIMITS: bool = false;

    fn ask(&'static self, _given: &GivenOptions, _output: &Output) -> u8 {
        if door::is_input_typed() {
            output::say(
                "volvelle debug waits for messages of an editor (Ctrl-C ends it): volvelle debug --help",
            );
        }
        let surroundings = Surroundings { cancel: machine::cancel_on_signal(), abandon: || machine::leave() };
        converse(door::stream_of_input(), output::stream(), surroundings)
    }
}
