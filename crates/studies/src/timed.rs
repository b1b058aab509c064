//! The program with time: explored once for all tables of latencies.

use dashu_ratio::RBig;
use rustc_hash::FxHashSet;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explore::{ExploreError, Explored, Options};
use volvelle_imc::{Chain, Measured, Problem, Values};
use volvelle_lts::of_space;
use volvelle_model::Program;
use volvelle_mpi::lower::{Lowered, View, label_name, lower, transfer_kind, transfer_names};
use volvelle_mpi::machine::{Machine, Stage};
use volvelle_mpi::system::{ProcessId, System};
use volvelle_session::engine;
use volvelle_session::limits;
use volvelle_session::settings::Settings;
use volvelle_session::study::Ready;
use volvelle_space::{Labels, Lts};

type Failure = (Diagnostic, Option<Stop>);

/// Explores a program as a labelled transition system.
pub fn explored(
    program: &Program,
    settings: &Settings,
    control: &Control<'_>,
) -> Result<(Lts, Explored), Failure> {
    let (result, _) = engine::run(program, None, settings.tier, false, &Options::default(), control);
    let explored = result.map_err(|error| match error {
        ExploreError::Stopped { stop, .. } => stopped(stop, settings),
        other => {
            let message = format!("the program cannot be explored: {other:?}");
            (Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message), None)
        }
    })?;
    let lts = of_space(&explored.space, control).map_err(|error| match error {
        volvelle_lts::NoSystem::Stopped(stop) => stopped(stop, settings),
        other => {
            let message = format!("the states are no transition system: {other:?}");
            (Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message), None)
        }
    })?;
    Ok((lts, explored))
}

/// A diagnostic about a limit.
fn stopped(stop: Stop, settings: &Settings) -> (Diagnostic, Option<Stop>) {
    (limits::stopped(stop, &settings.allowance), Some(stop))
}

/// A step in which time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Delay {
    /// A stage of a transfer.
    Stage {
        /// Who waits.
        process: u32,
        /// For which variable.
        variable: u32,
        /// The access.
        node: u32,
        /// What is transferred.
        journey: u32,
        /// How far it is.
        stage: u32,
        /// How many transfers share the station.
        sharers: u32,
        /// Whether the transfer goes on.
        goes_on: bool,
    },
    /// A delay without access.
    Work {
        /// Who works.
        process: u32,
        /// What.
        work: u32,
    },
}

impl Delay {
    /// Reads a label.
    fn of_label(text: &str) -> Option<Self> {
        let mut words = text.split(" !");
        let name = words.next()?;
        let numbers: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
        match (name, &numbers?[..]) {
            ("LATENCY", &[process, variable, node, journey, stage, sharers, goes_on]) => {
                let goes_on = goes_on == 1;
                Some(Delay::Stage { process, variable, node, journey, stage, sharers, goes_on })
            }
            _ => None,
        }
    }

    /// The name of its rate: that of all delays which take equally long on all machines.
    fn rate_name(self) -> String {
        match self {
            Delay::Stage { process, journey, stage, sharers, goes_on, .. } => {
                format!("R_{process}_{journey}_{stage}_{sharers}_{}", u8::from(goes_on))
            }
            Delay::Work { work, .. } => format!("W_{work}"),
        }
    }

    /// The stage.
    pub fn stage(self, machine: &Machine, lowered: &Lowered) -> Option<Stage> {
        let Delay::Stage { process, journey, stage, .. } = self else { return None };
        let journey = lowered.journeys[process as usize][journey as usize - 1];
        machine.part(ProcessId(process), journey).get(stage as usize).copied()
    }

    /// How many of those that share a station are served at full speed, so that each has that part of its speed.
    fn served(stage: Stage, sharers: u32, machine: &Machine) -> u32 {
        stage.station.map_or(sharers, |station| machine.stations[station.0 as usize].servers.min(sharers))
    }

    /// The rate at which it ends, in whichever way: the speed of its stage.
    pub fn speed(self, system: &System, machine: &Machine, lowered: &Lowered) -> f64 {
        match self {
            Delay::Work { work, .. } => 1.0 / system.works[work as usize].mean,
            Delay::Stage { sharers, .. } => {
                let stage = self.stage(machine, lowered).expect("labels name stages");
                let share = f64::from(Self::served(stage, sharers, machine)) / f64::from(sharers);
                share / stage.mean
            }
        }
    }

    /// The rate of its step.
    fn rate(self, system: &System, machine: &Machine, lowered: &Lowered) -> RBig {
        let exact = |number: f64| RBig::try_from(number).expect("latencies are finite");
        match self {
            Delay::Work { work, .. } => RBig::ONE / exact(system.works[work as usize].mean),
            Delay::Stage { sharers, goes_on, .. } => {
                let stage = self.stage(machine, lowered).expect("labels name stages");
                let share = RBig::from_parts(Self::served(stage, sharers, machine).into(), sharers.into());
                let part = if goes_on { exact(stage.goes_on) } else { RBig::ONE - exact(stage.goes_on) };
                share * part / exact(stage.mean)
            }
        }
    }
}

/// An explored program.
pub struct Structure {
    /// What was lowered, for the first configuration that has this program.
    pub lowered: Lowered,
    /// The system: latencies are rates with names.
    pub lts: Lts,
    /// By label of the system: its delay.
    pub delays: Vec<Option<Delay>>,
    /// How many sets of states there are that are not left, if processes start in any order; `None` where that was not looked at.
    pub ends: Option<usize>,
}

/// States of a program beyond which other orders of starts are not explored.
const MOST_FOR_ORDERS: usize = 500_000;

impl Structure {
    /// Explores a lowered program.
    pub fn new(
        lowered: Lowered,
        ready: &Ready,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Result<Self, Failure> {
        let (mut lts, _) = explored(&lowered.program, settings, control)?;
        let ends = match lts.num_states() <= MOST_FOR_ORDERS {
            true => {
                let any_order = lower(&ready.system, &ready.machine, View::Timed { ordered: false });
                Some(explored(&any_order.program, settings, control)?.0.bottom_components().len())
            }
            false => None,
        };
        let work = |text: &str, lowered: &Lowered| {
            let mut words = text.strip_prefix("WORK !")?.split(" !");
            let name = words.next()?;
            let is_process = |c: &volvelle_model::Component| label_name(&c.name) == name;
            let process = lowered.program.components.iter().position(is_process)?;
            Some(Delay::Work { process: process as u32, work: words.next()?.parse().ok()? })
        };
        let mut labels = Labels::new();
        let mut delays = vec![None];
        for text in lts.labels.texts().iter().skip(1) {
            let delay = Delay::of_label(text).or_else(|| work(text, &lowered));
            let text = match delay {
                Some(delay) => format!("{text}; rate {}", delay.rate_name()),
                None => text.clone(),
            };
            let number = labels.number(&text) as usize;
            delays.resize(delays.len().max(number + 1), None);
            delays[number] = delay;
        }
        lts.labels = labels;
        Ok(Structure { lowered, lts, delays, ends })
    }

    /// The values of the rates for a configuration.
    pub fn values(&self, ready: &Ready) -> Values {
        let mut known = FxHashSet::default();
        let mut values = Values::new();
        for delay in self.delays.iter().flatten() {
            let name = delay.rate_name();
            if known.insert(name.clone()) {
                values.push((name, delay.rate(&ready.system, &ready.machine, &self.lowered)));
            }
        }
        values
    }

    /// The chain, with values of its rates.
    pub fn chain(
        &self,
        values: Values,
        measured: Measured,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Result<Chain<'_>, Problem> {
        let options =
            volvelle_imc::Options { values, measured, numerical: settings.numeric, ..Default::default() };
        Chain::from_lts(&self.lts, &options, control)
    }
}

impl Structure {
    /// The system with numbers for its rates, and names in its labels.
    pub fn with_numbers(self, ready: &Ready) -> Lts {
        let (system, machine) = (&ready.system, &ready.machine);
        let transfers = transfer_names(machine);
        let mut labels = Labels::new();
        let mut numbers = vec![Labels::INTERNAL; self.lts.labels.len()];
        for (label, text) in self.lts.labels.texts().iter().enumerate().skip(1) {
            let text = match self.delays[label] {
                None => text.clone(),
                Some(delay) => {
                    let rate = delay.rate(system, machine, &self.lowered).to_f64().value();
                    let name = match delay {
                        Delay::Work { .. } => text.split(';').next().unwrap_or_default().to_owned(),
                        Delay::Stage { process, variable, journey, .. } => {
                            let of = self.lowered.journeys[process as usize][journey as usize - 1];
                            let transfer = &transfers[transfer_kind(machine, ProcessId(process), of)];
                            let process = label_name(&system.processes[process as usize].name);
                            let variable = label_name(&system.variables[variable as usize].name);
                            format!("LATENCY !{process} !{variable} !{transfer}")
                        }
                    };
                    format!("{name}; rate {rate}")
                }
            };
            numbers[label] = labels.number(&text);
        }
        self.lts.relabelled(labels, &numbers)
    }
}

/// The interactive Markov chain of a configuration.
pub fn chain_of(ready: &Ready, settings: &Settings, control: &Control<'_>) -> Result<Lts, Failure> {
    let lowered = lower(&ready.system, &ready.machine, View::Timed { ordered: true });
    Ok(Structure::new(lowered, ready, settings, control)?.with_numbers(ready))
}
