//! Texts to trees: runs the instructions of a grammar.
//!
//! Calls of rules wait on a stack of their own: the depth of a text costs memory. Fields of nodes that are not made yet stand on a second
//! one, items of their lists on a third. Behind a mistake the parser goes on where it can ([`recovery`]).

mod mistakes;
pub(super) mod recovery;

use super::code::{At, Code, NO_CLASS, NOWHERE, Op, TRIAL, Target};
use super::kinds::Kinds;
use super::model::{END, TokenClass};
use super::syntax::Mode;
use super::tokens::Tokens;
use super::trial::Trials;
use crate::classes::{ClassId, Classes, Shape};
use crate::interner::Interner;
use crate::tree::{ListId, NodeId, Placed, Slot, Tree};
use volvelle_diagnostics::{Diagnostic, FileId};

/// What a rule has made so far.
#[derive(Clone, Copy, Debug)]
pub(super) enum Made {
    Nothing,
    /// The node of another rule.
    Passed(Placed),
    /// A node whose fields are on the stack; where it begins.
    Own(ClassId, u32),
}

/// A rule that is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The instruction of the caller that runs it.
    pub call: At,
    pub rule: u16,
    /// The first token.
    pub first: u32,
    pub made: Made,
    /// Where its fields begin.
    pub slots: u32,
    /// Where the items of its lists begin.
    pub items: u32,
    /// Number of nodes before it.
    pub nodes: u32,
}

/// What the fields of a new node of a class hold, and which of them are lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blank {
    slots: Vec<Placed>,
    lists: Vec<usize>,
}

/// Of all classes.
pub(crate) fn blanks(classes: &Classes) -> Vec<Blank> {
    let blank = |shape: Shape| match shape {
        Shape::Flag => Placed { slot: Slot::Flag(false), ..Placed::default() },
        _ => Placed::default(),
    };
    let is_list = |shape| matches!(shape, Shape::Nodes(_) | Shape::Texts | Shape::References(_));
    let of = |class: &crate::classes::Class| Blank {
        slots: class.fields.iter().map(|field| blank(field.shape)).collect(),
        lists: (0..class.fields.len()).filter(|&at| is_list(class.fields[at].shape)).collect(),
    };
    classes.iter().map(|(_, class)| of(class)).collect()
}

/// The grammar as the parser sees it.
#[derive(Clone, Copy)]
pub(crate) struct Tables<'g> {
    pub code: &'g Code,
    pub classes: &'g Classes,
    pub blanks: &'g [Blank],
    pub kinds: &'g [TokenClass],
}

/// Reads one text.
pub(crate) struct Parser<'g, 't> {
    pub(super) tables: Tables<'g>,
    pub(super) file: FileId,
    pub(super) text: &'t str,
    pub(super) tokens: Tokens,
    /// The next token.
    pub(super) at: u32,
    /// Behind the last token that was taken.
    pub(super) end: u32,
    tree: &'t mut Tree,
    symbols: &'t mut Interner,
    pub(super) frames: Vec<Frame>,
    slots: Vec<Placed>,
    /// Items of lists, each with the number of the one before it, from 1.
    items: Vec<(Placed, u32)>,
    scratch: Vec<Placed>,
    pub(super) trials: Trials<'g>,
    /// Decisions since the last token that could have read more.
    pub(super) passed: Vec<u32>,
    mistakes: mistakes::Mistakes,
}

/// Decisions that are remembered for a message.
const MOST_PASSED: usize = 64;

impl<'g, 't> Parser<'g, 't> {
    pub fn new(
        tables: Tables<'g>,
        file: FileId,
        text: &'t str,
        tokens: Tokens,
        tree: &'t mut Tree,
        symbols: &'t mut Interner,
    ) -> Self {
        let mistakes = mistakes::Mistakes::new(tables.kinds.len());
        Parser {
            tables,
            file,
            text,
            tokens,
            at: 0,
            end: 0,
            tree,
            symbols,
            frames: Vec::new(),
            slots: Vec::new(),
            items: Vec::new(),
            scratch: Vec::new(),
            trials: Trials::new(tables.code),
            passed: Vec::new(),
            mistakes,
        }
    }

    /// Reads the text; gives the node of all of it.
    pub fn run(mut self) -> (NodeId, Vec<Diagnostic>) {
        let code = self.tables.code;
        let mut pc = self.call(NOWHERE, code.entry);
        loop {
            match code.ops[pc as usize] {
                Op::Take(kind) => {
                    if self.next() != kind {
                        pc = self.recover(pc);
                        continue;
                    }
                    self.take();
                    pc += 1;
                }
                Op::TakeInto(kind, target) => {
                    if self.next() != kind {
                        pc = self.recover(pc);
                        continue;
                    }
                    let value = self.value(target.mode);
                    self.take();
                    self.assign(target, value, self.tree.len() as u32);
                    pc += 1;
                }
                Op::Call(rule) | Op::CallInto(rule, _) => pc = self.call(pc, rule),
                Op::New(class) => {
                    self.begin(class);
                    pc += 1;
                }
                Op::Wrap(class, target) => {
                    self.wrap(class, target);
                    pc += 1;
                }
                Op::Enter(_) => pc += 2,
                Op::Decide(number) => {
                    let decision = &code.decisions[number as usize];
                    let to = code.table[decision.table as usize + usize::from(self.next())];
                    if to == NOWHERE {
                        pc = self.recover(pc);
                        continue;
                    }
                    pc = if to & TRIAL == 0 {
                        to
                    } else {
                        self.trials.choose(number, to & !TRIAL, &self.tokens.kinds, self.at)
                    };
                    if pc == decision.otherwise && self.passed.len() < MOST_PASSED {
                        self.passed.push(number);
                    }
                }
                Op::Leave(_, to) => pc = to,
                Op::Return => pc = self.leave(true),
                Op::End => {
                    if self.next() != END {
                        pc = self.recover(pc);
                        continue;
                    }
                    return self.finish();
                }
            }
        }
    }

    #[inline]
    pub(super) fn next(&self) -> u16 {
        self.tokens.kinds[self.at as usize]
    }

    #[inline]
    fn take(&mut self) {
        self.end = self.tokens.ends[self.at as usize];
        self.at += 1;
        self.passed.clear();
    }

    /// The next token as the value of a field.
    #[inline]
    fn value(&mut self, mode: Mode) -> Placed {
        let (start, end) = (self.tokens.starts[self.at as usize], self.tokens.ends[self.at as usize]);
        let slot = match mode {
            Mode::Flag => Slot::Flag(true),
            Mode::Set | Mode::Add => {
                Slot::Text(self.symbols.intern(&self.text[start as usize..end as usize]))
            }
        };
        Placed { slot, start, end }
    }

    fn call(&mut self, call: At, rule: u16) -> At {
        let (slots, items) = (self.slots.len() as u32, self.items.len() as u32);
        let nodes = self.tree.len() as u32;
        self.frames.push(Frame { call, rule, first: self.at, made: Made::Nothing, slots, items, nodes });
        self.tables.code.rules[usize::from(rule)].entry
    }

    #[inline]
    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the rule of the whole text is not left")
    }

    /// Begins a node.
    fn begin(&mut self, class: ClassId) {
        let frame = *self.frame();
        let start = self.tokens.starts[frame.first as usize];
        self.slots.truncate(frame.slots as usize);
        self.slots.extend_from_slice(&self.tables.blanks[class.index()].slots);
        self.frame().made = Made::Own(class, start);
    }

    /// Begins a node that has in a field what was made before.
    pub(super) fn wrap(&mut self, class: ClassId, target: Target) {
        let inner = self.made();
        self.begin(class);
        if let Some(inner) = inner {
            self.frame().made = Made::Own(class, inner.start);
            self.assign(target, inner, self.tree.len() as u32);
        }
    }

    /// Makes the node whose fields are there.
    fn made(&mut self) -> Option<Placed> {
        let Frame { made, slots, items, first, .. } = *self.frame();
        let (class, start) = match made {
            Made::Nothing => return None,
            Made::Passed(node) => return Some(node),
            Made::Own(class, start) => (class, start),
        };
        // A node of nothing stands behind the token before it.
        let is_empty = self.at == first && self.end <= start;
        let (start, end) = if is_empty { (self.end, self.end) } else { (start, self.end.max(start)) };
        let slots = slots as usize;
        for &place in &self.tables.blanks[class.index()].lists {
            let head = match self.slots[slots + place].slot {
                Slot::List(ListId(head)) => head,
                _ => 0,
            };
            self.slots[slots + place] = list(self.tree, &self.items, &mut self.scratch, head, end);
        }
        self.items.truncate(items as usize);
        let node = self.tree.node(class, start, end, &self.slots[slots..]);
        self.slots.truncate(slots);
        Some(Placed { slot: Slot::Node(node), start, end })
    }

    /// Puts a value into a field. Behind a mistake there may be no room for it: then its node, made when there were `nodes`, is taken back.
    fn assign(&mut self, target: Target, value: Placed, nodes: u32) {
        let frame = *self.frame();
        if matches!(frame.made, Made::Nothing) {
            let class = self.tables.code.rules[usize::from(frame.rule)].class;
            self.begin(class);
        }
        let place = match self.frame().made {
            Made::Own(class, _) => self.tables.classes.place(class, target.field),
            Made::Nothing | Made::Passed(_) => None,
        };
        let slot = place.map(|place| &mut self.slots[frame.slots as usize + place]);
        let slot = slot.filter(|slot| target.mode != Mode::Set || !matches!(slot.slot, Slot::Node(_)));
        let Some(slot) = slot else {
            self.tree.take_back(nodes as usize);
            return;
        };
        if target.mode == Mode::Add {
            let before = match slot.slot {
                Slot::List(ListId(head)) => head,
                _ => 0,
            };
            self.items.push((value, before));
            slot.slot = Slot::List(ListId(self.items.len() as u32));
        } else if target.mode == Mode::Flag {
            *slot = Placed { slot: Slot::Flag(true), ..value };
        } else {
            *slot = value;
        }
    }

    /// Ends a rule; gives where its caller goes on. A rule that was not read to its end makes no node of nothing.
    pub(super) fn leave(&mut self, is_whole: bool) -> At {
        let frame = *self.frame();
        let rule = self.tables.code.rules[usize::from(frame.rule)];
        if matches!(frame.made, Made::Nothing)
            && rule.makes_own
            && (is_whole || self.end > self.tokens.starts[frame.first as usize])
        {
            self.begin(rule.class);
        }
        let node = self.made();
        self.frames.pop();
        if let Some(node) = node {
            match self.tables.code.ops[frame.call as usize] {
                Op::CallInto(_, target) => self.assign(target, node, frame.nodes),
                _ if matches!(self.frame().made, Made::Nothing) => self.frame().made = Made::Passed(node),
                _ => self.tree.take_back(frame.nodes as usize),
            }
        }
        frame.call + 1
    }

    /// Makes the node of the whole text.
    fn finish(mut self) -> (NodeId, Vec<Diagnostic>) {
        let rule = self.tables.code.rules[usize::from(self.tables.code.entry)];
        if matches!(self.frame().made, Made::Nothing) {
            debug_assert!(rule.class != NO_CLASS);
            self.begin(rule.class);
        }
        let node = match self.made() {
            Some(Placed { slot: Slot::Node(node), .. }) => node,
            _ => self.tree.node(rule.class, 0, 0, &self.tables.blanks[rule.class.index()].slots),
        };
        self.tree.root(node);
        (node, self.mistakes.found)
    }

    /// What could stand at the next token, besides what an instruction wants.
    pub(super) fn also_expected(&self, expected: &mut Kinds) {
        for &decision in &self.passed {
            expected.add(&self.tables.code.decisions[decision as usize].first);
        }
        if self.trials.furthest == self.at {
            expected.add(&self.trials.expected);
        }
    }

    /// Goes on with an instruction that takes no token.
    pub(super) fn silently(&mut self, op: Op) {
        match op {
            Op::New(class) => self.begin(class),
            Op::Wrap(class, target) => self.wrap(class, target),
            _ => {}
        }
    }
}

/// The list whose last item is known. One without items stands where its node ends.
fn list(tree: &mut Tree, items: &[(Placed, u32)], scratch: &mut Vec<Placed>, head: u32, end: u32) -> Placed {
    scratch.clear();
    let mut next = head;
    while let Some(at) = next.checked_sub(1) {
        let (item, before) = items[at as usize];
        scratch.push(item);
        next = before;
    }
    scratch.reverse();
    let slot = Slot::List(tree.list(scratch));
    match (scratch.first(), scratch.last()) {
        (Some(first), Some(last)) => Placed { slot, start: first.start, end: last.end },
        _ => Placed { slot, start: end, end },
    }
}
