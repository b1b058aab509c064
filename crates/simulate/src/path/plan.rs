//! Plans: a program prepared for simulation, with its measures.

use crate::automaton::MonitorAutomaton;
use crate::combinations::{self, Branch, Combination};
use crate::error::Unsupported;
use crate::measure::{Measure, Target};
use crate::monitor::Monitors;
use crate::scheduler::{Resolution, Scheduler};
use crate::table::{Rows, Table};
use crate::weights::{Arithmetic, Weights, weigh};
use std::sync::Arc;
use volvelle_kernel::{BinaryOp, ExprId};
use volvelle_model::interval::Interval;
use volvelle_model::{ActionId, Choice, Domain, Initial, Kind, Program, Weight};
use volvelle_streams::Generator;

/// A program prepared for simulation, with its measures.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program. Its arena also has the conditions and weights of this plan. Fields without bounds may
    /// have all 32-bit values.
    pub program: Program,
    /// Values of the fields at first.
    pub initial: Vec<i64>,
    /// The possible steps.
    pub combinations: Vec<Combination>,
    /// Weights of the combinations: rates, or ones.
    pub weights: Weights,
    /// By combination and stage: weights of the branches; none for a stage with a single branch.
    pub stage_weights: Vec<Vec<Option<Weights>>>,
    /// The measures.
    pub measures: Vec<Measure>,
    /// The monitors that paths keep for the measures.
    pub monitors: Monitors,
    /// Automata that measures refer to.
    pub automata: Vec<MonitorAutomaton>,
    /// Whether an enabled step spends, or earns within budgets; `None` if none ever does. If this holds, a
    /// path continues even if nothing changes. In a table, rewards of staying include those of the steps.
    pub spends: Option<ExprId>,
    /// Whether holding times are drawn.
    pub clock: bool,
    /// Generator of random numbers.
    pub generator: Generator,
    /// The scheduler, if choices are not made by chance.
    pub scheduler: Option<Scheduler>,
    /// The states of an explicit model; then there are no combinations.
    pub rows: Option<Rows>,
}

impl Plan {
    /// Prepares a program whose choices are made by chance. `measures` are over its arena, and refer to
    /// `automata`.
    pub fn new(
        program: Program,
        measures: Vec<Measure>,
        automata: Vec<MonitorAutomaton>,
        generator: Generator,
    ) -> Result<Self, Unsupported> {
        Self::resolved(program, measures, automata, generator, &Resolution::Model)
    }

    /// Prepares a program whose choices are resolved in a given way.
    pub fn resolved(
        mut program: Program,
        measures: Vec<Measure>,
        automata: Vec<MonitorAutomaton>,
        generator: Generator,
        resolution: &Resolution,
    ) -> Result<Self, Unsupported> {
        if !program.is_static() {
            return Err(Unsupported::Processes);
        }
        if program.longest_offer() > 0 || program.has_classes() {
            return Err(Unsupported::Unflattened);
        }
        if !program.applications.is_empty() {
            return Err(Unsupported::Functions);
        }
        match (program.kind(), resolution) {
            (Kind::Dtmc | Kind::Ctmc, Resolution::Model) => {}
            (Kind::Mdp, Resolution::Uniform | Resolution::Scheduler(_)) => {
                program.choice = Choice::Uniform;
                program.groups.iter_mut().for_each(|group| group.choice = None);
            }
            (kind, _) if kind.is_nondeterministic() => return Err(Unsupported::Nondeterministic(kind)),
            _ => return Err(Unsupported::NoChoices),
        }
        // The present windows of growing fields do not limit paths.
        for field in &mut program.fields {
            if let Domain::Growing { .. } = field.domain {
                field.domain = Domain::Int { lo: i32::MIN.into(), hi: i32::MAX.into() };
            }
        }
        let initial = match &program.initial {
            Initial::States(states) => match states.as_slice() {
                [state] => state.clone(),
                states => return Err(Unsupported::InitialStates(states.len())),
            },
            Initial::Predicate(_) => return Err(Unsupported::InitialCondition),
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
        let spends = spending_steps(&mut program, &combinations, &measures);
        Ok(Plan {
            spends,
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
            rows: None,
        })
    }

    /// Prepares an explicit chain. The program has the fields of `measures`.
    pub fn tabled(
        mut program: Program,
        table: Arc<Table>,
        measures: Vec<Measure>,
        automata: Vec<MonitorAutomaton>,
        generator: Generator,
    ) -> Result<Self, Unsupported> {
        if program.kind().is_nondeterministic() {
            // Choices were resolved when the table was made.
            program.choice = Choice::Uniform;
        }
        let initial = table.values(table.initial()?, program.fields.len());
        let clock = program.kind() == Kind::Ctmc && measures.iter().any(Measure::needs_clock);
        let monitors = Monitors::together(program.kind(), &measures);
        let mut plan = Plan {
            program,
            initial,
            combinations: Vec::new(),
            weights: Weights { arithmetic: Arithmetic::Float, values: Vec::new(), unit: 1.0 },
            stage_weights: Vec::new(),
            measures,
            monitors,
            automata,
            clock,
            generator,
            scheduler: None,
            rows: None,
            spends: None,
        };
        let ends = plan.ends_where_nothing_changes();
        plan.rows = Some(Rows::new(&mut plan.program, table, &plan.measures, &plan.automata, ends)?);
        Ok(plan)
    }

    /// Number of values that identify the state of a path: the values of all fields, or the number of the
    /// state.
    pub fn numbers_of_state(&self) -> usize {
        if self.rows.is_some() { 1 } else { self.program.fields.len() }
    }

    /// Whether some state can be left.
    pub fn can_move(&self) -> bool {
        self.rows.is_some() || !self.combinations.is_empty()
    }

    /// The stages of a combination; none for a transition of a table, whose outcome is known.
    pub fn stages(&self, combination: usize) -> &[Vec<Branch>] {
        self.combinations.get(combination).map_or(&[], |combination| &combination.stages)
    }

    /// The action of a combination, or of a transition of a table.
    pub fn action(&self, combination: usize) -> ActionId {
        match &self.rows {
            Some(rows) => rows.table.action(combination),
            None => self.combinations[combination].action,
        }
    }

    /// Values that a field may have.
    pub fn domain(&self, field: usize) -> Interval {
        let (lo, hi) = self.program.fields[field].domain.bounds();
        Interval { lo, hi }
    }

    /// Whether a path ends in states that are never left. Not if transitions that change nothing earn a
    /// reward.
    pub fn ends_where_nothing_changes(&self) -> bool {
        let earns_by_steps = |&structure: &usize| !self.program.rewards[structure].transitions.is_empty();
        !self.measures.iter().any(|measure| match *measure {
            Measure::Cumulative { structure, .. } => earns_by_steps(&structure),
            // The reward while a letter is repeated is known in advance only if all steps take the same time.
            Measure::Reach { structure, target: Target::Automaton(_) } => {
                self.program.kind() == Kind::Ctmc || structure.is_some_and(|s| earns_by_steps(&s))
            }
            _ => false,
        })
    }

    /// Number of values of a field; `None` if it exceeds 64 bits.
    pub fn domain_size(&self, field: usize) -> Option<u64> {
        let domain = self.domain(field);
        u64::try_from(domain.hi.checked_sub(domain.lo)?).ok()?.checked_add(1)
    }
}

/// The condition that an enabled step spends, or earns within budgets.
fn spending_steps(
    program: &mut Program,
    combinations: &[Combination],
    measures: &[Measure],
) -> Option<ExprId> {
    let bounded = measures.iter().filter(|measure| measure.amounts().is_some());
    let mut structures: Vec<usize> = bounded.flat_map(Measure::structures).collect();
    structures.sort_unstable();
    structures.dedup();
    let mut any = None;
    for combination in combinations {
        for &structure in &structures {
            for item in &program.rewards[structure].transitions {
                if item.action != combination.action {
                    continue;
                }
                let e = &mut program.exprs;
                let zero = e.f64(0.0);
                let spends = e.binary(BinaryOp::Ne, item.value, zero);
                let conditions = combination.guards.iter().copied().chain([item.guard, spends]);
                let truth = e.bool(true);
                let spends = conditions.fold(truth, |all, condition| e.and(all, condition));
                any = Some(any.map_or(spends, |any| e.or(any, spends)));
            }
        }
    }
    any
}
