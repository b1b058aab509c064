//! The commands behind the choices of a state space: what a scheduler says to do, in the text of the model.
//!
//! In: a state and one of its choices, as exploration counts them. Out: the commands that make it, with their places. A choice is
//! a combination of alternatives, one of each participant of a group, and combinations are numbered group by group, the first
//! participant slowest. Only groups with the action of the choice are looked at: the choice is the k-th with its action there.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use volvelle_diagnostics::Sources;
use volvelle_explore::Explored;
use volvelle_kernel::Const;
use volvelle_kernel::interp::Evaluator;
use volvelle_model::{Alternative, Domain, Group, Program};
use volvelle_session::evidence::CommandReport;
use volvelle_session::language::{Document, one_line};

/// Finds commands.
pub struct Commands<'a> {
    pub program: &'a Program,
    explored: &'a Explored,
    document: &'a dyn Document,
    sources: &'a Sources,
    /// By the name of their action, the numbers of groups.
    groups: FxHashMap<&'a str, Vec<usize>>,
    evaluator: Evaluator,
    /// The commands of the combinations that were found.
    known: FxHashMap<Combination, Arc<[CommandReport]>>,
}

/// A group, and an alternative of each of its participants.
type Combination = (usize, Vec<usize>);

impl<'a> Commands<'a> {
    pub fn new(
        program: &'a Program,
        explored: &'a Explored,
        document: &'a dyn Document,
        sources: &'a Sources,
    ) -> Self {
        let mut groups: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (number, group) in program.groups.iter().enumerate() {
            groups.entry(program.actions[group.action.index()].name.as_str()).or_default().push(number);
        }
        let (evaluator, known) = (Evaluator::new(), FxHashMap::default());
        Commands { program, explored, document, sources, groups, evaluator, known }
    }

    /// The commands of a choice, a number of the space; none if no command is behind it: in states of which a file lists the
    /// choices, and where a self-loop was added.
    pub fn of(&mut self, state: u32, choice: u32) -> Arc<[CommandReport]> {
        match self.combination(state, choice) {
            Some(combination) => match self.known.get(&combination) {
                Some(commands) => commands.clone(),
                None => {
                    let commands: Arc<[CommandReport]> = self.texts(&combination).into();
                    self.known.insert(combination, commands.clone());
                    commands
                }
            },
            None => Arc::default(),
        }
    }

    /// How many choices of the state have the action of this one.
    pub fn with_same_action(&self, state: u32, choice: u32) -> usize {
        let Some(choices) = &self.explored.space.choices else { return 1 };
        let of_state = self.explored.space.choices_of(state as usize);
        of_state.filter(|&other| choices.action[other] == choices.action[choice as usize]).count()
    }

    fn combination(&mut self, state: u32, choice: u32) -> Option<Combination> {
        let (space, number) = (&self.explored.space, state as usize);
        let is_without_steps = space.deadlocks.contains(number)
            || self.explored.unexpanded.as_ref().is_some_and(|states| states.contains(number));
        let choices = space.choices.as_ref().filter(|_| !is_without_steps)?;
        let action = choices.action[choice as usize];
        let of_state = space.choices_of(number);
        let before =
            (of_state.start..choice as usize).filter(|&other| choices.action[other] == action).count();
        let groups = self.groups.get(space.actions[action as usize].as_str())?.clone();
        if let [group] = groups.as_slice()
            && self.program.groups[*group].participants.iter().all(|p| p.alternatives.len() == 1)
        {
            return Some((*group, vec![0; self.program.groups[*group].participants.len()]));
        }
        let values = self.explored.layout.unpack(self.explored.states.get(number));
        let locals: Vec<Const> = (self.program.fields.iter().zip(&values))
            .map(|(field, &value)| match field.domain {
                Domain::Bool => Const::bool(value != 0),
                _ => Const::i64(value),
            })
            .collect();
        let mut left = before;
        for number in groups {
            let enabled = self.enabled(&self.program.groups[number], &locals)?;
            let combinations = enabled.iter().map(Vec::len).product::<usize>();
            if left >= combinations {
                left -= combinations;
                continue;
            }
            let mut chosen = vec![0; enabled.len()];
            for (participant, alternatives) in enabled.iter().enumerate().rev() {
                chosen[participant] = alternatives[left % alternatives.len()];
                left /= alternatives.len();
            }
            return Some((number, chosen));
        }
        None
    }

    /// The alternatives of each participant whose guards hold; `None` if a guard fails.
    fn enabled(&mut self, group: &Group, locals: &[Const]) -> Option<Vec<Vec<usize>>> {
        let exprs = &self.program.exprs;
        let mut all = Vec::with_capacity(group.participants.len());
        for participant in &group.participants {
            let mut enabled = Vec::new();
            for (number, alternative) in participant.alternatives.iter().enumerate() {
                if self.evaluator.eval(exprs, alternative.guard, locals).ok()?.as_bool()? {
                    enabled.push(number);
                }
            }
            all.push(enabled);
        }
        Some(all)
    }

    fn texts(&self, (group, chosen): &Combination) -> Vec<CommandReport> {
        let participants = self.program.groups[*group].participants.iter().zip(chosen);
        let commands = participants.filter_map(|(participant, &number)| {
            let alternative = participant.alternatives.get(number)?;
            self.text(self.program.participant_name(participant), alternative)
        });
        commands.collect()
    }

    fn text(&self, module: &str, alternative: &Alternative) -> Option<CommandReport> {
        let place = self.document.place(alternative.origin)?;
        let text = one_line(self.sources.text(place));
        Some(CommandReport {
            module: module.to_owned(),
            file: self.sources.get(place.file)?.name.clone(),
            line: self.sources.line_column(place).line,
            text: text.trim_end_matches(';').trim_end().to_owned(),
        })
    }
}
