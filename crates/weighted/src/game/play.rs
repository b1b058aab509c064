//! The relation at one bound, as far as it is needed: pairs count as related until a step has no answer.
//!
//! A pair is examined when an answer of another pair relies on it. If a step of the first state has no answer
//! that avoids refuted pairs, the pair is refuted, and every pair that relied on it is examined again. In the
//! end, the remaining pairs with their answers are contained in the greatest fixpoint, and refuted pairs are
//! outside of it. (Local fixpoint computation, in the spirit of X. Liu, S. A. Smolka, *Simple linear-time
//! algorithms for minimal fixed points*, ICALP 1998.)

use super::answer::{Arena, Pairs, Question, Searcher};
use super::bound::{Kind, Ratio};
use super::invariants::Invariants;
use super::ready::Ready;
use super::rule::Rule;
use super::stay::{Followed, Lasso, Scratch, Stay};
use super::trails::Rank;
use crate::Failure;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use volvelle_control::Control;

const NONE: u32 = u32::MAX;

/// Two states as one number.
pub(crate) fn key(s: u32, t: u32) -> u64 {
    u64::from(s) << 32 | u64::from(t)
}

/// Pairs known to be unrelated, from larger bounds.
pub(crate) type Known = FxHashSet<u64>;

/// Knowledge from before the game.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Aids<'a> {
    /// Pairs known to be unrelated.
    pub known: Option<&'a Known>,
    /// Classes within which all pairs are related.
    pub classes: Option<&'a [u32]>,
    /// Classes of [`Dominance::Shape`](super::classes::Dominance::Shape): a hint which of several answers
    /// will last.
    pub shape: Option<&'a [u32]>,
    /// Excludes further pairs.
    pub invariants: Option<&'a Invariants<'a>>,
    /// Further pairs that are certainly related.
    pub ready: Option<&'a Ready>,
    /// The diverging states, if divergence counts.
    pub stay: Option<&'a Stay>,
    /// Limit of work before invariants are computed, as a multiple of the structure's size.
    pub patience: u64,
}

/// The numbers of pairs.
#[derive(Debug)]
enum Numbers {
    /// Only pairs that were met.
    Met(FxHashMap<u64, u32>),
    /// All pairs; the number is *first state × this + second state*.
    All(u32),
}

/// An answer to a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub weight: u64,
    /// Its steps are a range of [`Game::paths`].
    start: u32,
    length: u32,
}

/// Records that an answer relies on a pair.
#[derive(Clone, Copy, Debug)]
struct Use {
    pair: u32,
    slot: u32,
    answer: u32,
    next: u32,
}

/// Pairs, answers, and dependences between them.
#[derive(Debug)]
pub(crate) struct Game<'a> {
    pub arena: &'a Arena<'a>,
    pub rule: Rule<'a>,
    aids: Aids<'a>,
    numbers: Numbers,
    pub pairs: Vec<(u32, u32)>,
    /// By pair: the index of its first answer in `slots`; there is one per step of its first state. `NONE`
    /// before examination.
    first: Vec<u32>,
    /// The current answers: indices of `answers`, or `NONE`.
    slots: Vec<u32>,
    pub answers: Vec<Answer>,
    paths: Vec<u32>,
    /// By answer: the repeated parts of its path.
    repeats: FxHashMap<u32, Vec<(u32, u32, u64)>>,
    uses: Vec<Use>,
    /// By pair: the last of its uses.
    users: Vec<u32>,
    /// By pair, if refuted: the time and the step of its refutation.
    refuted: Vec<Option<(u32, u32)>>,
    count: u32,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    pub(super) searcher: Searcher,
    scratch: Scratch,
    /// By refuted pair: how its first state stays forever.
    lassos: FxHashMap<u32, Lasso>,
    /// Whether only some answers were tried, so that refuted pairs may in fact be related.
    pub is_restricted: bool,
    /// Pairs that were refuted or examined in the last run.
    pub touched: Vec<u32>,
}

/// The reason why a pair is unrelated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refuted {
    /// The refutation rests on pairs of smaller rank.
    pub rank: Rank,
    /// The step without an answer, by its index among all steps; [`STAYS`] if there is none.
    pub step: u32,
}

/// In place of a step: the first state stays forever.
pub(crate) const STAYS: u32 = u32::MAX - 1;

impl<'a> Game<'a> {
    /// A game on the pairs that are met from [required](Self::require) ones.
    pub fn local(arena: &'a Arena<'a>, rule: Rule<'a>, aids: Aids<'a>) -> Self {
        Game {
            arena,
            rule,
            aids,
            numbers: Numbers::Met(FxHashMap::default()),
            pairs: Vec::new(),
            first: Vec::new(),
            slots: Vec::new(),
            answers: Vec::new(),
            paths: Vec::new(),
            repeats: FxHashMap::default(),
            uses: Vec::new(),
            users: Vec::new(),
            refuted: Vec::new(),
            count: 0,
            queue: VecDeque::new(),
            queued: Vec::new(),
            searcher: Searcher::new(arena.structure.num_states()),
            scratch: Scratch::default(),
            lassos: FxHashMap::default(),
            is_restricted: false,
            touched: Vec::new(),
        }
    }

    /// A game on all pairs of states. States with different propositions count as refuted without a step.
    pub fn global(arena: &'a Arena<'a>, rule: Rule<'a>, control: &Control) -> Result<Self, Failure> {
        let structure = arena.structure;
        let states = structure.num_states();
        let all = states.checked_mul(states).filter(|&all| all < NONE as usize).ok_or(Failure::Overflow)?;
        // Per pair: first answer, user, refutation, marks. Per step of a pair: about one answer with one step
        // and one use.
        control.check_memory((all * 40 + states * structure.num_steps() * 40) as u64)?;
        let mut game = Game::local(arena, rule, Aids::default());
        game.numbers = Numbers::All(states as u32);
        game.users = vec![NONE; all];
        game.first = vec![NONE; all];
        game.queued = vec![false; all];
        for s in 0..states as u32 {
            for t in 0..states as u32 {
                game.pairs.push((s, t));
                let same = structure.valuation_of(s) == structure.valuation_of(t);
                game.refuted.push((!same).then_some((0, NONE)));
                if same && s != t {
                    game.enqueue((s * states as u32) + t);
                }
            }
        }
        game.count = 1;
        Ok(game)
    }

    /// The number of a pair, if it was met.
    pub fn number(&self, s: u32, t: u32) -> Option<u32> {
        match &self.numbers {
            Numbers::Met(numbers) => numbers.get(&key(s, t)).copied(),
            Numbers::All(states) => Some(s * states + t),
        }
    }

    /// Whether a pair still counts as related.
    pub fn is_related(&self, s: u32, t: u32) -> bool {
        if self.arena.structure.valuation_of(s) != self.arena.structure.valuation_of(t) {
            return false;
        }
        if self.is_trivial(s, t) {
            return true;
        }
        if self.aids.invariants.is_some_and(|invariants| invariants.exclude(s, t)) {
            return false;
        }
        self.number(s, t).is_none_or(|number| self.refuted[number as usize].is_none())
            && !self.aids.known.is_some_and(|known| !known.is_empty() && known.contains(&key(s, t)))
    }

    /// Whether a pair is related anyway.
    pub fn is_trivial(&self, s: u32, t: u32) -> bool {
        s == t || self.is_alike(s, t) || self.is_ready(s, t)
    }

    /// Whether two states are in one class.
    pub fn is_alike(&self, s: u32, t: u32) -> bool {
        self.aids.classes.is_some_and(|of| of[s as usize] == of[t as usize])
    }

    /// Whether a pair is one of [`Ready`].
    pub fn is_ready(&self, s: u32, t: u32) -> bool {
        self.aids.ready.is_some_and(|ready| ready.contains(s, t))
    }

    /// An answer to a step from a pair of [`Ready`] that relies on such pairs only; it is in
    /// [`Searcher::path`].
    pub fn ready_answer(
        &self,
        (s, t): (u32, u32),
        step: usize,
        searcher: &mut Searcher,
        control: &Control,
    ) -> Result<Option<u64>, Failure> {
        let question = Question {
            place: step - self.arena.structure.range(s).start,
            source: s,
            target: self.arena.structure.steps()[step].target,
            from: t,
            weight: self.arena.weights(step).1,
            window: self.arena.window(&self.rule, step)?,
        };
        searcher.answer(self.arena, &question, &|x: u32, y: u32| self.is_ready(x, y), control)
    }

    /// The reason why a pair is unrelated. It must have equal propositions, and have been examined or be
    /// excluded.
    pub fn refutation(&self, s: u32, t: u32) -> Option<Refuted> {
        if self.is_trivial(s, t)
            || self.arena.structure.valuation_of(s) != self.arena.structure.valuation_of(t)
        {
            return None;
        }
        if let Some((rank, step)) = self.aids.invariants.and_then(|invariants| invariants.refutation(s, t)) {
            return Some(Refuted { rank, step });
        }
        let (count, step) = self.number(s, t).and_then(|number| self.refuted[number as usize])?;
        Some(Refuted { rank: (u32::MAX, 0, 0, count), step })
    }

    /// How the first state of a refuted pair stays forever.
    pub fn lasso(&self, s: u32, t: u32) -> Option<&Lasso> {
        self.number(s, t).and_then(|number| self.lassos.get(&number))
    }

    /// Whether a pair that was met is refuted.
    pub fn is_refuted(&self, pair: u32) -> bool {
        self.refuted[pair as usize].is_some()
    }

    /// Makes the next run examine a pair, unless it is related anyway. Returns its number.
    pub fn require(&mut self, s: u32, t: u32) -> Option<u32> {
        if self.is_trivial(s, t) {
            return None;
        }
        if let Some(number) = self.number(s, t) {
            return Some(number);
        }
        let number = self.pairs.len() as u32;
        if let Numbers::Met(numbers) = &mut self.numbers {
            numbers.insert(key(s, t), number);
        }
        self.pairs.push((s, t));
        self.first.push(NONE);
        self.users.push(NONE);
        self.refuted.push(None);
        self.queued.push(false);
        self.enqueue(number);
        Some(number)
    }

    fn enqueue(&mut self, pair: u32) {
        if !std::mem::replace(&mut self.queued[pair as usize], true) {
            self.queue.push_back(pair);
        }
    }

    /// Examines pairs until nothing is left to examine, or `root` is refuted.
    pub fn run(&mut self, root: Option<u32>, control: &Control) -> Result<(), Failure> {
        self.run_within(root, u64::MAX, control).map(|_| ())
    }

    /// Like [`Self::run`]; `false` if this needs more work than `most`.
    pub(super) fn run_within(
        &mut self,
        root: Option<u32>,
        most: u64,
        control: &Control,
    ) -> Result<bool, Failure> {
        let mut examined = 0u64;
        while let Some(pair) = self.queue.pop_front() {
            self.queued[pair as usize] = false;
            if self.refuted[pair as usize].is_some() {
                continue;
            }
            examined += 1;
            if examined.is_multiple_of(16) {
                control.check()?;
                control.check_memory(self.bytes())?;
                if self.searcher.work > most {
                    return Ok(false);
                }
            }
            self.examine(pair, control)?;
            if root.is_some_and(|root| self.refuted[root as usize].is_some()) {
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// Bytes held, apart from the numbers of pairs. Capacities may be twice what is used, if pairs are
    /// numbered as they are met.
    fn bytes(&self) -> u64 {
        let aids = self.aids.invariants.map_or(0, |invariants| invariants.bytes())
            + self.aids.ready.map_or(0, Ready::bytes)
            + self.aids.known.map_or(0, |known| 18 * known.capacity() as u64);
        let met = match &self.numbers {
            Numbers::Met(numbers) => 18 * numbers.capacity(),
            Numbers::All(_) => 0,
        };
        aids + (met
            + self.pairs.capacity() * 48
            + self.slots.capacity() * 4
            + self.answers.capacity() * 16
            + self.paths.capacity() * 4
            + self.uses.capacity() * 16
            + 40 * self.arena.structure.num_states()) as u64
    }

    /// Whether a pair has a slot after its answers, for the condition that its first state does not stay
    /// forever.
    fn can_stay(&self, s: u32) -> bool {
        self.aids.stay.is_some_and(|stay| stay.can(s))
    }

    fn examine(&mut self, pair: u32, control: &Control) -> Result<(), Failure> {
        let (s, t) = self.pairs[pair as usize];
        let steps = self.arena.structure.range(s);
        if self.first[pair as usize] == NONE {
            self.first[pair as usize] = u32::try_from(self.slots.len()).map_err(|_| Failure::Overflow)?;
            let slots = steps.len() + usize::from(self.can_stay(s));
            self.slots.resize(self.slots.len() + slots, NONE);
        }
        self.touched.push(pair);
        if self.aids.invariants.is_some_and(|invariants| invariants.exclude(s, t)) {
            self.refute(pair, NONE);
            return Ok(());
        }
        let first = self.first[pair as usize] as usize;
        let behind = first + steps.len();
        for (slot, step) in (first..).zip(steps) {
            if self.slots[slot] != NONE {
                continue;
            }
            let question = Question {
                place: slot - first,
                source: s,
                target: self.arena.structure.steps()[step].target,
                from: t,
                weight: self.arena.weights(step).1,
                window: self.arena.window(&self.rule, step)?,
            };
            let mut searcher = std::mem::replace(&mut self.searcher, Searcher::new(0));
            let found = searcher.answer(self.arena, &question, &*self, control);
            self.searcher = searcher;
            match found? {
                Some(weight) => self.rely(pair, slot, &question, weight)?,
                None => {
                    self.refute(pair, step as u32);
                    return Ok(());
                }
            }
        }
        if self.can_stay(s) && self.slots[behind] == NONE {
            self.examine_staying(pair, behind)?;
        }
        Ok(())
    }

    fn examine_staying(&mut self, pair: u32, slot: usize) -> Result<(), Failure> {
        let Some(stay) = self.aids.stay else { return Ok(()) };
        let (s, t) = self.pairs[pair as usize];
        let mut scratch = std::mem::take(&mut self.scratch);
        let related = |x: u32, y: u32| self.is_related(x, y);
        let followed = stay.follow(self.arena.structure, (s, t), related, &mut scratch);
        self.scratch = scratch;
        match followed {
            Followed::Stays(lasso) => {
                self.lassos.insert(pair, lasso);
                self.refute(pair, STAYS);
            }
            Followed::Moves(relies) => {
                let answer = u32::try_from(self.answers.len()).map_err(|_| Failure::Overflow)?;
                self.answers.push(Answer { weight: 0, start: self.paths.len() as u32, length: 0 });
                self.slots[slot] = answer;
                for (x, y) in relies {
                    self.use_pair(pair, slot, answer, (x, y))?;
                }
            }
        }
        Ok(())
    }

    fn refute(&mut self, pair: u32, step: u32) {
        self.refuted[pair as usize] = Some((self.count, step));
        self.count += 1;
        self.withdraw(pair);
    }

    /// Records an answer (the path of the searcher), and the pairs on which it relies.
    fn rely(&mut self, pair: u32, slot: usize, question: &Question, weight: u64) -> Result<(), Failure> {
        let number = |length: usize| u32::try_from(length).map_err(|_| Failure::Overflow);
        let answer = number(self.answers.len())?;
        let (start, length) = (number(self.paths.len())?, self.searcher.path.len());
        self.paths.extend_from_slice(&self.searcher.path);
        self.answers.push(Answer { weight, start, length: length as u32 });
        if !self.searcher.repeats.is_empty() {
            self.repeats.insert(answer, self.searcher.repeats.clone());
        }
        self.slots[slot] = answer;
        let mut state = question.from;
        for place in 0..=length {
            let needed = if place == length { question.target } else { question.source };
            // The first pair on the way is the pair itself.
            if place == length || place > 0 {
                self.use_pair(pair, slot, answer, (needed, state))?;
            }
            if place < length {
                state = self.arena.structure.steps()[self.paths[start as usize + place] as usize].target;
            }
        }
        Ok(())
    }

    /// Records that an answer relies on a pair.
    fn use_pair(&mut self, pair: u32, slot: usize, answer: u32, (s, t): (u32, u32)) -> Result<(), Failure> {
        let Some(used) = self.require(s, t) else { return Ok(()) };
        let next = self.users[used as usize];
        self.users[used as usize] = u32::try_from(self.uses.len()).map_err(|_| Failure::Overflow)?;
        self.uses.push(Use { pair, slot: slot as u32, answer, next });
        Ok(())
    }

    /// Makes the next steps examine every pair again that relied on a pair refuted now.
    fn withdraw(&mut self, pair: u32) {
        let mut at = std::mem::replace(&mut self.users[pair as usize], NONE);
        while at != NONE {
            let Use { pair, slot, answer, next } = self.uses[at as usize];
            if self.slots[slot as usize] == answer && self.refuted[pair as usize].is_none() {
                self.slots[slot as usize] = NONE;
                self.enqueue(pair);
            }
            at = next;
        }
    }

    /// The steps of an examined pair's first state with their answers.
    pub fn answers_of(&self, pair: u32) -> impl Iterator<Item = (usize, Answer)> + '_ {
        let steps = self.arena.structure.range(self.pairs[pair as usize].0);
        // If the pair was not examined, `first` is far beyond all slots.
        let first = self.first[pair as usize] as usize;
        steps.enumerate().filter_map(move |(place, step)| {
            let answer = *self.slots.get(first + place).filter(|&&answer| answer != NONE)?;
            Some((step, self.answers[answer as usize]))
        })
    }

    /// The steps of an answer.
    pub fn path(&self, answer: Answer) -> &[u32] {
        &self.paths[answer.start as usize..(answer.start + answer.length) as usize]
    }

    /// The repeated parts of the path that answers a step.
    pub fn repeats_of(&self, pair: u32, place: usize) -> &[(u32, u32, u64)] {
        let answer = self.slots.get(self.first[pair as usize] as usize + place);
        answer.and_then(|answer| self.repeats.get(answer)).map_or(&[], Vec::as_slice)
    }

    /// The largest deviation of the answers of a pair, in a game of distances.
    pub fn deviation(&self, pair: u32) -> Ratio {
        let kind = self.kind();
        let deviations = self.answers_of(pair).map(|(step, answer)| {
            self.arena.deviation(kind, step, self.path(answer)).expect("it is an answer")
        });
        deviations.max().unwrap_or(Ratio::ZERO)
    }

    fn kind(&self) -> Kind {
        match self.rule {
            Rule::Distance(kind, _) => kind,
            Rule::Window(_) => Kind::Wbd,
        }
    }

    /// Drops the answers of a pair that exceed the new bound, and has it examined again.
    pub fn tighten(&mut self, pair: u32) -> Result<(), Failure> {
        let first = self.first[pair as usize] as usize;
        let steps = self.arena.structure.range(self.pairs[pair as usize].0);
        for (slot, step) in (first..).zip(steps) {
            let (low, high) = self.arena.window(&self.rule, step)?;
            let answer = self.slots[slot];
            if answer != NONE && !(low..=high).contains(&self.answers[answer as usize].weight) {
                self.slots[slot] = NONE;
            }
        }
        self.enqueue(pair);
        Ok(())
    }

    /// The states along an answer of state `t`, `t` included.
    pub fn states(&self, t: u32, answer: Answer) -> impl Iterator<Item = u32> + '_ {
        let steps = self.arena.structure.steps();
        std::iter::once(t).chain(self.path(answer).iter().map(|&step| steps[step as usize].target))
    }

    /// The pairs on which an answer to a step of `(s, t)` relies, apart from this pair: those with states on
    /// the way, and the last one.
    pub fn relies(
        &self,
        (s, t): (u32, u32),
        step: usize,
        answer: Answer,
    ) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (last, end) = (answer.length as usize, self.arena.structure.steps()[step].target);
        let pairs = self.states(t, answer).enumerate().map(move |(place, state)| {
            let is_last = place == last;
            (is_last || place > 0, (if is_last { end } else { s }, state))
        });
        pairs.filter_map(|(other, pair)| other.then_some(pair))
    }

    /// The largest deviation of the answers of pairs in [`Ready`].
    pub fn ready_deviation(&self, (s, t): (u32, u32)) -> Option<Ratio> {
        self.aids.ready.filter(|ready| ready.contains(s, t)).map(Ready::deviation)
    }

    /// The largest deviation of all answers on which a pair relies, including its own.
    pub fn largest_deviation(&self, root: u32) -> Ratio {
        let mut order = vec![root];
        let mut seen = vec![false; self.pairs.len()];
        seen[root as usize] = true;
        let (mut next, mut largest) = (0, self.aids.ready.map_or(Ratio::ZERO, Ready::deviation));
        while let Some(&pair) = order.get(next) {
            next += 1;
            largest = largest.max(self.deviation(pair));
            for (step, answer) in self.answers_of(pair) {
                for (s, t) in self.relies(self.pairs[pair as usize], step, answer) {
                    let number = (s != t).then(|| self.number(s, t)).flatten();
                    if let Some(number) =
                        number.filter(|&number| !std::mem::replace(&mut seen[number as usize], true))
                    {
                        order.push(number);
                    }
                }
            }
        }
        largest
    }

    /// The refuted pairs, as numbers of [`key`].
    pub fn all_refuted(&self) -> impl Iterator<Item = u64> + '_ {
        let refuted = self.pairs.iter().zip(&self.refuted);
        refuted.filter(|(_, refuted)| refuted.is_some()).map(|(&(s, t), _)| key(s, t))
    }
}

impl Pairs for Game<'_> {
    fn related(&self, s: u32, t: u32) -> bool {
        self.is_related(s, t)
    }

    fn difference(&self, s: u32, t: u32) -> (u64, u64) {
        if self.is_trivial(s, t) {
            return (0, 0);
        }
        let other = self.aids.shape.is_some_and(|of| of[s as usize] != of[t as usize]);
        let difference = self.aids.invariants.map_or(0, |invariants| invariants.difference(s, t));
        (u64::from(other), difference)
    }
}
