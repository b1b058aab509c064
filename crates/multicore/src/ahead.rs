//! What must be known of a stream before a pass over it. Finding it takes an extra pass.

use crate::configuration::Configuration;
use crate::tasks::{Joins, Selection};
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_instructions::{Batch, Failure, Stream};

/// Instructions read at once.
const BATCH: usize = 1 << 14;

/// What is known of a stream ahead of a pass.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    /// Where paths meet, for [`Selection::Postdominator`].
    pub joins: Option<Arc<Joins>>,
    /// Number of instructions, for windows.
    pub instructions: Option<u64>,
}

impl Ahead {
    /// Whether configurations need something.
    pub fn is_needed(configurations: &[Configuration]) -> bool {
        needs_joins(configurations) || configurations.iter().any(|one| one.sampling.is_some())
    }

    /// Goes through a stream and finds what the configurations need.
    ///
    /// # Errors
    /// The stream is faulty, or a limit is reached.
    pub fn find(
        stream: &mut dyn Stream,
        configurations: &[Configuration],
        control: &Control<'_>,
    ) -> Result<Self, Failure> {
        let mut ahead = Ahead::default();
        let mut counted = Counted { stream, instructions: 0 };
        if needs_joins(configurations) {
            ahead.joins = Some(Arc::new(Joins::find(&mut counted, control)?));
        } else {
            let mut batch = Batch::default();
            while counted.next(&mut batch, BATCH, control)? {}
        }
        ahead.instructions = Some(counted.instructions);
        Ok(ahead)
    }
}

fn needs_joins(configurations: &[Configuration]) -> bool {
    configurations.iter().any(|one| one.machine.selection == Selection::Postdominator)
}

/// A stream whose instructions are counted.
struct Counted<'s> {
    stream: &'s mut dyn Stream,
    instructions: u64,
}

impl Stream for Counted<'_> {
    fn listing(&self) -> &volvelle_instructions::Listing {
        self.stream.listing()
    }

    fn next(&mut self, batch: &mut Batch, most: usize, control: &Control<'_>) -> Result<bool, Failure> {
        let more = self.stream.next(batch, most, control)?;
        control.check()?;
        self.instructions += if more { batch.steps.len() as u64 } else { 0 };
        Ok(more)
    }
}
