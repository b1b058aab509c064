//! State formulas to vertices, for each formula and each sign that is needed.

use super::{Draft, Move, Step};
use crate::tree::*;

/// The vertices of a formula, and that of the whole.
pub(super) fn translate(formula: &Formula) -> (Vec<Draft>, u32) {
    let mut translator = Translator {
        formula,
        drafts: Vec::new(),
        always: 0,
        never: 0,
        of_variable: vec![[NONE; 2]; formula.num_variables()],
    };
    translator.always = translator.vertex(false, 0, Vec::new());
    translator.never = translator.vertex(true, 0, Vec::new());
    let root = translator.run();
    (translator.drafts, root)
}

const NONE: u32 = u32::MAX;

/// A vertex, and the greatest priority below it.
#[derive(Clone, Copy)]
struct Made {
    vertex: u32,
    priority: u32,
}

struct Translator<'a> {
    formula: &'a Formula,
    drafts: Vec<Draft>,
    /// The vertex of `true`: the other player has no move.
    always: u32,
    /// The vertex of `false`.
    never: u32,
    /// The vertex of each variable, as written and negated.
    of_variable: Vec<[u32; 2]>,
}

/// The least priority of a fixpoint above some priority: odd for least fixpoints.
fn priority(fixpoint: Fixpoint, below: u32) -> u32 {
    match fixpoint {
        Fixpoint::Least => below | 1,
        Fixpoint::Greatest => (below + 1).max(2) & !1,
    }
}

impl Translator<'_> {
    fn run(&mut self) -> u32 {
        let count = self.formula.states.len();
        let needed = self.needed();
        let nothing = Made { vertex: NONE, priority: 0 };
        let mut made = vec![[nothing; 2]; count];
        // Children stand before their parents.
        for index in 0..count {
            for sign in [0, 1] {
                if needed[index][sign] {
                    made[index][sign] = self.state(StateId(index as u32), sign, &made);
                }
            }
        }
        made[self.formula.root.index()][0].vertex
    }

    /// Which formulas are needed as they are, and which negated; makes vertices of the variables.
    fn needed(&mut self) -> Vec<[bool; 2]> {
        let mut needed = vec![[false; 2]; self.formula.states.len()];
        needed[self.formula.root.index()][0] = true;
        for index in (0..needed.len()).rev() {
            for sign in [0, 1] {
                if !needed[index][sign] {
                    continue;
                }
                match self.formula.state(StateId(index as u32)) {
                    State::True | State::False | State::Loop(_) | State::Variable(..) => {}
                    State::Not(f) => needed[f.index()][1 - sign] = true,
                    State::And(list) | State::Or(list) => {
                        list.iter().for_each(|f| needed[f.index()][sign] = true);
                    }
                    State::Implies(f, g) => {
                        needed[f.index()][1 - sign] = true;
                        needed[g.index()][sign] = true;
                    }
                    State::Equ(f, g) => {
                        needed[f.index()] = [true; 2];
                        needed[g.index()] = [true; 2];
                    }
                    State::Diamond(_, f) | State::Box(_, f) => needed[f.index()][sign] = true,
                    State::Fix(_, variable, f) => {
                        self.of_variable[variable.index()][sign] = self.vertex(true, 0, Vec::new());
                        needed[f.index()][sign] = true;
                    }
                }
            }
        }
        needed
    }

    fn vertex(&mut self, is_or: bool, priority: u32, moves: Vec<Move>) -> u32 {
        self.drafts.push(Draft { is_or, priority, moves });
        self.drafts.len() as u32 - 1
    }

    /// A vertex that stays in the state.
    fn join(&mut self, is_or: bool, parts: &[Made]) -> Made {
        let moves = parts.iter().map(|part| Move { step: Step::STAY, target: part.vertex }).collect();
        let priority = parts.iter().map(|part| part.priority).max().unwrap_or(0);
        Made { vertex: self.vertex(is_or, 0, moves), priority }
    }

    /// The vertex of a formula; `sign` is 1 for its negation.
    fn state(&mut self, id: StateId, sign: usize, made: &[[Made; 2]]) -> Made {
        let of = |f: StateId, sign: usize| made[f.index()][sign];
        let is_negated = sign == 1;
        match self.formula.state(id) {
            State::True | State::False => {
                let holds = (*self.formula.state(id) == State::True) != is_negated;
                Made { vertex: if holds { self.always } else { self.never }, priority: 0 }
            }
            State::Not(f) => of(*f, 1 - sign),
            State::And(list) | State::Or(list) => {
                let is_or = matches!(self.formula.state(id), State::Or(_)) != is_negated;
                let parts: Vec<Made> = list.iter().map(|f| of(*f, sign)).collect();
                self.join(is_or, &parts)
            }
            State::Implies(f, g) => self.join(!is_negated, &[of(*f, 1 - sign), of(*g, sign)]),
            State::Equ(f, g) => {
                let same = self.join(false, &[of(*f, 0), of(*g, sign)]);
                let different = self.join(false, &[of(*f, 1), of(*g, 1 - sign)]);
                self.join(true, &[same, different])
            }
            State::Diamond(r, f) => self.modality(!is_negated, *r, of(*f, sign)),
            State::Box(r, f) => self.modality(is_negated, *r, of(*f, sign)),
            State::Loop(r) => {
                let vertex = self.vertex(true, 0, Vec::new());
                let inner = self.modality(!is_negated, *r, Made { vertex, priority: 0 });
                let fixpoint = if is_negated { Fixpoint::Least } else { Fixpoint::Greatest };
                self.bind(vertex, fixpoint, inner)
            }
            State::Variable(variable, _) => {
                Made { vertex: self.of_variable[variable.index()][sign], priority: 0 }
            }
            State::Fix(fixpoint, variable, f) => {
                let fixpoint = if is_negated { fixpoint.dual() } else { *fixpoint };
                self.bind(self.of_variable[variable.index()][sign], fixpoint, of(*f, sign))
            }
        }
    }

    /// Lets the vertex of a variable stand for the body of its fixpoint.
    fn bind(&mut self, vertex: u32, fixpoint: Fixpoint, body: Made) -> Made {
        let priority = priority(fixpoint, body.priority);
        let is_or = self.drafts[body.vertex as usize].is_or;
        let moves = vec![Move { step: Step::STAY, target: body.vertex }];
        self.drafts[vertex as usize] = Draft { is_or, priority, moves };
        Made { vertex, priority }
    }

    /// `<R>F` or `[R]F`.
    fn modality(&mut self, is_diamond: bool, regular: RegularId, inner: Made) -> Made {
        let fixpoint = if is_diamond { Fixpoint::Least } else { Fixpoint::Greatest };
        let star = priority(fixpoint, inner.priority);
        let before = self.drafts.len();
        let vertex = self.regular(is_diamond, star, regular, inner.vertex);
        let has_star = self.drafts[before..].iter().any(|draft| draft.priority != 0);
        Made { vertex, priority: if has_star { star } else { inner.priority } }
    }

    /// The vertex from which sequences of `regular` lead to `next`. As deep as regular formulas nest.
    fn regular(&mut self, is_or: bool, star: u32, regular: RegularId, next: u32) -> u32 {
        let stay = |target: u32| Move { step: Step::STAY, target };
        match self.formula.regular(regular) {
            Regular::Action(action) => match self.formula.action(*action) {
                Action::False => self.vertex(is_or, 0, Vec::new()),
                Action::True => self.vertex(is_or, 0, vec![Move { step: Step::ANY, target: next }]),
                _ => {
                    let step = Step(action.0 + Step::FIRST_ACTION);
                    self.vertex(is_or, 0, vec![Move { step, target: next }])
                }
            },
            Regular::Nil => next,
            Regular::Sequence(list) => {
                list.iter().rev().fold(next, |next, part| self.regular(is_or, star, *part, next))
            }
            Regular::Choice(list) => {
                let moves = list.iter().map(|part| stay(self.regular(is_or, star, *part, next))).collect();
                self.vertex(is_or, 0, moves)
            }
            Regular::Star(inner) => self.star(is_or, star, *inner, next).0,
            Regular::Plus(inner) => self.star(is_or, star, *inner, next).1,
            Regular::Optional(inner) => {
                let once = self.regular(is_or, star, *inner, next);
                self.vertex(is_or, 0, vec![stay(next), stay(once)])
            }
            Regular::Repeat(inner, least, most) => {
                let exit = match most {
                    Some(_) => next,
                    None => self.star(is_or, star, *inner, next).0,
                };
                let mut next = exit;
                for _ in *least..most.unwrap_or(*least) {
                    let once = self.regular(is_or, star, *inner, next);
                    next = self.vertex(is_or, 0, vec![stay(exit), stay(once)]);
                }
                for _ in 0..*least {
                    next = self.regular(is_or, star, *inner, next);
                }
                next
            }
        }
    }

    /// The vertices of `R*` and of `R+` before `next`.
    fn star(&mut self, is_or: bool, star: u32, inner: RegularId, next: u32) -> (u32, u32) {
        let again = self.vertex(is_or, star, Vec::new());
        let body = self.regular(is_or, star, inner, again);
        self.drafts[again as usize].moves =
            [next, body].map(|target| Move { step: Step::STAY, target }).to_vec();
        (again, body)
    }
}
