//! Meanings of the locals of a path kernel, for readers of its code.

use super::builder::Builder;
use super::interface::param;
use volvelle_kernel::Local;
use volvelle_model::Domain;

impl Builder<'_> {
    /// Locals with a meaning for the reader, and that meaning.
    pub(super) fn notes(&self) -> Vec<(Local, String)> {
        let mut notes: Vec<(Local, String)> = Vec::new();
        let params = [
            (param::LANE, "number of this lane"),
            (param::LANES, "number of lanes"),
            (param::SEED, "seed of all paths"),
            (param::FIRST, "first path"),
            (param::END, "the path after the last"),
            (param::MAX_STEPS, "steps at which a path is given up"),
        ];
        notes.extend(params.map(|(param, what)| (self.params[param], what.to_owned())));
        for (i, (field, &local)) in self.plan.program.fields.iter().zip(&self.fields).enumerate() {
            let values = self.plan.domain(i);
            let note = match field.domain {
                Domain::Bool => format!("{} : bool", field.name),
                _ => format!("{} : [{}..{}]", field.name, values.lo, values.hi),
            };
            notes.push((local, note));
        }
        if let Some(rows) = &self.rows {
            notes.push((rows.row, "number of the state".to_owned()));
        }
        for (i, &local) in self.values.iter().enumerate() {
            notes.push((local, format!("what the path tells of measure {}", i + 1)));
        }
        for (i, &local) in self.open.iter().enumerate() {
            notes.push((local, format!("whether measure {} is undecided", i + 1)));
        }
        notes.extend([
            (self.path, "number of the path".to_owned()),
            (self.steps, "steps so far".to_owned()),
            (self.running, "whether a path is under way".to_owned()),
            (self.now, "when the state was entered".to_owned()),
            (self.then, "when the state will be left".to_owned()),
            (self.still, "whether the step changed nothing".to_owned()),
            (self.absorbed, "whether everything enabled leads back to the state".to_owned()),
        ]);
        notes
    }
}
