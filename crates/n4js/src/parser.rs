//! Tokens to trees.
//!
//! Descends by hand, one token ahead; where more is needed, as before arrow functions, it looks at tokens and behind closing brackets, and
//! reads nothing twice. Operators of two operands wait on a stack of their own. Behind a mistake it goes on with what was read.

mod classifiers;
mod declarations;
mod expressions;
mod functions;
mod literals;
mod look;
mod making;
mod members;
mod mistakes;
mod modules;
mod operands;
mod operators;
mod patterns;
mod state;
mod statements;
mod structures;
mod type_references;
mod types;

use crate::classes::Kind;
use crate::lexer::{NEW_LINE, Token, lex};
use crate::syntax::Syntax;
use crate::token::{KINDS, T};
use state::{Context, Waiting};
use volvelle_diagnostics::{Diagnostic, FileId};
use volvelle_trees::{Interner, ListId, NodeId, Placed, Slot, Symbol, Tree};

/// How many constructs may be within one another. At the level of optimisation of tests, frames of as many fit into 1 MiB.
pub(crate) const DEEPEST: u32 = 600;

/// Nothing in a field.
const NONE: Placed = Placed { slot: Slot::Nothing, start: 0, end: 0 };
/// A flag that is not set.
const OFF: Placed = Placed { slot: Slot::Flag(false), start: 0, end: 0 };

pub(crate) struct Parser<'t> {
    text: &'t str,
    file: FileId,
    syntax: Syntax,
    tokens: Vec<Token>,
    /// The next token.
    at: usize,
    /// Where the token taken last ends.
    end: u32,
    tree: &'t mut Tree,
    symbols: &'t mut Interner,
    /// The list that all fields without items share.
    nothing: ListId,
    /// Items of lists that are being read.
    items: Vec<Placed>,
    /// Operators whose right operand is being read.
    operators: Vec<Waiting>,
    /// Texts of kinds with one spelling that were used.
    words: [Option<Symbol>; KINDS],
    found: Vec<Diagnostic>,
    /// The token at which a mistake was told last.
    told_at: usize,
    /// Whether it was told that something is too deep: what is beside it is too.
    is_depth_told: bool,
    depth: u32,
    context: Context,
}

/// Reads a text into a tree, as a file of it that was begun.
pub(crate) fn parse(
    tree: &mut Tree,
    symbols: &mut Interner,
    file: FileId,
    text: &str,
    syntax: Syntax,
    found: &mut Vec<Diagnostic>,
) -> NodeId {
    let (tokens, flaws) = lex(text);
    // About as many as programs have; what is not needed is never touched.
    tree.reserve(tokens.len(), 4 * tokens.len());
    let nothing = tree.list(&[]);
    let mut parser = Parser {
        nothing,
        text,
        file,
        syntax,
        tokens,
        at: 0,
        end: 0,
        tree,
        symbols,
        items: Vec::new(),
        operators: Vec::new(),
        words: [None; KINDS],
        found: Vec::new(),
        told_at: usize::MAX,
        is_depth_told: false,
        depth: 0,
        context: Context::default(),
    };
    parser.tell_flaws(&flaws);
    let root = parser.script();
    found.extend(parser.told());
    root
}

impl Parser<'_> {
    fn script(&mut self) -> NodeId {
        let mark = self.items.len();
        while self.is(T::At2) {
            let annotation = self.annotation();
            self.items.push(annotation);
        }
        let annotations = self.list(mark);
        let mark = self.items.len();
        while !self.is(T::End) {
            self.statement_or_skip();
        }
        let statements = self.list(mark);
        let root = self.tree.node(Kind::Script.id(), 0, self.text.len() as u32, &[annotations, statements]);
        self.tree.root(root);
        root
    }

    #[inline]
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    #[inline]
    fn kind(&self) -> T {
        self.tokens[self.at].kind
    }

    /// The kind of a token further on; behind the end, the end.
    #[inline]
    fn ahead(&self, count: usize) -> T {
        self.kind_of(self.at + count)
    }

    #[inline]
    fn kind_of(&self, number: usize) -> T {
        self.tokens.get(number).map_or(T::End, |token| token.kind)
    }

    #[inline]
    fn is(&self, kind: T) -> bool {
        self.kind() == kind
    }

    /// Where the next token begins.
    #[inline]
    fn start(&self) -> u32 {
        self.tokens[self.at].start
    }

    /// Whether the next token is the first of its line.
    #[inline]
    fn is_behind_line(&self) -> bool {
        self.tokens[self.at].flags & NEW_LINE != 0
    }

    /// Whether a token further on is on the line of the one before it.
    fn is_on_line(&self, count: usize) -> bool {
        self.tokens.get(self.at + count).is_some_and(|token| token.flags & NEW_LINE == 0)
    }

    /// Takes the next token; the end stays.
    #[inline]
    fn advance(&mut self) {
        let token = self.tokens[self.at];
        if token.kind != T::End {
            self.end = token.end;
            self.at += 1;
        }
    }

    #[inline]
    fn take(&mut self, kind: T) -> bool {
        let found = self.is(kind);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a token if it is next, as a flag.
    fn take_flag(&mut self, kind: T) -> Placed {
        if self.is(kind) { self.flag() } else { OFF }
    }

    /// Takes the next token as a flag.
    fn flag(&mut self) -> Placed {
        let Token { start, end, .. } = self.token();
        self.advance();
        Placed { slot: Slot::Flag(true), start, end }
    }

    /// The text of a token.
    fn spelling(&self, number: usize) -> &str {
        self.tokens.get(number).map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    /// Reads what stands in brackets of its own, with what holds there.
    fn enclosed<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.context;
        self.context.no_in = false;
        self.context.in_then = false;
        let result = read(self);
        self.context = before;
        result
    }

    /// Reads what is within other things; nothing where it is too deep.
    fn nested<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth >= DEEPEST {
            self.too_deep();
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        Some(result)
    }

    /// Reads items with commas between them up to a closing token, which is taken. `read` reads one, and pushes it.
    fn separated(&mut self, close: T, wanted: &str, read: impl FnMut(&mut Self)) {
        self.separated_before(close, T::End, wanted, read);
    }

    /// The same; where the closing token was forgotten, the list ends before another one.
    fn separated_before(&mut self, close: T, last: T, wanted: &str, mut read: impl FnMut(&mut Self)) {
        let mut is_told = false;
        while !self.is(close) && !self.is(T::End) {
            let (before, items, nodes) = (self.at, self.items.len(), self.tree.len());
            read(self);
            if self.at == before && !self.is(T::Comma) {
                self.items.truncate(items);
                self.tree.take_back(nodes);
            }
            if self.take(T::Comma) {
                continue;
            }
            if self.is(close) {
                break;
            }
            // One mistake is told of a list: others come from it.
            if is_told {
                self.told_at = self.at;
            }
            is_told = true;
            self.expected(wanted);
            if self.is(last) || !self.skip_in_list(close, before) {
                return;
            }
        }
        self.expect(close);
    }
}
