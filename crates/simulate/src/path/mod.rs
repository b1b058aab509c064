//! The path kernel: from the initial state, step by step, until every measure is decided.
//!
//! One run of the kernel runs paths `first + lane`, `first + lane + lanes`, … below `end`, each with its own
//! stream of random numbers. Per path it stores the row of all monitors ([`crate::monitor`]) and a status
//! word: twice the number of steps, plus one if the path reached `max_steps` undecided. Measures not decided
//! by then are [`UNDECIDED`](crate::measure::UNDECIDED).
//!
//! A step, in this order:
//! 1. *arrive*: monitors that the state decides; if all are decided, the path ends;
//! 2. *weigh*: the weights of all combinations, added up; if none is enabled, time stands still forever;
//! 3. *dwell* (if time matters): the holding time is drawn, and decides monitors;
//! 4. *move*: a combination is drawn, then the branches of its stages; transition rewards are earned, fields
//!    assigned;
//! 5. if nothing changed, and nothing enabled changes anything, the state counts as one without transitions.
//!
//! For an explicit model (`rows`), tables have the decisions and weights of states, and a step is one draw.
//!
//! The same code has three shapes. *Nested* loops over paths and steps run one path at a time. A *single*
//! path per lane is for devices whose lanes do not wait for each other. One *flat* loop is for machines that
//! run many lanes in lockstep: a lane whose path has ended begins its next path, either a fixed number of
//! paths further on, or the next one not yet *claimed*. The first two may be specialised over control
//! locations (`locations`); the nested shape may keep weights that a step cannot change (`incremental`).

mod automata;
mod automaton_state;
mod builder;
mod choice;
mod control;
mod curve_state;
mod curves;
mod effect;
mod frame;
mod horizons;
mod incremental;
mod interface;
mod location;
mod locations;
mod monitors;
mod narrow;
mod notes;
mod plan;
mod reads;
mod rewards;
mod row_state;
mod rows;
mod scheduler;
pub mod segment;
mod segment_state;
mod spending;
mod spent;
mod step;
mod sums;
mod translate;
mod weight_tree;

pub use incremental::{IncrementalKernel, IncrementalLimits, incremental};
pub use interface::{Shape, buffer, param};
pub use location::Limits;
pub use locations::{Locations, locations};
pub use plan::Plan;
pub use translate::{FieldValue, Translator};
pub use volvelle_streams::Generator;

use builder::Builder;
use volvelle_kernel::{Access, Kernel, Local, Type};

/// The path kernel of a plan.
pub fn path(plan: &Plan, shape: Shape) -> Kernel {
    let mut builder = Builder::new(plan, shape, None);
    builder.claim();
    let visit = builder.visit();
    let mut kernel = builder.build(visit);
    if shape == Shape::Flat {
        // Lanes make no calls.
        volvelle_streams::expand_math(&mut kernel);
    }
    kernel
}

/// A path kernel for devices.
#[derive(Clone, Debug)]
pub struct Portable {
    /// The kernel. After its other parameters it has one (`f64`) per horizon. Mathematical functions are not
    /// expanded.
    pub kernel: Kernel,
    /// Arguments for the horizons.
    pub horizons: Vec<f64>,
    /// Meanings of locals, in the words of the model.
    pub notes: Vec<(Local, String)>,
}

/// The path kernel of a plan for devices, specialised over control locations if limits are given; `None` if
/// that is impossible. Variables have the smallest type for their range. In continuous time, plans that
/// differ only in the horizons of their measures have the same kernel.
pub fn portable(plan: &Plan, shape: Shape, limits: Option<Limits>) -> Option<Portable> {
    let horizons = horizons::horizons(plan);
    let mut builder = Builder::with_horizons(plan, shape, None, horizons.len());
    builder.claim();
    let locals: Vec<Local> = builder.params[param::MAX_STEPS + 1..].to_vec();
    let small: Vec<(Local, Type)> = builder
        .fields
        .iter()
        .enumerate()
        .map(|(i, &local)| (local, narrow::smallest(plan.domain(i))))
        .collect();
    let mut notes = builder.notes();
    notes.extend(locals.iter().map(|&local| (local, "a time named in a property".to_owned())));
    let mut kernel = match limits {
        None => {
            let visit = builder.visit();
            builder.build(visit)
        }
        Some(limits) => builder.located(limits)?.kernel,
    };
    horizons::put_in(&mut kernel, &horizons, &locals);
    narrow::narrow(&mut kernel, &small);
    Some(Portable { kernel, horizons, notes })
}

/// The path kernel of a plan, one path at a time, that also reports where paths end. After the other buffers
/// there is `ends` (`write i64`): for each path from `first` on, the values of all fields (or the number of
/// the state), then the states of all automata, which have not yet read the last state.
pub fn final_state(plan: &Plan) -> Kernel {
    let mut builder = Builder::new(plan, Shape::Nested, None);
    builder.ends = Some(builder.kernel.buffer("ends", Type::I64, Access::Write));
    let visit = builder.visit();
    builder.build(visit)
}
