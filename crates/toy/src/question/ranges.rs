//! The answer: it is computed without files and streams.

use volvelle_control::Control;
use volvelle_session::report::Report;
use volvelle_session::{Model, Settings};

/// The values of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The variable, as the user knows it.
    pub name: String,
    /// Its least and greatest value in the states that were found.
    pub taken: [i64; 2],
    /// The least and greatest value that its declaration allows.
    pub declared: [i64; 2],
}

impl Range {
    /// Whether values are declared that no state has at an end of the range.
    pub fn has_unused(&self) -> bool {
        self.taken != self.declared
    }
}

/// The values of each variable in all reachable states; none where the states were not found.
pub fn found(model: &mut Model, settings: &Settings, control: &Control<'_>) -> (Report, Vec<Range>) {
    let (report, explored) = model.explore(settings, control);
    let (Some(explored), Some(program)) = (explored, model.program()) else {
        return (report, Vec::new());
    };
    let mut taken = vec![[i64::MAX, i64::MIN]; program.fields.len()];
    for state in 0..explored.space.num_states() {
        let values = explored.layout.unpack(explored.states.get(state));
        for ([least, most], value) in taken.iter_mut().zip(values) {
            (*least, *most) = ((*least).min(value), (*most).max(value));
        }
    }
    let ranges = program.fields.iter().zip(taken).map(|(field, taken)| {
        let (low, high) = field.domain.bounds();
        Range { name: field.name.clone(), taken, declared: [low, high] }
    });
    (report, ranges.collect())
}
