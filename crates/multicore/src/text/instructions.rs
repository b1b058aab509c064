//! Executed instructions: `pc class rd sources address size taken`.

use super::Form;
use super::columns::{Column, Lines};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId};
use volvelle_instructions::{Batch, Class, Failure, Instruction, Listing, Register, Step, Stream};

/// Words for classes.
const CLASSES: [(&str, Class); 13] = [
    ("alu", Class::Alu),
    ("mul", Class::Mul),
    ("div", Class::Div),
    ("fp", Class::Fp),
    ("load", Class::Load),
    ("store", Class::Store),
    ("atomic", Class::Atomic),
    ("branch", Class::Branch),
    ("jump", Class::Jump),
    ("indirect-jump", Class::IndirectJump),
    ("call", Class::Call),
    ("indirect-call", Class::IndirectCall),
    ("return", Class::Return),
];

/// A trace in text form, as a stream. Instructions are four bytes long.
pub struct TextTrace<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    listing: Listing,
}

impl<'t> TextTrace<'t> {
    /// The instructions of a text, from the first on.
    ///
    /// # Errors
    /// The first line does not name the columns.
    pub fn new(file: FileId, text: &'t str) -> Result<Self, Diagnostic> {
        let lines = Lines::of(file, text, Form::Instructions)?;
        Ok(TextTrace { file, text, at: lines.at(), listing: Listing::default() })
    }
}

impl Stream for TextTrace<'_> {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn next(&mut self, batch: &mut Batch, most: usize, control: &Control<'_>) -> Result<bool, Failure> {
        control.check()?;
        batch.clear();
        let mut lines = Lines::resumed(self.file, self.text, self.at);
        while batch.steps.len() < most {
            let Some(columns) = lines.next(Form::Instructions) else { break };
            let Some((instruction, address, taken)) = executed(&mut lines, columns) else { break };
            batch.steps.push(Step::new(self.listing.number(instruction), taken));
            batch.addresses.extend(address);
        }
        self.at = lines.at();
        match lines.found.into_iter().next() {
            Some(found) => Err(Failure::Faulty(Box::new(found))),
            None => Ok(!batch.steps.is_empty()),
        }
    }
}

/// The instruction of a line, its address of memory, and whether it jumped.
fn executed<'t>(lines: &mut Lines<'t>, columns: [Column<'t>; 7]) -> Option<(Instruction, Option<u64>, bool)> {
    let [pc, class, destination, sources, address, size, taken] = columns;
    let pc = lines.address(pc)?;
    let Some((_, known)) = CLASSES.iter().find(|(word, _)| *word == class.text) else {
        let words: Vec<&str> = CLASSES.iter().map(|(word, _)| *word).collect();
        let message = format!("`{}` is no class of instructions", class.text.escape_debug());
        lines.report(class, message, &format!("the classes are `{}`", words.join("`, `")));
        return None;
    };
    let mut instruction = Instruction { class: *known, ..Instruction::at(pc) };
    if destination.text != "-" {
        instruction.destination = register(lines, destination, destination.text)?;
    }
    if sources.text != "-" {
        for (place, name) in sources.text.split(',').enumerate() {
            if place == instruction.sources.len() {
                lines.report(sources, "an instruction has at most three sources", "leave the others out");
                return None;
            }
            instruction.sources[place] = register(lines, sources, name)?;
        }
    }
    let is_access = known.accesses_memory();
    if is_access != (address.text != "-") {
        let message = match is_access {
            true => format!("a {} has an address", class.text),
            false => format!("a {} has no address", class.text),
        };
        lines.report(
            address,
            message,
            "loads, stores and atomics have an address and a size, others have `-`",
        );
        return None;
    }
    let mut place = None;
    if is_access {
        place = Some(lines.address(address)?);
        instruction.size = lines.whole(size, "size", 1..=255)? as u8;
    }
    let transfers = known.transfers_control();
    if transfers != (taken.text != "-") {
        let message = format!("a {} has {} outcome", class.text, if transfers { "an" } else { "no" });
        lines.report(taken, message, "transfers of control have 0 or 1 here, others have `-`");
        return None;
    }
    let taken = transfers && lines.taken(taken)?;
    Some((instruction, place, taken))
}

/// A register: `x0` to `x31`, `f0` to `f31`.
fn register<'t>(lines: &mut Lines<'t>, column: Column<'t>, name: &str) -> Option<Register> {
    let number = |digits: &str| digits.parse::<u8>().ok().filter(|number| *number < 32);
    let found = match name.split_at_checked(1) {
        Some(("x", digits)) => number(digits).map(Register),
        Some(("f", digits)) => number(digits).map(|number| Register(32 + number)),
        _ => None,
    };
    if found.is_none() {
        let message = format!("`{}` is no register", name.escape_debug());
        lines.report(column, message, "registers are `x0` to `x31` and `f0` to `f31`");
    }
    found
}
