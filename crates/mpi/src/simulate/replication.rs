//! One replication: the next end of a stage or delay, what it does, and what begins then.

use super::plans::{NOWHERE, Plans};
use super::{MOST_EVENTS, MOST_STEPS, Mistaken, Sampled, Simulation};
use crate::interpret::{At, Interpreter, Label, State, Step, StepKind};
use crate::system::{NodeKind, ProcessId};
use volvelle_streams::Generator;
use volvelle_streams::plain::PlainStream;

/// Events between two looks at `stop`.
const PATIENCE: u64 = 1 << 14;

/// Sees each step with the state after it.
pub trait Observer {
    /// A step at a time, and the state after it.
    fn step(&mut self, time: f64, step: Step, after: &State);
}

/// Nobody looks.
pub struct Unobserved;

impl Observer for Unobserved {
    fn step(&mut self, _: f64, _: Step, _: &State) {}
}

/// What a replication measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Time of the rounds that were measured.
    pub time: f64,
    /// By process, variable and kind of transfer.
    pub accesses: Vec<u64>,
    pub events: u64,
    pub choices: u64,
}

/// What passes of a process.
#[derive(Clone, Copy, Debug)]
struct Passing {
    /// When it ends; infinite where nothing passes.
    ends: f64,
    /// The stage of a transfer.
    stage: u32,
    /// Where it is, or [`NOWHERE`].
    station: u32,
}

const NOTHING: Passing = Passing { ends: f64::INFINITY, stage: 0, station: NOWHERE };

/// The memory of replications, which is used again for the next one: nothing is allocated while time passes.
pub struct Replication<'a> {
    interpreter: &'a Interpreter<'a>,
    plans: &'a Plans,
    simulation: &'a Simulation,
    initial: State,
    state: State,
    passing: Vec<Passing>,
    /// By station, how many transfers are there.
    crowds: Vec<u32>,
    accesses: Vec<u64>,
    random: PlainStream,
    now: f64,
    passed: u64,
    begin: f64,
    events: u64,
    choices: u64,
}

impl<'a> Replication<'a> {
    pub fn new(interpreter: &'a Interpreter<'a>, plans: &'a Plans, simulation: &'a Simulation) -> Self {
        let system = interpreter.system;
        let initial = interpreter.initial();
        let counters = system.processes.len() * system.variables.len() * plans.kinds.len();
        Replication {
            interpreter,
            plans,
            simulation,
            state: initial.clone(),
            initial,
            passing: vec![NOTHING; system.processes.len()],
            crowds: vec![0; plans.servers.len()],
            accesses: vec![0; counters],
            random: PlainStream::new(Generator::default(), simulation.seed, 0),
            now: 0.0,
            passed: 0,
            begin: 0.0,
            events: 0,
            choices: 0,
        }
    }

    /// Simulates a replication from the beginning.
    pub fn run(
        &mut self,
        number: u32,
        stop: &dyn Fn() -> bool,
        observer: &mut impl Observer,
    ) -> Result<Outcome, Mistaken> {
        self.state.clone_from(&self.initial);
        self.passing.fill(NOTHING);
        self.crowds.fill(0);
        self.accesses.fill(0);
        self.random = PlainStream::new(Generator::default(), self.simulation.seed, u64::from(number));
        (self.now, self.passed, self.begin, self.events, self.choices) = (0.0, 0, 0.0, 0, 0);
        let last = self.simulation.warm_up + self.simulation.rounds.max(1) + 1;
        for process in 0..self.passing.len() {
            self.settle(ProcessId(process as u32), last, observer)?;
        }
        let mut until_look = PATIENCE;
        let mut patience = MOST_EVENTS;
        let mut passed = self.passed;
        while self.passed < last {
            let (process, ends) = self.next();
            if ends == f64::INFINITY || patience == 0 {
                return Err(Mistaken::NoRound { passed: self.passed, time: self.now });
            }
            self.now = ends;
            self.end(ProcessId(process as u32), observer);
            self.settle(ProcessId(process as u32), last, observer)?;
            patience -= 1;
            if self.passed != passed {
                (patience, passed) = (MOST_EVENTS, self.passed);
            }
            until_look -= 1;
            if until_look == 0 {
                until_look = PATIENCE;
                if stop() {
                    return Err(Mistaken::Stopped);
                }
            }
        }
        Ok(Outcome {
            time: self.now - self.begin,
            accesses: self.accesses.clone(),
            events: self.events,
            choices: self.choices,
        })
    }

    /// What ends first; of several the first process.
    fn next(&self) -> (usize, f64) {
        let mut first = (0, f64::INFINITY);
        for (process, passing) in self.passing.iter().enumerate() {
            if passing.ends < first.1 {
                first = (process, passing.ends);
            }
        }
        first
    }

    /// A time with a mean.
    fn sample(&mut self, mean: f64) -> f64 {
        match self.simulation.latencies {
            Sampled::PhaseType => mean * self.random.exponential(),
            Sampled::Deterministic => mean,
        }
    }

    /// What passes of a process has ended.
    fn end(&mut self, process: ProcessId, observer: &mut impl Observer) {
        self.events += 1;
        let Passing { stage, station, .. } = self.passing[process.index()];
        self.passing[process.index()] = NOTHING;
        let is_delay = self.state.processes[process.index()].transfer.is_none();
        let mut kind = StepKind::Only;
        if is_delay {
            self.interpreter.perform(&mut self.state, Step { process, kind });
        } else {
            self.leave(station);
            let goes_on = match self.plans.stages[stage as usize].goes_on {
                0.0 => false,
                1.0 => true,
                goes_on => self.random.unit() < goes_on,
            };
            kind = StepKind::Stage { goes_on };
            self.interpreter.stage_ends(&mut self.state, process, goes_on);
            if goes_on {
                self.enter(process, stage + 1);
            }
        }
        observer.step(self.now, Step { process, kind }, &self.state);
    }

    /// Takes the steps of a process that take no time, and begins what takes some.
    fn settle(
        &mut self,
        process: ProcessId,
        last: u64,
        observer: &mut impl Observer,
    ) -> Result<(), Mistaken> {
        let system = self.interpreter.system;
        for _ in 0..MOST_STEPS {
            let kind = match self.state.processes[process.index()].at {
                At::Waiting(node) | At::WaitingAgain(node) => {
                    if self.passing[process.index()].ends == f64::INFINITY {
                        self.wait(process, &system.processes[process.index()].nodes[node.index()].kind);
                    }
                    return Ok(());
                }
                At::Failed(node, mistake) => {
                    return Err(Mistaken::Mistake { process, node, mistake, time: self.now });
                }
                At::Ready(node) => match &system.processes[process.index()].nodes[node.index()].kind {
                    NodeKind::End => return Ok(()),
                    NodeKind::Choice(ways) => {
                        self.choices += 1;
                        StepKind::Way(self.random.below32(ways.len() as u32))
                    }
                    _ => StepKind::Only,
                },
                At::Updating(_) | At::Done(_) => StepKind::Only,
                At::Stopped => return Ok(()),
            };
            let step = Step { process, kind };
            let label = self.interpreter.perform(&mut self.state, step);
            self.events += 1;
            observer.step(self.now, step, &self.state);
            match label {
                Label::Mark(process, mark) => {
                    let counts = process == self.simulation.process && mark == self.simulation.mark;
                    self.passed += u64::from(counts);
                    if counts && self.passed == self.simulation.warm_up + 1 {
                        self.begin = self.now;
                    }
                    if self.passed >= last {
                        return Ok(());
                    }
                }
                Label::Access { process, variable, journey: Some(journey), .. }
                    if self.passed > self.simulation.warm_up =>
                {
                    let kind = self.plans.of(process, journey).kind as usize;
                    let of = process.index() * system.variables.len() + variable.index();
                    self.accesses[of * self.plans.kinds.len() + kind] += 1;
                }
                _ => {}
            }
        }
        Err(Mistaken::Endless { process, time: self.now })
    }

    /// Something begins that takes time.
    fn wait(&mut self, process: ProcessId, kind: &NodeKind) {
        match (kind, self.state.processes[process.index()].transfer) {
            (NodeKind::Work(work, _), _) => {
                let time = self.sample(self.plans.works[work.index()]);
                self.passing[process.index()] = Passing { ends: self.now + time, ..NOTHING };
            }
            (_, Some(transfer)) => {
                let first = self.plans.of(process, transfer.journey).first;
                self.enter(process, first);
            }
            (_, None) => unreachable!("what waits has a transfer under way, or is a delay"),
        }
    }

    /// A stage begins.
    fn enter(&mut self, process: ProcessId, stage: u32) {
        let timing = self.plans.stages[stage as usize];
        let time = self.sample(timing.mean);
        let mut speed = 1.0;
        if timing.station != NOWHERE {
            let crowd = self.crowds[timing.station as usize];
            self.resize(timing.station, crowd + 1);
            speed = self.speed(timing.station, crowd + 1);
        }
        self.passing[process.index()] =
            Passing { ends: self.now + time / speed, stage, station: timing.station };
    }

    /// A stage has ended, and the others at its station become faster.
    fn leave(&mut self, station: u32) {
        if station != NOWHERE {
            let crowd = self.crowds[station as usize];
            self.resize(station, crowd - 1);
        }
    }

    /// The speed of each of so many transfers at a station.
    fn speed(&self, station: u32, crowd: u32) -> f64 {
        (self.plans.servers[station as usize] / f64::from(crowd)).min(1.0)
    }

    /// So many transfers are at a station now: what is left of those that were there takes longer, or less long.
    fn resize(&mut self, station: u32, crowd: u32) {
        let before = self.crowds[station as usize];
        self.crowds[station as usize] = crowd;
        let factor = self.speed(station, before.max(1)) / self.speed(station, crowd.max(1));
        if factor == 1.0 {
            return;
        }
        for passing in self.passing.iter_mut().filter(|passing| passing.station == station) {
            passing.ends = self.now + (passing.ends - self.now) * factor;
        }
    }
}
