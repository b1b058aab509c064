//! A segment of a path, step by step, in a slow and direct way: the definition of segments, the oracle for
//! compiled ones, and the way to examine one that failed.

use super::population::Population;
use super::task::SplittingTask;
use crate::path::segment::TARGET;
use crate::reference::ReferenceSimulator;
use volvelle_kernel::Site;
use volvelle_model::Kind;
use volvelle_streams::plain::PlainStream;

/// A segment that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The greatest importance on it; that of the target if the property was satisfied.
    pub best: i32,
    /// Values of the fields at its end.
    pub state: Vec<i64>,
    /// When its last state was entered, if time is drawn.
    pub now: f64,
    /// Steps since the initial state.
    pub steps: u32,
    /// Steps of the segment.
    pub taken: u32,
    /// Whether it took too many.
    pub given_up: bool,
    /// The site of failure.
    pub failed: Option<Site>,
}

/// Segment number `path` of a seed, from a state of a population up to a level.
pub fn segment(
    rare: &SplittingTask,
    from: &Population,
    level: i32,
    seed: u64,
    path: u64,
    max_steps: u32,
) -> Segment {
    let plan = &rare.plan;
    let mut stream = PlainStream::new(plan.generator, seed, path);
    let start = stream.below64(from.len() as u64) as usize;
    let (state, begun, now) = from.get(start);
    let mut walk = ReferenceSimulator::resume(plan, stream, state.to_vec(), begun, now);
    let mut best = 0;
    let outcome = go(rare, &mut walk, level, max_steps, &mut best);
    Segment {
        best,
        state: walk.state().to_vec(),
        now: walk.now(),
        steps: walk.steps(),
        taken: walk.steps() - begun,
        given_up: outcome == Ok(false),
        failed: outcome.err(),
    }
}

/// Follows the path; returns whether it reached an end.
fn go(
    rare: &SplittingTask,
    walk: &mut ReferenceSimulator<'_>,
    level: i32,
    max_steps: u32,
    best: &mut i32,
) -> Result<bool, Site> {
    let timed = rare.plan.program.kind() == Kind::Ctmc;
    while walk.steps() < max_steps {
        if walk.holds(rare.right)? {
            *best = TARGET;
            return Ok(true);
        }
        let too_late = !timed && rare.upper.is_some_and(|upper| f64::from(walk.steps()) >= upper);
        if too_late || !walk.holds(rare.left)? {
            return Ok(true);
        }
        let importance = rare.importance.of(&rare.plan.program, walk.state());
        *best = importance.max(*best);
        if importance >= level || rare.importance.is_hopeless(importance) {
            return Ok(true);
        }
        let stay = walk.stay()?;
        let too_late = timed && rare.upper.is_some_and(|upper| stay.until > upper);
        if too_late || stay.for_ever {
            return Ok(true);
        }
        walk.go(&stay)?;
    }
    Ok(false)
}
