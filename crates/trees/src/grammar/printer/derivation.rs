//! Ways through rules that make given nodes.
//!
//! A node may be the last of a chain that its rule makes: in `a + b + c`, each sum is put into the next one. The chain is followed down
//! as far as the rule can make its links; then a way is looked for to what is at its end.

use super::super::Grammar;
use super::super::code::{At, NOWHERE, Op, TRIAL, Target};
use super::super::model::TokenKind;
use super::super::syntax::Mode;
use crate::classes::ClassId;
use crate::interner::{Interner, Symbol};
use crate::tree::{NodeId, Placed, Slot, Tree};
use rustc_hash::FxHashMap;

/// Something to be written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    Keyword(TokenKind),
    Text(Symbol),
    /// A node by a rule; rules that passed it on to this one.
    Rule {
        rule: u16,
        node: NodeId,
        passes: u32,
    },
}

/// Instructions that are tried for one way.
const MOST_STEPS: usize = 20_000;

/// What a way has made so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    Nothing,
    Passed,
    Own,
}

/// Another way to go.
struct Choice {
    at: At,
    made: Made,
    /// Lengths of the way and of the list of fields written.
    pieces: usize,
    written: usize,
    /// Tokens before the call of a rule without a field.
    tokens: u16,
}

/// A link of a chain.
struct Link {
    node: NodeId,
    /// Where ways of this link must end, with the number of the step of the link above.
    goals: Vec<(At, usize)>,
    /// Ways to them: the place behind the action that begins this link's node, the goal, and what is written.
    steps: Vec<(At, usize, Vec<Piece>)>,
}

pub(super) struct Derivations<'a> {
    grammar: &'a Grammar,
    tree: &'a Tree,
    symbols: &'a Interner,
    /// Of each rule: where it ends, and its actions that put a node into a new one.
    ends: Vec<At>,
    wraps: Vec<Vec<(At, ClassId, Target)>>,
    makes: Vec<Vec<ClassId>>,
    /// Rules that a rule calls without a field, with the tokens before.
    passes: Vec<Vec<(u16, u16)>>,
    /// By class and rule, tokens that are written until a rule is reached that makes it.
    costs: FxHashMap<ClassId, Vec<u16>>,
}

/// No way to a class.
const NEVER: u16 = u16::MAX;

impl<'a> Derivations<'a> {
    pub fn new(grammar: &'a Grammar, tree: &'a Tree, symbols: &'a Interner) -> Self {
        let code = &grammar.code;
        let mut derivations = Derivations {
            grammar,
            tree,
            symbols,
            ends: Vec::new(),
            wraps: Vec::new(),
            makes: Vec::new(),
            passes: Vec::new(),
            costs: FxHashMap::default(),
        };
        for rule in &code.rules {
            let length =
                code.ops[rule.entry as usize..].iter().position(|op| matches!(op, Op::Return | Op::End));
            let end = rule.entry + length.unwrap_or(0) as At;
            let (mut wraps, mut makes) = (Vec::new(), Vec::new());
            if rule.makes_own {
                makes.push(rule.class);
            }
            for at in rule.entry..end {
                match code.ops[at as usize] {
                    Op::Wrap(class, target) => {
                        wraps.push((at, class, target));
                        makes.push(class);
                    }
                    Op::New(class) => makes.push(class),
                    _ => {}
                }
            }
            derivations.ends.push(end);
            derivations.wraps.push(wraps);
            derivations.makes.push(makes);
            derivations.passes.push(passed_on(grammar, rule.entry));
        }
        derivations
    }

    /// The rule for a whole text, if it makes such nodes, or another one that does.
    pub fn rule_for(&mut self, node: NodeId) -> Option<u16> {
        let class = self.tree.class(node);
        let entry = self.grammar.code.entry;
        if self.cost(class)[usize::from(entry)] != NEVER {
            return Some(entry);
        }
        (0..self.makes.len()).find(|&rule| self.makes[rule].contains(&class)).map(|rule| rule as u16)
    }

    /// By rule, the tokens that are written until one is reached that makes a class.
    fn cost(&mut self, class: ClassId) -> &[u16] {
        let (makes, passes) = (&self.makes, &self.passes);
        self.costs.entry(class).or_insert_with(|| {
            let mut costs: Vec<u16> =
                makes.iter().map(|makes| if makes.contains(&class) { 0 } else { NEVER }).collect();
            loop {
                let mut is_changed = false;
                for (rule, passes) in passes.iter().enumerate().rev() {
                    for (to, tokens) in passes {
                        let cost = costs[usize::from(*to)].saturating_add(*tokens);
                        if cost < costs[rule] {
                            costs[rule] = cost;
                            is_changed = true;
                        }
                    }
                }
                if !is_changed {
                    return costs;
                }
            }
        })
    }

    /// Tokens before the cheapest rule to which a rule passes a class on.
    fn cost_of_passing(&mut self, rule: u16, class: ClassId) -> u16 {
        let passes = self.passes[usize::from(rule)].clone();
        let costs = self.cost(class);
        passes
            .iter()
            .map(|(to, tokens)| costs[usize::from(*to)].saturating_add(*tokens))
            .min()
            .unwrap_or(NEVER)
    }

    /// Adds what is written for a node by a rule.
    pub fn find(&mut self, rule: u16, node: NodeId, passes: u32, pieces: &mut Vec<Piece>) -> Option<()> {
        let mut links =
            vec![Link { node, goals: vec![(self.ends[usize::from(rule)], 0)], steps: Vec::new() }];
        loop {
            let last = links.len() - 1;
            let Some(inner) = self.step(rule, &mut links[last]) else { break };
            let goals = links[last].steps.iter().enumerate().map(|(number, (at, _, _))| (*at, number));
            let goals: Vec<(At, usize)> =
                goals.filter(|(at, _)| self.inner(links[last].node, *at) == Some(inner)).collect();
            links.push(Link { node: inner, goals, steps: Vec::new() });
        }
        for depth in (0..links.len()).rev() {
            for &(goal, step) in &links[depth].goals {
                let way = self.way(
                    rule,
                    links[depth].node,
                    self.grammar.code.rules[usize::from(rule)].entry,
                    goal,
                    None,
                    passes,
                );
                let Some(way) = way else { continue };
                pieces.extend(way);
                let mut step = step;
                for link in links[..depth].iter().rev() {
                    let (_, goal, written) = &link.steps[step];
                    pieces.extend(written);
                    step = link.goals[*goal].1;
                }
                return Some(());
            }
        }
        None
    }

    /// The node that an action put into the node that it began.
    fn inner(&self, node: NodeId, wrap: At) -> Option<NodeId> {
        let Op::Wrap(_, target) = self.grammar.code.ops[wrap as usize] else { return None };
        let value = match self.tree.field(&self.grammar.classes, node, target.field) {
            Slot::List(list) => self.tree.items(list).first()?.slot,
            slot => slot,
        };
        match value {
            Slot::Node(inner) => Some(inner),
            _ => None,
        }
    }

    /// Finds the ways of a link whose node an action of the rule begins. Gives the node that was put into it.
    fn step(&mut self, rule: u16, link: &mut Link) -> Option<NodeId> {
        let class = self.tree.class(link.node);
        let wraps = self.wraps[usize::from(rule)].clone();
        let mut inner = None;
        for (at, _, target) in wraps.into_iter().filter(|(_, made, _)| *made == class) {
            let Some(value) = self.inner(link.node, at) else { continue };
            for goal in 0..link.goals.len() {
                let way = self.way(rule, link.node, at + 1, link.goals[goal].0, Some(target), 0);
                if let Some(way) = way {
                    link.steps.push((at, goal, way));
                    inner = inner.or(Some(value));
                    break;
                }
            }
        }
        inner
    }

    /// A way from a place of a rule to another one that writes all fields of a node, besides one that is written.
    fn way(
        &mut self,
        rule: u16,
        node: NodeId,
        from: At,
        goal: At,
        done: Option<Target>,
        passes: u32,
    ) -> Option<Vec<Piece>> {
        let code = &self.grammar.code;
        let class = self.tree.class(node);
        let own = code.rules[usize::from(rule)];
        let cost = if done.is_none() { self.cost_of_passing(rule, class) } else { NEVER };
        let mut way = Way::new(self.grammar, self.tree, node, done);
        let mut choices = vec![Choice {
            at: from,
            made: if done.is_some() { Made::Own } else { Made::Nothing },
            pieces: 0,
            written: 0,
            tokens: 0,
        }];
        let mut steps = 0;
        while let Some(Choice { mut at, mut made, pieces, written, mut tokens }) = choices.pop() {
            way.back(pieces, written);
            loop {
                steps += 1;
                if steps > MOST_STEPS + 100 * way.pieces.len() {
                    return None;
                }
                if at == goal {
                    let is_made = match made {
                        Made::Passed => true,
                        Made::Own => way.is_complete(),
                        Made::Nothing => own.makes_own && own.class == class && way.is_complete(),
                    };
                    if is_made {
                        return Some(way.pieces);
                    }
                }
                match code.ops[at as usize] {
                    Op::Take(kind) => {
                        if !self.grammar.model.tokens[usize::from(kind)].is_keyword {
                            break; // nothing says what was written
                        }
                        way.pieces.push(Piece::Keyword(kind));
                        tokens += u16::from(made == Made::Nothing);
                        at += 1;
                    }
                    Op::TakeInto(kind, target) => {
                        let is_own = made == Made::Own || made == Made::Nothing && own.class == class;
                        if !is_own || !way.token(kind, target, self.symbols) {
                            break;
                        }
                        made = Made::Own;
                        at += 1;
                    }
                    Op::CallInto(to, target) => {
                        let is_own = made == Made::Own || made == Made::Nothing && own.class == class;
                        let Some(child) = way.child(target).filter(|_| is_own) else { break };
                        if self.cost(self.tree.class(child))[usize::from(to)] == NEVER {
                            break;
                        }
                        way.write(target, Piece::Rule { rule: to, node: child, passes: 0 });
                        made = Made::Own;
                        at += 1;
                    }
                    Op::Call(to) => {
                        let total = self.cost(class)[usize::from(to)].saturating_add(tokens);
                        if made != Made::Nothing || total != cost || cost == NEVER {
                            break;
                        }
                        way.pieces.push(Piece::Rule { rule: to, node, passes: passes + 1 });
                        made = Made::Passed;
                        at += 1;
                    }
                    Op::New(new) => {
                        if new != class || made != Made::Nothing {
                            break;
                        }
                        made = Made::Own;
                        at += 1;
                    }
                    Op::Enter(_) => at += 2,
                    Op::Leave(_, to) => at = to,
                    Op::Decide(number) => {
                        let (pieces, written) = way.lengths();
                        for &to in ways(self.grammar, number).iter().rev() {
                            choices.push(Choice { at: to, made, pieces, written, tokens });
                        }
                        break;
                    }
                    Op::Wrap(..) | Op::Return | Op::End => break,
                }
            }
        }
        None
    }
}

/// Where a decision may lead, in order.
pub(in crate::grammar) fn ways(grammar: &Grammar, number: u32) -> Vec<At> {
    let code = &grammar.code;
    let decision = &code.decisions[number as usize];
    let table = decision.table as usize;
    let mut ways: Vec<At> = Vec::new();
    let mut add = |way: At| {
        if way != NOWHERE && way != decision.after && !ways.contains(&way) {
            ways.push(way);
        }
    };
    for &to in &code.table[table..table + code.width as usize] {
        if to == NOWHERE || to & TRIAL == 0 {
            add(to);
        } else {
            code.trials[(to & !TRIAL) as usize].iter().for_each(|to| add(*to));
        }
    }
    ways.sort_unstable();
    if decision.otherwise == decision.after {
        ways.push(decision.after);
    }
    ways
}

/// Rules that a rule calls without a field, with the fewest tokens before.
fn passed_on(grammar: &Grammar, entry: At) -> Vec<(u16, u16)> {
    let code = &grammar.code;
    let mut calls: Vec<(u16, u16)> = Vec::new();
    let mut best: FxHashMap<At, u16> = FxHashMap::default();
    let mut next = vec![(entry, 0u16)];
    while let Some((at, tokens)) = next.pop() {
        if best.get(&at).is_some_and(|known| *known <= tokens) {
            continue;
        }
        best.insert(at, tokens);
        match code.ops[at as usize] {
            Op::Take(_) => next.push((at + 1, tokens + 1)),
            Op::Enter(_) => next.push((at + 2, tokens)),
            Op::Leave(_, to) => next.push((to, tokens)),
            Op::Decide(number) => next.extend(ways(grammar, number).into_iter().map(|to| (to, tokens))),
            Op::Call(to) => match calls.iter_mut().find(|(rule, _)| *rule == to) {
                Some((_, known)) => *known = tokens.min(*known),
                None => calls.push((to, tokens)),
            },
            Op::TakeInto(..) | Op::CallInto(..) | Op::New(_) | Op::Wrap(..) | Op::Return | Op::End => {}
        }
    }
    calls
}

/// A way so far.
struct Way<'a> {
    grammar: &'a Grammar,
    tree: &'a Tree,
    node: NodeId,
    pieces: Vec<Piece>,
    /// Of each field, how much of it is written.
    counts: Vec<u32>,
    /// The fields that were written, in order.
    written: Vec<usize>,
}

impl<'a> Way<'a> {
    fn new(grammar: &'a Grammar, tree: &'a Tree, node: NodeId, done: Option<Target>) -> Self {
        let fields = grammar.classes.class(tree.class(node)).fields.len();
        let mut way =
            Way { grammar, tree, node, pieces: Vec::new(), counts: vec![0; fields], written: Vec::new() };
        if let Some(place) = done.and_then(|target| way.place(target)) {
            way.counts[place] = 1;
        }
        way
    }

    fn place(&self, target: Target) -> Option<usize> {
        self.grammar.classes.place(self.tree.class(self.node), target.field)
    }

    fn lengths(&self) -> (usize, usize) {
        (self.pieces.len(), self.written.len())
    }

    fn back(&mut self, pieces: usize, written: usize) {
        self.pieces.truncate(pieces);
        for place in self.written.drain(written..) {
            self.counts[place] -= 1;
        }
    }

    /// How much stands in a field.
    fn amount(&self, place: usize) -> u32 {
        match self.tree.slot(self.node, place) {
            Slot::Nothing | Slot::Flag(false) => 0,
            Slot::Flag(true) | Slot::Text(_) | Slot::Node(_) => 1,
            Slot::List(list) => self.tree.items(list).len() as u32,
        }
    }

    fn is_complete(&self) -> bool {
        (0..self.counts.len()).all(|place| self.counts[place] == self.amount(place))
    }

    /// What is to be written next into a field.
    fn value(&self, target: Target) -> Option<Slot> {
        let place = self.place(target)?;
        let count = self.counts[place];
        if count >= self.amount(place) {
            return None;
        }
        match self.tree.slot(self.node, place) {
            Slot::List(list) => self.tree.items(list).get(count as usize).map(|item: &Placed| item.slot),
            slot => Some(slot),
        }
    }

    fn child(&self, target: Target) -> Option<NodeId> {
        match self.value(target) {
            Some(Slot::Node(node)) => Some(node),
            _ => None,
        }
    }

    /// Writes a token into a field, if it is what stands there.
    fn token(&mut self, kind: TokenKind, target: Target, symbols: &Interner) -> bool {
        let token = &self.grammar.model.tokens[usize::from(kind)];
        let piece = match (self.value(target), target.mode) {
            (Some(Slot::Flag(true)), Mode::Flag) if token.is_keyword => Piece::Keyword(kind),
            (Some(Slot::Text(symbol)), Mode::Set | Mode::Add)
                if self.grammar.reads_as(symbols.text(symbol), kind) =>
            {
                Piece::Text(symbol)
            }
            _ => return false,
        };
        self.write(target, piece);
        true
    }

    fn write(&mut self, target: Target, piece: Piece) {
        if let Some(place) = self.place(target) {
            self.counts[place] += 1;
            self.written.push(place);
        }
        self.pieces.push(piece);
    }
}
