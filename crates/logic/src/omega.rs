//! Deterministic automata over infinite words, which a property gives in place of a path formula.

/// The condition under which a run is accepted: on the sets of transitions that it takes again and again (Emerson and Lei).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Every run.
    Always,
    /// No run.
    Never,
    /// Transitions of some kind are taken infinitely often.
    Infinitely(Among),
    /// Transitions of some kind are taken finitely often.
    Finitely(Among),
    /// All of these.
    All(Vec<Acceptance>),
    /// One of these.
    Any(Vec<Acceptance>),
}

/// A kind of transitions: those in a set, or those outside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Among {
    /// The number of the set.
    pub set: u32,
    /// Whether those in it.
    pub inside: bool,
}

impl Among {
    /// Whether a transition in some sets, one bit for each, is of the kind.
    pub fn contains(self, sets: u64) -> bool {
        (sets >> self.set & 1 == 1) == self.inside
    }
}

/// A part of a condition in disjunctive form: a generalised Rabin pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clause {
    /// None of these infinitely often.
    pub finitely: Vec<Among>,
    /// Each of these infinitely often.
    pub infinitely: Vec<Among>,
}

impl Acceptance {
    /// The opposite: that of the complement of a deterministic and complete automaton.
    #[must_use]
    pub fn negation(&self) -> Acceptance {
        let each = |operands: &[Acceptance]| operands.iter().map(Acceptance::negation).collect();
        match self {
            Acceptance::Always => Acceptance::Never,
            Acceptance::Never => Acceptance::Always,
            Acceptance::Infinitely(among) => Acceptance::Finitely(*among),
            Acceptance::Finitely(among) => Acceptance::Infinitely(*among),
            Acceptance::All(operands) => Acceptance::Any(each(operands)),
            Acceptance::Any(operands) => Acceptance::All(each(operands)),
        }
    }

    /// Whether a run is accepted that takes transitions with these sets infinitely often, and no others.
    pub fn holds(&self, recurring: &[u64]) -> bool {
        let some = |among: &Among| recurring.iter().any(|&sets| among.contains(sets));
        match self {
            Acceptance::Always => true,
            Acceptance::Never => false,
            Acceptance::Infinitely(among) => some(among),
            Acceptance::Finitely(among) => !some(among),
            Acceptance::All(operands) => operands.iter().all(|operand| operand.holds(recurring)),
            Acceptance::Any(operands) => operands.iter().any(|operand| operand.holds(recurring)),
        }
    }

    /// The same as a disjunction; `None` if it has more than `most` clauses.
    pub fn clauses(&self, most: usize) -> Option<Vec<Clause>> {
        match self {
            Acceptance::Always => Some(vec![Clause::default()]),
            Acceptance::Never => Some(Vec::new()),
            Acceptance::Infinitely(among) => {
                Some(vec![Clause { infinitely: vec![*among], ..Clause::default() }])
            }
            Acceptance::Finitely(among) => Some(vec![Clause { finitely: vec![*among], ..Clause::default() }]),
            Acceptance::Any(operands) => {
                let mut all: Vec<Clause> = Vec::new();
                for operand in operands {
                    for clause in operand.clauses(most)? {
                        clause.add_to(&mut all, most)?;
                    }
                }
                Some(all)
            }
            Acceptance::All(operands) => {
                let mut all = vec![Clause::default()];
                for operand in operands {
                    let factors = operand.clauses(most)?;
                    let mut product = Vec::new();
                    for (one, other) in all.iter().flat_map(|one| factors.iter().map(move |f| (one, f))) {
                        if let Some(both) = one.and(other) {
                            both.add_to(&mut product, most)?;
                        }
                    }
                    all = product;
                }
                Some(all)
            }
        }
    }
}

impl Clause {
    /// Both; `None` if they exclude each other.
    fn and(&self, other: &Clause) -> Option<Clause> {
        let union = |a: &[Among], b: &[Among]| {
            let mut all = [a, b].concat();
            all.sort_unstable();
            all.dedup();
            all
        };
        let finitely = union(&self.finitely, &other.finitely);
        let infinitely = union(&self.infinitely, &other.infinitely);
        // Transitions inside or outside of a set are taken for ever.
        let opposite = |a: &Among| Among { inside: !a.inside, ..*a };
        let impossible = infinitely.iter().any(|a| finitely.contains(a))
            || finitely.iter().any(|a| finitely.contains(&opposite(a)));
        (!impossible).then_some(Clause { finitely, infinitely })
    }

    /// Adds it to a disjunction, unless another clause follows from it.
    fn add_to(self, all: &mut Vec<Clause>, most: usize) -> Option<()> {
        let within = |a: &[Among], b: &[Among]| a.iter().all(|x| b.contains(x));
        let follows =
            |a: &Clause, b: &Clause| within(&a.finitely, &b.finitely) && within(&a.infinitely, &b.infinitely);
        if all.iter().any(|known| follows(known, &self)) {
            return Some(());
        }
        all.retain(|known| !follows(&self, known));
        all.push(self);
        (all.len() <= most).then_some(())
    }
}

/// Letters that agree on some propositions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube {
    /// The propositions, one bit for each.
    pub mask: u64,
    /// Their values; no bits elsewhere.
    pub value: u64,
}

impl Cube {
    /// All letters.
    pub const ALL: Cube = Cube { mask: 0, value: 0 };

    /// Whether a letter belongs to it.
    pub fn contains(self, letter: u64) -> bool {
        letter & self.mask == self.value
    }

    /// The letters that belong to both; `None` if there are none.
    pub fn and(self, other: Cube) -> Option<Cube> {
        let differ = (self.value ^ other.value) & self.mask & other.mask;
        (differ == 0).then_some(Cube { mask: self.mask | other.mask, value: self.value | other.value })
    }
}

/// A transition of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmegaEdge {
    /// The letters that take it.
    pub letters: Cube,
    /// The next state.
    pub target: u32,
    /// The sets that it belongs to, one bit for each.
    pub sets: u64,
}

/// A deterministic automaton. A run that finds no transition is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmegaAutomaton {
    /// The names of its propositions: bit `i` of a letter is the truth of the `i`-th.
    pub propositions: Vec<String>,
    /// The state at the beginning; `None` if no word is accepted.
    pub initial: Option<u32>,
    /// The transitions of state `s` are `edges[start[s]..start[s + 1]]`.
    pub start: Vec<u32>,
    /// Transitions; those of one state with a letter in common do the same.
    pub edges: Vec<OmegaEdge>,
    /// When a run is accepted.
    pub acceptance: Acceptance,
}

impl OmegaAutomaton {
    /// The transitions of a state.
    pub fn edges_of(&self, state: u32) -> &[OmegaEdge] {
        let [from, to] = [0, 1].map(|next| self.start[state as usize + next] as usize);
        &self.edges[from..to]
    }

    /// The transition of a state with a letter.
    pub fn edge(&self, state: u32, letter: u64) -> Option<&OmegaEdge> {
        self.edges_of(state).iter().find(|edge| edge.letters.contains(letter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among(set: u32, inside: bool) -> Among {
        Among { set, inside }
    }

    /// Conditions of a fixed shape over three sets, and everything that can recur.
    #[test]
    fn clauses_mean_the_same() {
        let atoms = |i: u32| match i % 2 {
            0 => Acceptance::Infinitely(among(i / 4 % 3, (i / 2).is_multiple_of(2))),
            _ => Acceptance::Finitely(among(i / 4 % 3, (i / 2).is_multiple_of(2))),
        };
        for i in 0..12 {
            for j in 0..12 {
                for k in 0..12 {
                    let pair = |a, b| Acceptance::All(vec![atoms(a), atoms(b)]);
                    let condition = Acceptance::All(vec![
                        Acceptance::Any(vec![pair(i, j), atoms(k)]),
                        Acceptance::Any(vec![atoms(j), pair(k, i + 4)]),
                    ]);
                    for condition in [condition.negation(), condition] {
                        let clauses = condition.clauses(100).unwrap();
                        for recurring in 1u32..256 {
                            let sets: Vec<u64> = (0..8).filter(|s| recurring >> s & 1 == 1).collect();
                            let some = |a: &Among| sets.iter().any(|&s| a.contains(s));
                            let met = clauses
                                .iter()
                                .any(|c| !c.finitely.iter().any(some) && c.infinitely.iter().all(some));
                            assert_eq!(met, condition.holds(&sets), "{condition:?} {sets:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn large_disjunctions_are_given_up() {
        let streett = |pairs: u32| {
            let of = |i| {
                Acceptance::Any(vec![
                    Acceptance::Finitely(among(2 * i, true)),
                    Acceptance::Infinitely(among(2 * i + 1, true)),
                ])
            };
            Acceptance::All((0..pairs).map(of).collect())
        };
        assert_eq!(streett(6).clauses(64).map(|c| c.len()), Some(64));
        assert_eq!(streett(7).clauses(64), None);
        assert_eq!(streett(7).negation().clauses(64).map(|c| c.len()), Some(7));
    }
}
