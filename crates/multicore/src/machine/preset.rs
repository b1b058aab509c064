//! The paper's machines by name.

use super::{Core, Machine};
use volvelle_diagnostics::{Diagnostic, codes};

const CORES: [(&str, usize); 4] = [("single", 1), ("dual", 2), ("quad", 4), ("octa", 8)];
const LENGTHS: [u32; 3] = [4, 8, 16];

impl Machine {
    /// `paper`: one core, rules T1 to T10. `paper-quad-8`: the paper's machine with four cores and tasks of
    /// eight instructions, with caches. Table I lists widths and lengths separately. We read it so that
    /// length 8 belongs to width 4, since otherwise its figures exceed the widths. Half of the width are
    /// units for memory.
    ///
    /// # Errors
    /// There is no such preset.
    pub fn preset(name: &str) -> Result<Self, Diagnostic> {
        let mut machine = Machine { name: name.to_owned(), ..Machine::default() };
        if name == "paper" {
            return Ok(machine);
        }
        for (word, cores) in CORES {
            for length in LENGTHS {
                if name == format!("paper-{word}-{length}") {
                    let width = length / 2;
                    machine.cores = vec![Core { width, alus: width, load_store: width / 2 }; cores];
                    machine.task_length = length;
                    machine.has_caches = true;
                    return Ok(machine);
                }
            }
        }
        let names = Self::presets();
        let message = format!("there is no machine `{}`", name.escape_debug());
        let found = Diagnostic::error(codes::MACHINE_VALUE, message);
        Err(found.misspelt_or(name, &names, || {
            "there are `paper`, and the like of `paper-quad-8`; others are read from files".to_owned()
        }))
    }

    /// The names of all presets.
    pub fn presets() -> Vec<String> {
        let mut names = vec!["paper".to_owned()];
        for (word, _) in CORES {
            names.extend(LENGTHS.iter().map(|length| format!("paper-{word}-{length}")));
        }
        names
    }
}
