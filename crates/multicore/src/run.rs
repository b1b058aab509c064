//! One pass over a stream for many configurations.

use crate::answer::{Answer, Branch};
use crate::machine::{Machine, Targets};
use crate::predictors::{Kind, Predictor, Specification, TargetKind, TargetPredictor};
use crate::stage::Stage;
use crate::tasks::{Cutter, Selection};
use crate::timing::{Bounds, Dataflow, Engine};
use volvelle_control::Control;
use volvelle_instructions::{Batch, Failure, Stream};

/// Instructions that are under work at once: few enough to stay in a cache, enough to change between configurations seldom.
const BATCH: usize = 8192;

/// A machine and a predictor, and what is to be found.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The machine.
    pub machine: Machine,
    /// The predictor.
    pub predictor: Specification,
    /// Whether cycles are asked for, not only predictions.
    pub is_timed: bool,
    /// Whether predictions by branch are asked for.
    pub has_branches: bool,
    /// Whether blocks with coherence misses are asked for.
    pub has_shared_blocks: bool,
    /// How many instructions of a timeline are asked for.
    pub timeline: usize,
}

impl Configuration {
    /// Cycles and predictions, without lists.
    pub fn new(machine: Machine, predictor: Specification) -> Self {
        Configuration {
            machine,
            predictor,
            is_timed: true,
            has_branches: false,
            has_shared_blocks: false,
            timeline: 0,
        }
    }

    /// Predictions only.
    pub fn untimed(machine: Machine, predictor: Specification) -> Self {
        Configuration { is_timed: false, ..Configuration::new(machine, predictor) }
    }
}

/// Runs all configurations over a stream, each as if it were alone.
///
/// # Errors
/// The stream is faulty, a limit is reached, or a machine cannot be built.
pub fn run(
    stream: &mut dyn Stream,
    configurations: &[Configuration],
    control: &Control<'_>,
) -> Result<Vec<Answer>, Failure> {
    run_in_batches(stream, configurations, BATCH, control)
}

/// The same with at most so many instructions at once, at least 1: the answers are the same for any number.
///
/// # Errors
/// As of [`run`].
pub fn run_in_batches(
    stream: &mut dyn Stream,
    configurations: &[Configuration],
    batch_length: usize,
    control: &Control<'_>,
) -> Result<Vec<Answer>, Failure> {
    let mut pass = Pass::new(configurations)?;
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
    /// Where it begins.
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
    control: &Control<'_>,
    mut each: impl FnMut(TaskRecord),
) -> Result<(), Failure> {
    let mut stage = Stage::new(false);
    let mut cutter = Cutter::new(selection, length.max(1));
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
        let rest = cutter.rest();
        let accesses = stage.remove(rest);
        cutter.shift(rest, accesses);
    }
    Ok(())
}

/// A predictor over the tasks of a cutter, for all configurations that have both.
struct Guess {
    cutter: usize,
    kind: Kind,
    group: u32,
    predictor: Predictor,
    /// Which of the tasks that are predicted are mispredicted.
    wrong: Vec<bool>,
    /// Executions, taken, mispredictions by instruction, where asked for.
    branches: Option<Vec<[u64; 3]>>,
}

/// A predictor of targets over the tasks of a cutter.
struct Aim {
    cutter: usize,
    kind: TargetKind,
    has_return_stack: bool,
    predictor: TargetPredictor,
    /// Which of the tasks that are predicted go to a target that was not foretold.
    wrong: Vec<bool>,
}

/// A configuration at work: where what it shares is.
struct Place {
    guess: usize,
    aim: usize,
    flow: Option<usize>,
    engine: Option<Engine>,
}

/// All configurations at work.
struct Pass<'c> {
    configurations: &'c [Configuration],
    stage: Stage,
    /// The first instruction of the stage, and the first access, that the dataflow has not seen.
    seen: (u32, u32),
    cutters: Vec<(Selection, u32, Cutter)>,
    guesses: Vec<Guess>,
    aims: Vec<Aim>,
    flows: Vec<Dataflow>,
    places: Vec<Place>,
    instructions: u64,
}

/// The place of an element, which is made if there is none.
fn find_or_add<T>(all: &mut Vec<T>, is_it: impl FnMut(&T) -> bool, make: impl FnOnce() -> T) -> usize {
    all.iter().position(is_it).unwrap_or_else(|| {
        all.push(make());
        all.len() - 1
    })
}

impl<'c> Pass<'c> {
    fn new(configurations: &'c [Configuration]) -> Result<Self, Failure> {
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
        };
        for configuration in configurations {
            let Configuration { machine, predictor, is_timed, .. } = configuration;
            let (selection, length) = (machine.selection, machine.task_length.max(1));
            let cutter = find_or_add(
                &mut pass.cutters,
                |known| (known.0, known.1) == (selection, length),
                || (selection, length, Cutter::new(selection, length)),
            );
            let (kind, group) = (&predictor.kind, machine.group);
            let guess = find_or_add(
                &mut pass.guesses,
                |known| known.cutter == cutter && known.kind == *kind && known.group == group,
                || Guess {
                    cutter,
                    kind: kind.clone(),
                    group,
                    predictor: Predictor::new(kind, group),
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
            pass.places.push(Place { guess, aim, flow, engine });
        }
        Ok(pass)
    }

    /// Works on what the stage has.
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
            guess.predictor.observe(&cutter.outcomes, &mut guess.wrong);
            guess.count(cutter, stage);
        }
        for aim in &mut self.aims {
            let cutter = &self.cutters[aim.cutter].2;
            aim.wrong.clear();
            for task in cutter.tasks.iter().filter(|task| task.is_predicted) {
                let transfer = task.transfer(stage);
                aim.wrong.push(transfer.is_some_and(|transfer| !aim.predictor.observe(&transfer)));
            }
        }
        for place in &mut self.places {
            let Some(engine) = &mut place.engine else { continue };
            let guess = &self.guesses[place.guess];
            let charged = engine.machine().targets.is_charged && guess.kind != Kind::Oracle;
            let aim = charged.then(|| &self.aims[place.aim].wrong);
            let mut predicted = 0;
            for task in &self.cutters[guess.cutter].2.tasks {
                let mut is_wrong = false;
                if task.is_predicted {
                    is_wrong = guess.wrong[predicted] || aim.is_some_and(|wrong| wrong[predicted]);
                    predicted += 1;
                }
                engine.take(stage, task, is_wrong);
            }
        }
        self.remove();
    }

    /// Removes instructions that nobody needs any more.
    fn remove(&mut self) {
        let length = self.stage.steps.len() as u32;
        let needed = self.cutters.iter().map(|(_, _, cutter)| cutter.rest()).min().unwrap_or(length);
        let accesses = self.stage.remove(needed);
        for (_, _, cutter) in &mut self.cutters {
            cutter.shift(needed, accesses);
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
        for engine in self.places.iter_mut().filter_map(|place| place.engine.as_mut()) {
            engine.finish();
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
                answer.bounds = Bounds::new(engine.machine(), flow.instructions, flow.accesses, flow.cycles);
                answer.dcache = engine.dcache();
                answer.icache_misses = engine.icache_misses();
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
