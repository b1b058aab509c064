//! The path kernel: from the initial state, step by step, until every measure is decided.
//!
//! One run of the kernel goes along paths `first + lane`, `first + lane + lanes`, … below `end`. Each has its own stream of
//! random numbers. Per path it stores what every monitor tells ([`crate::monitor`]) and a word of status: twice the number of
//! steps, plus one where the path reached `max_steps` undecided. Measures that are not decided by then are [`UNDECIDED`].
//!
//! A step, in this order:
//! 1. *arrive*: monitors that the state decides; if all are decided, the path ends;
//! 2. *weigh*: the weights of all slots, added up; nothing enabled means that time stands still for ever;
//! 3. *dwell* (where time matters): the holding time is drawn, and monitors that it decides are decided;
//! 4. *move*: a slot is drawn, then the branches of its stages; transition rewards are earned, fields assigned;
//! 5. if nothing changed, and nothing that is enabled changes anything, the state is as good as one without transitions.
//!
//! Three shapes of the same code: *nested* loops over paths and steps for one path at a time; a *single* path in each lane, for
//! devices whose lanes do not wait for each other; and one *flat* loop for machines that run many lanes in step, where a lane
//! whose path has ended begins its next, a fixed number of paths further on or the next that nobody has *claimed*. The first two may be specialised over control locations (`locations`); the nested
//! shape may keep weights that a step cannot have changed (`kept`).

mod choice;
mod control;
mod curves;
mod effect;
mod frame;
mod horizons;
mod kept;
mod locations;
mod lookup;
mod monitors;
mod narrow;
mod notes;
mod rewards;
pub mod segment;
mod translate;
mod words;

pub use kept::{Keeping, KeptWeights, kept_weights};
pub use locations::{Limits, Locations, locations};
pub use translate::{FieldValue, Translator};

use crate::error::Refusal;
use crate::measure::{Measure, Target};
use crate::monitor::Monitors;
use crate::scheduler::{Resolution, Scheduler};
use crate::slots::{self, Slot};
use crate::weights::{Weights, weigh};
use crate::word::Word;
use control::Reads;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use volvelle_kernel::{Access, BinaryOp, Block, Buffer, Const, ExprId, Kernel, Local, SiteDecl, Stmt, Type};
use volvelle_model::interval::{Env, Interval};
use volvelle_model::{Domain, Initial, Kind, Program, Weight};
pub use volvelle_streams::Generator;
use volvelle_streams::Stream;

/// The value of a measure that a path given up did not decide: a value that no computation gives ([`is_undecided`]).
pub const UNDECIDED: f64 = f64::from_bits(0x7ff8_756e_6465_6369);

/// Whether a value is [`UNDECIDED`].
pub fn is_undecided(value: f64) -> bool {
    value.to_bits() == UNDECIDED.to_bits()
}

/// Which form the code has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A loop over paths around a loop over steps; `lanes` must be 1 and `lane` 0.
    Nested,
    /// A loop over the steps of path `first + lane`, if that is below `end`; `lanes` means nothing.
    Single,
    /// One loop; a lane whose path has ended begins its next path, `lanes` further on.
    Flat,
    /// The same, but a lane takes the number of the next path that nobody has begun from a buffer behind the others,
    /// `next` (`write u32`), which has the number of paths that have begun. `lanes` means nothing.
    Claiming,
}

impl Shape {
    /// Whether there is one loop, in which paths begin and end.
    fn is_flat(self) -> bool {
        matches!(self, Shape::Flat | Shape::Claiming)
    }
}

/// Indices of the parameters.
pub mod param {
    /// `u64`: number of this lane.
    pub const LANE: usize = 0;
    /// `u64`: number of lanes.
    pub const LANES: usize = 1;
    /// `u64`: seed.
    pub const SEED: usize = 2;
    /// `u64`: first path.
    pub const FIRST: usize = 3;
    /// `u64`: path after the last.
    pub const END: usize = 4;
    /// `u32`: steps at which a path is given up.
    pub const MAX_STEPS: usize = 5;
}

/// Indices of the buffers.
pub mod buffer {
    /// `write f64`: for each path from `first` on, what the monitors tell: a number for each column.
    pub const RESULTS: usize = 0;
    /// `write u64`: for each path from `first` on, twice its steps, plus one if it was given up.
    pub const STATUS: usize = 1;
    /// `read u32`: steps of the first automaton, then what repeating a letter means ([`crate::word::Word`]); and so on for the others.
    pub const WORDS: usize = 2;
    // Behind them, in this order: `read u64`, the table of the scheduler, where there is one; for every curve of rewards its horizons
    // (`read f64`; in discrete time `read u32`) and one that nothing passes; what `whereabouts` stores; what lanes claim.
}

/// A program prepared for simulation, and what it is asked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program; its arena has conditions and weights of this plan as well. Fields without bounds have all values of 32 bits.
    pub program: Program,
    /// Values of the fields at first.
    pub initial: Vec<i64>,
    /// What can happen.
    pub slots: Vec<Slot>,
    /// Weights of the slots: rates, or ones.
    pub weights: Weights,
    /// Weights of the branches of a slot's stages: none for a stage with a single branch.
    pub stage_weights: Vec<Vec<Option<Weights>>>,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// What is kept track of for that.
    pub monitors: Monitors,
    /// Automata that measures refer to.
    pub words: Vec<Word>,
    /// Whether holding times are drawn.
    pub clock: bool,
    /// Generator of random numbers.
    pub generator: Generator,
    /// What makes choices, where chance does not.
    pub scheduler: Option<Scheduler>,
}

impl Plan {
    /// Prepares a program whose choices are made by chance. `measures` are over its arena, and refer to `words`.
    pub fn new(
        program: Program,
        measures: Vec<Measure>,
        words: Vec<Word>,
        generator: Generator,
    ) -> Result<Self, Refusal> {
        Self::resolved(program, measures, words, generator, &Resolution::Model)
    }

    /// Prepares a program whose choices are made in some way.
    pub fn resolved(
        mut program: Program,
        measures: Vec<Measure>,
        words: Vec<Word>,
        generator: Generator,
        resolution: &Resolution,
    ) -> Result<Self, Refusal> {
        if !program.network.is_empty() {
            return Err(Refusal::Processes);
        }
        match (program.kind, resolution) {
            (Kind::Dtmc | Kind::Ctmc, Resolution::Model) => {}
            (Kind::Mdp, Resolution::Uniform | Resolution::Scheduler(_)) => program.kind = Kind::Dtmc,
            (Kind::Mdp | Kind::Lts, _) => return Err(Refusal::Nondeterministic(program.kind)),
            (Kind::Dtmc | Kind::Ctmc, _) => return Err(Refusal::NoChoices),
        }
        // Windows that exploration widens say nothing about where paths go.
        for field in &mut program.fields {
            if let Domain::Growing { .. } = field.domain {
                field.domain = Domain::Int { lo: i32::MIN.into(), hi: i32::MAX.into() };
            }
        }
        let initial = match &program.initial {
            Initial::States(states) => match states.as_slice() {
                [state] => state.clone(),
                states => return Err(Refusal::InitialStates(states.len())),
            },
            Initial::Predicate(_) => return Err(Refusal::InitialCondition),
        };
        let slots = slots::slots(&program)?;
        let scheduler = match resolution {
            Resolution::Scheduler(decisions) => Some(Scheduler::new(&mut program, &slots, decisions)?),
            _ => None,
        };
        let one = Weight::Constant { value: 1.0, exact: Some(dashu_ratio::RBig::ONE) };
        let of_slot = |slot: &Slot| {
            let rate = if slot.rate.is_empty() { vec![one.clone()] } else { slot.rate.clone() };
            (slot.guards.clone(), rate)
        };
        let slot_weights: Vec<_> = slots.iter().map(of_slot).collect();
        let weights = weigh(&mut program, &slot_weights);
        let mut stage_weights = Vec::with_capacity(slots.len());
        for slot in &slots {
            let mut of_slot = Vec::with_capacity(slot.stages.len());
            for stage in &slot.stages {
                let branches: Vec<_> =
                    stage.iter().map(|branch| (slot.guards.clone(), branch.weight.clone())).collect();
                of_slot.push((stage.len() > 1).then(|| weigh(&mut program, &branches)));
            }
            stage_weights.push(of_slot);
        }
        let clock = program.kind == Kind::Ctmc && measures.iter().any(Measure::needs_clock);
        let monitors = Monitors::together(program.kind, &measures);
        Ok(Plan {
            program,
            initial,
            slots,
            weights,
            stage_weights,
            measures,
            monitors,
            words,
            clock,
            generator,
            scheduler,
        })
    }

    /// Values that a field may have.
    pub fn domain(&self, field: usize) -> Interval {
        let (lo, hi) = self.program.fields[field].domain.bounds();
        Interval { lo, hi }
    }

    /// Whether a path ends in states that nothing leaves. Not where transitions that change nothing earn something.
    pub fn ends_where_nothing_changes(&self) -> bool {
        !self.measures.iter().any(|measure| match *measure {
            Measure::Cumulative { structure, .. } => !self.program.rewards[structure].transitions.is_empty(),
            // What is earned while a letter is read again and again is known where each step takes as long.
            Measure::Reach { structure, target: Target::Word(_) } => {
                self.program.kind == Kind::Ctmc
                    || structure.is_some_and(|s| !self.program.rewards[s].transitions.is_empty())
            }
            _ => false,
        })
    }
}

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
    /// The kernel. Behind the parameters that it has elsewhere there is one for each horizon, an `f64`; mathematical functions are
    /// as they are.
    pub kernel: Kernel,
    /// What to give it as horizons.
    pub horizons: Vec<f64>,
    /// What locals are, in the words of the model.
    pub notes: Vec<(Local, String)>,
}

/// The path kernel of a plan for devices, specialised over control locations if limits are given; `None` where that is not
/// possible. Variables have the smallest type that holds their range. Plans that differ in nothing but the horizons of their measures have the same kernel (in continuous time).
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
    notes.extend(locals.iter().map(|&local| (local, "a moment that properties name".to_owned())));
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

/// The path kernel of a plan, one path at a time, that also tells where paths end: behind the other buffers there is
/// `ends` (`write i64`), for each path from `first` on with the values of all fields, then the states of all automata, which
/// have not read the last state yet.
pub fn whereabouts(plan: &Plan) -> Kernel {
    let mut builder = Builder::new(plan, Shape::Nested, None);
    builder.ends = Some(builder.kernel.buffer("ends", Type::I64, Access::Write));
    let visit = builder.visit();
    builder.build(visit)
}

/// State of the construction.
struct Builder<'a> {
    plan: &'a Plan,
    shape: Shape,
    kernel: Kernel,
    stream: Stream,
    translator: Translator,
    fields: Vec<Local>,
    results: Buffer,
    status: Buffer,
    table: Option<Buffer>,
    params: Vec<Local>,
    path: Local,
    steps: Local,
    /// Flat shape: whether a path is under way.
    running: Local,
    /// For each monitor.
    values: Vec<Local>,
    open: Vec<Local>,
    curves: Vec<Option<curves::Curve>>,
    /// No way out of the state: a constant or `dead_local`.
    dead: ExprId,
    dead_local: Local,
    /// Everything enabled leads back to the state.
    absorbed: Local,
    /// The step changed nothing.
    still: Local,
    /// Where time matters: when the state was entered and will be left.
    now: Local,
    then: Local,
    /// The exit rate in units of the weights.
    total: ExprId,
    /// Sums of the weights of the slots; `None` if there are no slots.
    sums: Option<choice::Sums>,
    /// What automata need.
    words: Vec<words::WordLocals>,
    /// Locals that mean nothing between statements that belong together, by name.
    scratch: FxHashMap<(String, Type), Local>,
    /// What is known of a slot where its guards hold.
    envs: Vec<Option<Env>>,
    /// Which fields expressions read; `None` where that would take too much room.
    reads: Option<Rc<Reads>>,
    /// The place that code is made for, if it is made for places.
    place: Option<locations::Place>,
    /// Where the fields are stored at the end.
    ends: Option<Buffer>,
    /// Where lanes take the numbers of paths.
    next: Option<Buffer>,
    /// Weights that are kept from step to step.
    tree: Option<Rc<kept::Tree>>,
    /// Where paths are segments.
    segment: Option<segment::Segment<'a>>,
}

impl<'a> Builder<'a> {
    fn new(plan: &'a Plan, shape: Shape, importance: Option<&'a crate::rare::Importance>) -> Self {
        Self::with_horizons(plan, shape, importance, 0)
    }

    /// With so many parameters more.
    fn with_horizons(
        plan: &'a Plan,
        shape: Shape,
        importance: Option<&'a crate::rare::Importance>,
        horizons: usize,
    ) -> Self {
        let mut kernel = Kernel::new("paths");
        let params = ["lane", "lanes", "seed", "first", "end"].map(|name| kernel.param(name, Type::U64));
        let mut params = params.to_vec();
        params.push(kernel.param("max_steps", Type::U32));
        params.extend((0..horizons).map(|i| kernel.param(format!("horizon{i}"), Type::F64)));
        let importance = importance.map(|importance| (segment::Segment::params(&mut kernel), importance));
        kernel.sites = plan
            .program
            .sites
            .iter()
            .enumerate()
            .map(|(i, s)| SiteDecl { kind: s.kind, tag: i as u32 })
            .collect();
        let results = kernel.buffer("results", Type::F64, Access::Write);
        let status = kernel.buffer("status", Type::U64, Access::Write);
        let segment =
            importance.map(|(params, importance)| segment::Segment::declare(&mut kernel, params, importance));
        let words = (0..plan.words.len())
            .map(|i| words::WordLocals {
                steps: kernel.buffer(format!("steps{i}"), Type::U32, Access::Read),
                for_ever: kernel.buffer(format!("for_ever{i}"), Type::U32, Access::Read),
                state: kernel.local(format!("word{i}"), Type::U32),
                entry: kernel.local(format!("entry{i}"), Type::U32),
            })
            .collect();
        let table = plan.scheduler.as_ref().map(|_| kernel.buffer("table", Type::U64, Access::Read));
        let curves = curves::declare(&mut kernel, plan);
        let stream = Stream::declare(&mut kernel, plan.generator);
        let mut fields = Vec::new();
        let mut known = Vec::new();
        for (i, field) in plan.program.fields.iter().enumerate() {
            let values = plan.domain(i);
            let ty = match field.domain {
                Domain::Bool => Type::Bool,
                _ if i32::try_from(values.lo).is_ok() && i32::try_from(values.hi).is_ok() => Type::I32,
                _ => Type::I64,
            };
            let local = kernel.local(format!("v{i}_{}", identifier(&field.name)), ty);
            fields.push(local);
            known.push(FieldValue::Local(local, ty, values));
        }
        let path = kernel.local("path", Type::U64);
        let steps = kernel.local("steps", Type::U32);
        let running = kernel.local("running", Type::Bool);
        let monitors = plan.monitors.all();
        let values = (0..monitors.len()).map(|i| kernel.local(format!("value{i}"), Type::F64)).collect();
        let open = (0..monitors.len()).map(|i| kernel.local(format!("open{i}"), Type::Bool)).collect();
        let [dead_local, absorbed, still] =
            ["dead", "absorbed", "still"].map(|name| kernel.local(name, Type::Bool));
        let [now, then] = ["now", "then"].map(|name| kernel.local(name, Type::F64));
        let total = kernel.exprs.i64(0);
        let dead = kernel.exprs.bool(false);
        Builder {
            plan,
            shape,
            kernel,
            stream,
            translator: Translator::new(known),
            fields,
            results,
            status,
            table,
            params,
            path,
            steps,
            running,
            values,
            open,
            curves,
            dead,
            dead_local,
            absorbed,
            still,
            now,
            then,
            total,
            words,
            sums: None,
            scratch: FxHashMap::default(),
            envs: vec![None; plan.slots.len()],
            reads: Reads::new(&plan.program.exprs, plan.program.fields.len()).map(Rc::new),
            place: None,
            ends: None,
            next: None,
            tree: None,
            segment,
        }
    }

    /// Declares where lanes take the numbers of paths, if they do.
    fn claim(&mut self) {
        if self.shape == Shape::Claiming {
            self.next = Some(self.kernel.buffer("next", Type::U32, Access::Write));
        }
    }

    /// What happens in a state, and the step out of it.
    fn visit(&mut self) -> Block {
        let mut block = self.arrive();
        if matches!(block.last(), Some(Stmt::Break)) {
            return block;
        }
        let mut stay = self.weigh();
        if self.plan.clock {
            stay.extend(self.draw_time());
        }
        stay.extend(self.dwell());
        let is_dead = self.kernel.exprs.as_const(self.dead).and_then(Const::as_bool);
        let last = if is_dead == Some(false) { Vec::new() } else { self.stay_for_ever() };
        let go = if is_dead == Some(true) { Vec::new() } else { self.go() };
        let go = if self.decides_by_time() && is_dead != Some(true) { self.unless_decided(go) } else { go };
        let way = self.when(self.dead, last, go);
        stay.extend(way);
        let stay = self.unless_reached(stay);
        if block.is_empty() {
            return stay;
        }
        block.extend(self.unless_decided(stay));
        block
    }

    /// `if something is open { block } else { the path ends }`
    fn unless_decided(&mut self, block: Block) -> Block {
        if self.ends_with_its_measure() {
            return block;
        }
        let cond = self.any_open();
        vec![Stmt::If { cond, then: block, otherwise: self.end() }]
    }

    /// Whether deciding a monitor leaves the loop over steps at once: there is but one, and a loop.
    fn ends_with_its_measure(&self) -> bool {
        !self.shape.is_flat() && self.open.len() == 1
    }

    /// What stands for a field: a local or a constant.
    fn field(&mut self, field: usize) -> ExprId {
        match self.translator.field(field) {
            FieldValue::Local(local, ty, _) => self.kernel.exprs.local(local, ty),
            FieldValue::Known(value) => {
                let ty = self.kernel.locals[self.fields[field].index()].ty;
                let constant = if ty == Type::Bool { Const::bool(value != 0) } else { Const::int(ty, value) };
                self.kernel.exprs.constant(constant)
            }
        }
    }

    /// A conjunction; constant where a side is false and nothing can fail before.
    fn both(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        let e = &mut self.kernel.exprs;
        if e.as_const(rhs).and_then(Const::as_bool) == Some(false) && e.is_infallible(lhs) {
            return rhs;
        }
        e.and(lhs, rhs)
    }

    /// A local that is set before it is read, always; the same one for the same name and type.
    fn temporary(&mut self, name: String, ty: Type) -> Local {
        let key = (name, ty);
        if let Some(&local) = self.scratch.get(&key) {
            return local;
        }
        let local = self.kernel.local(format!("{}_{}", key.0, ty.name()), ty);
        self.scratch.insert(key, local);
        local
    }

    /// What is known of the fields where a slot is enabled.
    fn env(&mut self, slot: usize) -> &Env {
        let plan = self.plan;
        self.envs[slot].get_or_insert_with(|| {
            let guards = plan.slots[slot].guards.iter();
            guards.fold(Env::new(&plan.program), |env, &guard| env.assume(&plan.program.exprs, guard))
        })
    }

    /// Ends the path.
    fn end(&mut self) -> Block {
        match self.shape {
            Shape::Nested | Shape::Single => vec![Stmt::Break],
            Shape::Flat | Shape::Claiming => {
                let value = self.kernel.exprs.bool(false);
                vec![Stmt::Set { local: self.running, value }]
            }
        }
    }

    /// Counts a step. In the flat shape, a path that has taken too many is given up.
    fn count_step(&mut self) -> Block {
        if !self.shape.is_flat() {
            return Vec::new();
        }
        let steps = self.kernel.get(self.steps);
        let most = self.kernel.get(self.params[param::MAX_STEPS]);
        let e = &mut self.kernel.exprs;
        let one = e.constant(Const::int(Type::U32, 1));
        let value = e.binary(BinaryOp::Add, steps, one);
        let too_many = e.binary(BinaryOp::Ge, steps, most);
        let then = self.end();
        vec![Stmt::Set { local: self.steps, value }, Stmt::If { cond: too_many, then, otherwise: vec![] }]
    }

    /// The expression of the kernel for one of the program.
    fn expr(&mut self, expr: ExprId) -> ExprId {
        self.translator.expr(&mut self.kernel, &self.plan.program.exprs, expr)
    }
}

/// Letters, digits and underscores only.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
