//! Plans: a program prepared for simulation, with its measures.

use crate::automaton::MonitorAutomaton;
use crate::combinations::{self, Combination};
use crate::error::Refusal;
use crate::measure::{Measure, Target};
use crate::monitor::Monitors;
use crate::scheduler::{Resolution, Scheduler};
use crate::weights::{Weights, weigh};
use volvelle_model::interval::Interval;
use volvelle_model::{Choice, Domain, Initial, Kind, Program, Weight};
use volvelle_streams::Generator;

/// A program prepared for simulation, and what it is asked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program; its arena has conditions and weights of this plan as well. Fields without bounds have all values of 32 bits.
    pub program: Program,
    /// Values of the fields at first.
    pub initial: Vec<i64>,
    /// What can happen.
    pub combinations: Vec<Combination>,
    /// Weights of the combinations: rates, or ones.
    pub weights: Weights,
    /// Weights of the branches of a combination's stages: none for a stage with a single branch.
    pub stage_weights: Vec<Vec<Option<Weights>>>,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// What is kept track of for that.
    pub monitors: Monitors,
    /// Automata that measures refer to.
    pub automata: Vec<MonitorAutomaton>,
    /// Whether holding times are drawn.
    pub clock: bool,
    /// Generator of random numbers.
    pub generator: Generator,
    /// What makes choices, where chance does not.
    pub scheduler: Option<Scheduler>,
}

impl Plan {
    /// Prepares a program whose choices are made by chance. `measures` are over its arena, and refer to `automata`.
    pub fn new(
        program: Program,
        measures: Vec<Measure>,
        automata: Vec<MonitorAutomaton>,
        generator: Generator,
    ) -> Result<Self, Refusal> {
        Self::resolved(program, measures, automata, generator, &Resolution::Model)
    }

    /// Prepares a program whose choices are made in some way.
    pub fn resolved(
        mut program: Program,
        measures: Vec<Measure>,
        automata: Vec<MonitorAutomaton>,
        generator: Generator,
        resolution: &Resolution,
    ) -> Result<Self, Refusal> {
        if !program.is_static() {
            return Err(Refusal::Processes);
        }
        match (program.kind(), resolution) {
            (Kind::Dtmc | Kind::Ctmc, Resolution::Model) => {}
            (Kind::Mdp, Resolution::Uniform | Resolution::Scheduler(_)) => {
                program.choice = Choice::Uniform;
                program.groups.iter_mut().for_each(|group| group.choice = None);
            }
            (kind, _) if kind.is_nondeterministic() => return Err(Refusal::Nondeterministic(kind)),
            _ => return Err(Refusal::NoChoices),
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
        let combinations = combinations::combinations(&program)?;
        let scheduler = match resolution {
            Resolution::Scheduler(decisions) => Some(Scheduler::new(&mut program, &combinations, decisions)?),
            _ => None,
        };
        let one = Weight::Constant { value: 1.0, exact: Some(dashu_ratio::RBig::ONE) };
        let of_combination = |combination: &Combination| {
            let rate = if combination.rate.is_empty() { vec![one.clone()] } else { combination.rate.clone() };
            (combination.guards.clone(), rate)
        };
        let combination_weights: Vec<_> = combinations.iter().map(of_combination).collect();
        let weights = weigh(&mut program, &combination_weights);
        let mut stage_weights = Vec::with_capacity(combinations.len());
        for combination in &combinations {
            let mut of_combination = Vec::with_capacity(combination.stages.len());
            for stage in &combination.stages {
                let branches: Vec<_> =
                    stage.iter().map(|branch| (combination.guards.clone(), branch.weight.clone())).collect();
                of_combination.push((stage.len() > 1).then(|| weigh(&mut program, &branches)));
            }
            stage_weights.push(of_combination);
        }
        let clock = program.kind() == Kind::Ctmc && measures.iter().any(Measure::needs_clock);
        let monitors = Monitors::together(program.kind(), &measures);
        Ok(Plan {
            program,
            initial,
            combinations,
            weights,
            stage_weights,
            measures,
            monitors,
            automata,
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
            Measure::Reach { structure, target: Target::Automaton(_) } => {
                self.program.kind() == Kind::Ctmc
                    || structure.is_some_and(|s| !self.program.rewards[s].transitions.is_empty())
            }
            _ => false,
        })
    }

    /// Number of values of a field; `None` where it has more than 64 bits count.
    pub fn domain_size(&self, field: usize) -> Option<u64> {
        let domain = self.domain(field);
        u64::try_from(domain.hi.checked_sub(domain.lo)?).ok()?.checked_add(1)
    }
}
