//! The arenas while they grow: heights and sizes are bounded.

use crate::tree::*;
use volvelle_diagnostics::Span;

/// How deep brackets, operators and calls of macros may nest.
pub(super) const NESTING_LIMIT: usize = 256;

/// How many parts a formula may have, with macros and repetitions expanded.
pub(super) const SIZE_LIMIT: u64 = 1 << 20;

/// The limit that was passed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    Height,
    Size,
}

type Built<T> = Result<T, Limit>;

/// The height of a tree, and how many parts it has when repetitions are written out.
#[derive(Clone, Copy)]
struct Extent {
    height: usize,
    size: u64,
}

#[derive(Default)]
pub(super) struct Builder {
    actions: Vec<Action>,
    regulars: Vec<Regular>,
    states: Vec<State>,
    variables: Vec<Variable>,
    of_actions: Vec<Extent>,
    of_regulars: Vec<Extent>,
    of_states: Vec<Extent>,
}

/// The extent of a part above some others; `times` is how often they are written out.
fn above(children: impl Iterator<Item = Extent>, times: u64) -> Built<Extent> {
    let (mut height, mut size) = (0, 1u64);
    for child in children {
        height = height.max(child.height);
        size = size.saturating_add(child.size.saturating_mul(times));
    }
    if height >= NESTING_LIMIT {
        return Err(Limit::Height);
    }
    if size > SIZE_LIMIT {
        return Err(Limit::Size);
    }
    Ok(Extent { height: height + 1, size })
}

impl Builder {
    pub fn action(&mut self, action: Action) -> Built<ActionId> {
        let of = |id: &ActionId| self.of_actions[id.index()];
        let extent = match &action {
            Action::True | Action::False | Action::Label(..) | Action::Pattern(..) => {
                above([].into_iter(), 1)
            }
            Action::Not(a) => above([of(a)].into_iter(), 1),
            Action::And(list) | Action::Or(list) => above(list.iter().map(of), 1),
            Action::Implies(a, b) | Action::Equ(a, b) => above([of(a), of(b)].into_iter(), 1),
        }?;
        self.room()?;
        self.of_actions.push(extent);
        self.actions.push(action);
        Ok(ActionId(self.actions.len() as u32 - 1))
    }

    pub fn regular(&mut self, regular: Regular) -> Built<RegularId> {
        let of = |id: &RegularId| self.of_regulars[id.index()];
        let extent = match &regular {
            Regular::Action(a) => above([self.of_actions[a.index()]].into_iter(), 1),
            Regular::Nil => above([].into_iter(), 1),
            Regular::Sequence(list) | Regular::Choice(list) => above(list.iter().map(of), 1),
            Regular::Star(r) | Regular::Plus(r) | Regular::Optional(r) => above([of(r)].into_iter(), 1),
            Regular::Repeat(r, least, most) => {
                above([of(r)].into_iter(), u64::from(most.unwrap_or(least + 1).max(*least)))
            }
        }?;
        self.room()?;
        self.of_regulars.push(extent);
        self.regulars.push(regular);
        Ok(RegularId(self.regulars.len() as u32 - 1))
    }

    pub fn state(&mut self, state: State) -> Built<StateId> {
        let of = |id: &StateId| self.of_states[id.index()];
        let extent = match &state {
            State::True | State::False | State::Variable(..) => above([].into_iter(), 1),
            State::Not(f) | State::Fix(_, _, f) => above([of(f)].into_iter(), 1),
            State::And(list) | State::Or(list) => above(list.iter().map(of), 1),
            State::Implies(f, g) => above([of(f), of(g)].into_iter(), 1),
            // Both operands are needed twice, once negated, but shared by all that need them.
            State::Equ(f, g) => above([of(f), of(g)].into_iter(), 1),
            State::Diamond(r, f) | State::Box(r, f) => {
                above([self.of_regulars[r.index()], of(f)].into_iter(), 1)
            }
            State::Loop(r) => above([self.of_regulars[r.index()]].into_iter(), 1),
        }?;
        self.room()?;
        self.of_states.push(extent);
        self.states.push(state);
        Ok(StateId(self.states.len() as u32 - 1))
    }

    pub fn variable(&mut self, name: &str, span: Span) -> VariableId {
        self.variables.push(Variable { name: name.to_owned(), span });
        VariableId(self.variables.len() as u32 - 1)
    }

    pub fn variable_of(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    pub fn finish(self, root: StateId) -> Formula {
        let Builder { actions, regulars, states, variables, .. } = self;
        Formula { actions, regulars, states, variables, root }
    }

    fn room(&self) -> Built<()> {
        let parts = self.actions.len() + self.regulars.len() + self.states.len();
        if parts as u64 >= SIZE_LIMIT { Err(Limit::Size) } else { Ok(()) }
    }
}
