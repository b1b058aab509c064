//! One pass over a stream for many configurations.

use crate::ahead::Ahead;
use crate::answer::{Answer, Branch};
use crate::configuration::Configuration;
use crate::machine::{Machine, Targets};
use crate::predictors::{Kind, Predictor, TargetKind, TargetPredictor, Training};
use crate::sampling::{Phase, Plan};
use crate::stage::{Done, Stage};
use crate::tasks::{Cutter, Joins, Selection, Task};
use crate::text::Outcome;
use crate::timing::{Bounds, Dataflow, Engine};
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_instructions::{Batch, Failure, Stream};

/// Instructions in work at once: few enough for the cache, enough to switch seldom between configurations.
const BATCH: usize = 8192;

/// Runs all configurations over a stream, each as if it were alone.
///
/// `ahead` is what [`Ahead::find`] found in the same stream, where [`Ahead::is_needed`].
///
/// # Errors
/// The stream is faulty, a limit is reached, or a machine cannot be built.
pub fn run(
    stream: &mut dyn Stream,
    configurations: &[Configuration],
    ahead: &Ahead,
    control: &Control<'_>,
) -> Result<Vec<Answer>, Failure> {
    run_in_batches(stream, configurations, ahead, BATCH, control)
}

/// The same with at most this many instructions at once, at least 1. The answers do not depend on that
/// number.
///
/// # Errors
/// As for [`run`].
pub fn run_in_batches(
    stream: &mut dyn Stream,
    configurations: &[Configuration],
    ahead: &Ahead,
    batch_length: usize,
    control: &Control<'_>,
) -> Result<Vec<Answer>, Failure> {
    let mut pass = Pass::new(configurations, ahead)?;
    let with_wrong = configurations.iter().filter(|one| one.machine.has_wrong_paths && one.is_timed);
    if let Some(length) = with_wrong.map(|one| one.machine.in_flight()).max()
        && !stream.follow_wrong_paths(length as usize)
    {
        let found = Diagnostic::error(codes::MACHINE_VALUE, "a trace has no wrong paths");
        let help = "give the program instead of its trace, or leave out `wrong_path`";
        return Err(Failure::Faulty(Box::new(found.help(help))));
    }
    let mut batch = Batch::default();
    while stream.next(&mut batch, batch_length.max(1), control)? {
        pass.stage.add(&batch, stream.listing());
        pass.advance();
        control.check()?;
        control.check_memory(pass.bytes())?;
    }
    Ok(pass.finish())
}

/// A task, for lists of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskRecord {
    /// Address of its first instruction.
    pub pc: u64,
    /// Its instructions.
    pub length: u32,
    /// Whether it has more than one successor.
    pub is_predicted: bool,
    /// Whether the transfer that decides is taken.
    pub is_taken: bool,
}

/// The tasks of a stream, one after the other.
///
/// # Errors
/// The stream is faulty, or a limit is reached.
pub fn tasks(
    stream: &mut dyn Stream,
    selection: Selection,
    length: u32,
    joins: Arc<Joins>,
    control: &Control<'_>,
    mut each: impl FnMut(TaskRecord),
) -> Result<(), Failure> {
    let mut stage = Stage::new(false);
    let mut cutter = Cutter::new(selection, length.max(1), joins);
    let mut batch = Batch::default();
    while !stage.is_complete {
        match stream.next(&mut batch, BATCH, control)? {
            true => stage.add(&batch, stream.listing()),
            false => stage.is_complete = true,
        }
        cutter.cut(&stage);
        for task in &cutter.tasks {
            each(TaskRecord {
                pc: stage.op(task.start).pc,
                length: task.end - task.start,
                is_predicted: task.is_predicted,
                is_taken: task.is_taken,
            });
        }
        let done = cutter.done();
        stage.remove(done);
        cutter.shift(done);
    }
    Ok(())
}

/// A predictor over the tasks of a cutter, for all configurations that share both.
struct Guess {
    cutter: usize,
    kind: Kind,
    group: u32,
    is_repaired: bool,
    /// The only configuration that uses it, if it learns when this configuration's tasks have completed.
    only: Option<usize>,
    predictor: Predictor,
    /// Which of the tasks that are predicted are mispredicted.
    wrong: Vec<bool>,
    /// By instruction: executions, taken, mispredictions; if asked for.
    branches: Option<Vec<[u64; 3]>>,
}

/// A predictor of targets over the tasks of a cutter.
struct Aim {
    cutter: usize,
    kind: TargetKind,
    has_return_stack: bool,
    predictor: TargetPredictor,
    /// Which of the predicted tasks lead to a mispredicted target.
    wrong: Vec<bool>,
}

/// A running configuration: indices of what it shares with others.
struct Place {
    guess: usize,
    aim: usize,
    flow: Option<usize>,
    engine: Option<Engine>,
    /// Number of predicted tasks in the current round, without cycles.
    held: u32,
    /// Greatest number of them in a round.
    most_held: u32,
    plan: Option<Plan>,
    phase: Phase,
    /// From which instruction on something else is done.
    until: u64,
}

/// All configurations at work.
struct Pass<'c> {
    configurations: &'c [Configuration],
    stage: Stage,
    /// The first instruction and the first access of the stage that the dataflow has not processed.
    seen: (u32, u32),
    cutters: Vec<(Selection, u32, Cutter)>,
    guesses: Vec<Guess>,
    aims: Vec<Aim>,
    flows: Vec<Dataflow>,
    places: Vec<Place>,
    instructions: u64,
    /// Instructions that were removed from the stage.
    removed: u64,
}

/// The index of an element, which is added if it is missing.
fn find_or_add<T>(all: &mut Vec<T>, is_it: impl FnMut(&T) -> bool, make: impl FnOnce() -> T) -> usize {
    all.iter().position(is_it).unwrap_or_else(|| {
        all.push(make());
        all.len() - 1
    })
}

impl<'c> Pass<'c> {
    fn new(configurations: &'c [Configuration], ahead: &Ahead) -> Result<Self, Failure> {
        let is_timed = configurations.iter().any(|configuration| configuration.is_timed);
        let mut pass = Pass {
            configurations,
            stage: Stage::new(is_timed),
            seen: (0, 0),
            cutters: Vec::new(),
            guesses: Vec::new(),
            aims: Vec::new(),
            flows: Vec::new(),
            places: Vec::new(),
            instructions: 0,
            removed: 0,
        };
        for (number, configuration) in configurations.iter().enumerate() {
            let Configuration { machine, predictor, is_timed, .. } = configuration;
            let (selection, length) = (machine.selection, machine.task_length.max(1));
            let joins = match (selection, &ahead.joins) {
                (Selection::Postdominator, None) => {
                    return Err(faulty("post-dominators are not known ahead of the pass"));
                }
                (_, joins) => joins.clone().unwrap_or_default(),
            };
            let is_late = machine.training != Training::AtOnce;
            configuration.check().map_err(|found| Failure::Faulty(Box::new(found)))?;
            let cutter = find_or_add(
                &mut pass.cutters,
                |known| (known.0, known.1) == (selection, length),
                || (selection, length, Cutter::new(selection, length, joins)),
            );
            let (kind, group, is_repaired) = (&predictor.kind, machine.group, machine.is_history_repaired);
            let only = is_late.then_some(number);
            let usual = |kind| Predictor::new(kind, group);
            let guess = find_or_add(
                &mut pass.guesses,
                |known| {
                    let same = (known.cutter, known.group, known.is_repaired, known.only);
                    same == (cutter, group, is_repaired, only) && known.kind == *kind
                },
                || Guess {
                    cutter,
                    kind: kind.clone(),
                    group,
                    is_repaired,
                    only,
                    predictor: if is_repaired { usual(kind) } else { usual(kind).unrepaired() },
                    wrong: Vec::new(),
                    branches: None,
                },
            );
            if configuration.has_branches {
                pass.guesses[guess].branches.get_or_insert_default();
            }
            let Targets { kind, has_return_stack, .. } = machine.targets;
            let aim = find_or_add(
                &mut pass.aims,
                |known| {
                    (known.cutter, known.kind, known.has_return_stack) == (cutter, kind, has_return_stack)
                },
                || Aim {
                    cutter,
                    kind,
                    has_return_stack,
                    predictor: TargetPredictor::new(kind, has_return_stack),
                    wrong: Vec::new(),
                },
            );
            let latencies = machine.latencies;
            let flow = is_timed.then(|| {
                let flows = &mut pass.flows;
                find_or_add(flows, |flow| *flow.latencies() == latencies, || Dataflow::new(latencies))
            });
            let engine = is_timed.then(|| Engine::new(machine.clone(), configuration.timeline)).transpose();
            let engine = engine.map_err(|found| Failure::Faulty(Box::new(found)))?;
            let plan = match (configuration.sampling, ahead.instructions) {
                (Some(_), None) => {
                    return Err(faulty("the number of instructions is not known ahead of the pass"));
                }
                (Some(sampling), Some(count)) if *is_timed => Plan::new(sampling, count),
                _ => None,
            };
            let most_held = machine.cores.len() as u32 * machine.tasks_per_core;
            let phase = if plan.is_some() { Phase::Followed } else { Phase::Counted };
            let until = if plan.is_some() { 0 } else { u64::MAX };
            pass.places.push(Place { guess, aim, flow, engine, held: 0, most_held, plan, phase, until });
        }
        Ok(pass)
    }

    /// Processes what the stage holds.
    fn advance(&mut self) {
        let stage = &self.stage;
        for flow in &mut self.flows {
            flow.advance(stage, self.seen.0, self.seen.1);
        }
        self.instructions += u64::from(stage.steps.len() as u32 - self.seen.0);
        for (_, _, cutter) in &mut self.cutters {
            cutter.cut(stage);
        }
        for guess in &mut self.guesses {
            let cutter = &self.cutters[guess.cutter].2;
            guess.wrong.clear();
            if guess.only.is_none() {
                guess.predictor.observe(&cutter.outcomes, &mut guess.wrong);
                guess.count(cutter, stage);
            }
        }
        for aim in &mut self.aims {
            let cutter = &self.cutters[aim.cutter].2;
            aim.wrong.clear();
            for task in cutter.tasks.iter().filter(|task| task.is_predicted) {
                let transfer = task.transfer(stage);
                aim.wrong.push(transfer.is_some_and(|transfer| !aim.predictor.observe(&transfer)));
            }
        }
        for (configuration, place) in self.configurations.iter().zip(&mut self.places) {
            let guess = &mut self.guesses[place.guess];
            if place.engine.is_none() && guess.only.is_none() {
                continue;
            }
            let cutter = &self.cutters[guess.cutter].2;
            let charged = configuration.machine.targets.is_charged && guess.kind != Kind::Oracle;
            let aim = charged.then(|| &self.aims[place.aim].wrong);
            let mut predicted = 0;
            for task in &cutter.tasks {
                let core = place.assign(task, self.removed);
                if guess.only.is_some() {
                    place.learn(guess, &configuration.machine);
                }
                let mut is_wrong = false;
                if task.is_predicted {
                    if guess.only.is_some() {
                        let outcome = Outcome { address: stage.op(task.start).pc, taken: task.is_taken };
                        let last = self.removed + u64::from(task.end) - 1;
                        guess.wrong.push(guess.predictor.foretell(outcome, last));
                    }
                    is_wrong = guess.wrong[predicted] || aim.is_some_and(|wrong| wrong[predicted]);
                    predicted += 1;
                }
                place.take(stage, task, is_wrong, core);
            }
            if guess.only.is_some() {
                guess.count(cutter, stage);
            }
        }
        self.remove();
    }

    /// Removes instructions that no part needs any more.
    fn remove(&mut self) {
        // Without configurations, none is needed.
        let all = Done {
            instructions: self.stage.steps.len() as u32,
            accesses: self.stage.addresses.len() as u32,
            transfers: self.stage.wrong.ends.len() as u32,
        };
        let done = self.cutters.iter().map(|(_, _, cutter)| cutter.done()).min().unwrap_or(all);
        self.stage.remove(done);
        self.removed += u64::from(done.instructions);
        for (_, _, cutter) in &mut self.cutters {
            cutter.shift(done);
        }
        self.seen = (self.stage.steps.len() as u32, self.stage.addresses.len() as u32);
    }

    fn bytes(&self) -> u64 {
        let engines = self.places.iter().filter_map(|place| place.engine.as_ref());
        let tables = self.guesses.iter().map(|guess| guess.kind.bits() / 2);
        self.stage.bytes() + engines.map(Engine::bytes).sum::<u64>() + tables.sum::<u64>()
    }

    /// The end of the stream.
    fn finish(mut self) -> Vec<Answer> {
        self.stage.is_complete = true;
        self.advance();
        for place in &mut self.places {
            place.finish(self.instructions);
        }
        let answer = |(configuration, place): (&Configuration, &mut Place)| {
            let guess = &self.guesses[place.guess];
            let aim = &self.aims[place.aim];
            let cutter = &self.cutters[guess.cutter].2;
            let mut answer = Answer {
                machine: configuration.machine.name.clone(),
                cores: configuration.machine.cores.len(),
                predictor: configuration.predictor.name.clone(),
                bits: configuration.predictor.kind.bits(),
                instructions: self.instructions,
                tasks: cutter.count,
                predictions: guess.predictor.predictions,
                mispredictions: guess.predictor.mispredictions,
                target_lookups: aim.predictor.lookups,
                target_misses: aim.predictor.misses,
                ..Answer::default()
            };
            if configuration.has_branches {
                answer.branches = guess.branches(&self.stage);
            }
            if let (Some(engine), Some(flow)) = (&mut place.engine, place.flow) {
                let flow = &self.flows[flow];
                answer.cycles = engine.cycles;
                answer.rounds = engine.rounds;
                answer.stack = engine.stack;
                answer.shares = engine.shares().clone();
                answer.windows = engine.windows();
                if place.plan.is_some() {
                    answer.extrapolate(&engine.stack_of_windows());
                }
                answer.bounds = Bounds::new(engine.machine(), flow.instructions, flow.accesses, flow.cycles);
                answer.dcache = engine.dcache();
                answer.icache_misses = engine.icache_misses();
                (answer.l2_accesses, answer.l2_misses) = engine.l2();
                answer.timeline = std::mem::take(&mut engine.timeline);
                if configuration.has_shared_blocks {
                    answer.shared_blocks = engine.shared_blocks();
                }
            }
            answer
        };
        self.configurations.iter().zip(&mut self.places).map(answer).collect()
    }
}

/// An error for a misuse that the documentation forbids, instead of a panic.
fn faulty(message: &str) -> Failure {
    Failure::Faulty(Box::new(Diagnostic::error(codes::MACHINE_VALUE, message)))
}

impl Place {
    /// The core of the next task, and what is done with the task. `removed` is the number of instructions
    /// before the stage.
    #[inline]
    fn assign(&mut self, task: &Task, removed: u64) -> usize {
        let Some(engine) = &mut self.engine else { return 0 };
        let number = removed + u64::from(task.start);
        // The phase changes only where cores get tasks.
        if number >= self.until
            && engine.begins()
            && let Some(plan) = &self.plan
        {
            let (phase, until) = plan.phase(number);
            for of in [self.phase, phase] {
                if of == Phase::Counted {
                    engine.mark(number);
                }
            }
            if phase == Phase::Followed && self.phase != Phase::Followed {
                engine.drain();
            }
            (self.phase, self.until) = (phase, until);
        }
        match self.phase {
            Phase::Followed => engine.assign_followed(),
            Phase::WarmUp | Phase::Counted => engine.assign((task.end - task.start) as usize),
        }
    }

    /// At the beginning of a round, the predictor learns what is known by then.
    fn learn(&mut self, guess: &mut Guess, machine: &Machine) {
        match &self.engine {
            Some(engine) if engine.begins() => {
                guess.predictor.learn(|number| engine.is_past(number, machine.training));
            }
            None if self.held == 0 => guess.predictor.learn(|_| true),
            _ => {}
        }
    }

    #[inline]
    fn take(&mut self, stage: &Stage, task: &Task, is_wrong: bool, core: usize) {
        let Some(engine) = &mut self.engine else {
            self.held += 1;
            if is_wrong || self.held == self.most_held {
                self.held = 0;
            }
            return;
        };
        match self.phase {
            Phase::Followed => engine.follow(stage, task, is_wrong, core),
            Phase::WarmUp | Phase::Counted => engine.take(stage, task, is_wrong, core),
        }
    }

    fn finish(&mut self, instructions: u64) {
        let Some(engine) = &mut self.engine else { return };
        if self.plan.is_some() && self.phase == Phase::Counted {
            engine.mark(instructions);
        }
        engine.finish();
    }
}

impl Guess {
    /// Counts by branch.
    fn count(&mut self, cutter: &Cutter, stage: &Stage) {
        let Some(branches) = &mut self.branches else { return };
        branches.resize(stage.ops.len(), [0; 3]);
        let predicted = cutter.tasks.iter().filter(|task| task.is_predicted);
        for (task, &is_wrong) in predicted.zip(&self.wrong) {
            let [executions, taken, wrong] = &mut branches[task.decider as usize];
            *executions += 1;
            *taken += u64::from(task.is_taken);
            *wrong += u64::from(is_wrong);
        }
    }

    fn branches(&self, stage: &Stage) -> Vec<Branch> {
        let counted = self.branches.iter().flatten().zip(&stage.ops).filter(|(counts, _)| counts[0] > 0);
        let mut all: Vec<Branch> = counted
            .map(|(&[executions, taken, mispredictions], op)| Branch {
                pc: op.pc,
                executions,
                taken,
                mispredictions,
            })
            .collect();
        all.sort_by_key(|branch| (u64::MAX - branch.mispredictions, branch.pc));
        all
    }
}
