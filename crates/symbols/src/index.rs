//! Symbols, their occurrences, and the tokens around them.

use crate::library::InLibrary;
use volvelle_diagnostics::{FileId, Span};

/// What the texts of a model say of their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// All symbols, in no particular order.
    pub symbols: Vec<Symbol>,
    /// Where symbols are named, by file and place; none overlap. Each is one token of its text.
    pub occurrences: Vec<Occurrence>,
    /// Other symbols that the names of some occurrences mean as well, by file and place: the text of a macro is one text, and means
    /// something else for each call.
    pub shared: Vec<Occurrence>,
    /// Tokens that mean a symbol without its name, such as the sign of a judgment, by file and place. They stay when it is renamed.
    pub signs: Vec<Occurrence>,
    /// All tokens and comments, by file and place; none overlap.
    pub tokens: Vec<Token>,
    /// Names of files in texts, with their places.
    pub files: Vec<(Span, String)>,
}

/// Number of a symbol in [`Index::symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

impl SymbolId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Something that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name, without quotes. What may be declared without a name, such as a property, then has an empty one.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// The name where it is declared; empty, at the beginning of the declaration, where there is no name. `None`: built in.
    pub span: Option<Span>,
    /// Of what is built in, where a text of the program declares it.
    pub library: Option<InLibrary>,
    /// The declaration. That of a variable which a copy of a module renames is the pair `x=y`: it begins with a reference to the original.
    pub whole: Option<Span>,
    /// The declaration as it is written, on one line: `x : [0..N] init 0`. Of what contains others, the head.
    pub detail: String,
    /// The symbol in whose declaration it is declared.
    pub container: Option<SymbolId>,
    /// The lines of comments above the declaration, without their marks.
    pub comment: String,
}

/// Kinds of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A constant; in Promela, a name of an `mtype`.
    Constant,
    /// A variable.
    Variable,
    /// A module.
    Module,
    /// A process, a process type, a composition with a name, a player.
    Process,
    /// An action, on which modules synchronise.
    Action,
    /// A formula; in kernels, an expression with a number.
    Formula,
    /// A condition on states with a name that properties use.
    Label,
    /// A reward structure.
    Rewards,
    /// A property, or a claim.
    Property,
    /// A macro.
    Macro,
    /// An `inline` of Promela.
    Inline,
    /// A variable that is a channel.
    Channel,
    /// A type, or a sort.
    Type,
    /// A field of a structure.
    Field,
    /// A place in the control flow of a process.
    Location,
    /// A gate.
    Gate,
    /// A parameter.
    Parameter,
    /// An operation of a data type.
    Operation,
    /// A state.
    State,
    /// A procedure.
    Procedure,
    /// A kernel.
    Kernel,
    /// A buffer of a kernel.
    Buffer,
    /// A key of a declaration.
    Key,
    /// A table of a declaration.
    Table,
    /// A name that a declaration chooses.
    Entry,
    /// A judgment.
    Judgment,
    /// A rule, or a check.
    Rule,
    /// A function.
    Function,
    /// A member of a class that is called.
    Method,
    /// A class: of objects, or of nodes.
    Class,
    /// A kind of tokens.
    Terminal,
    /// A variable or a parameter that outlines leave out.
    Local,
}

/// What an occurrence does with its symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It declares it. What needs no declaration, such as an action, is declared where it is named first.
    Declares,
    /// It uses it.
    Reads,
    /// It changes its value.
    Writes,
}

/// The name of a symbol in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Where it stands, with its quotes.
    pub span: Span,
    /// The symbol.
    pub symbol: SymbolId,
    /// What it does there.
    pub role: Role,
}

/// A token or a comment of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it stands.
    pub span: Span,
    /// How it is to be shown.
    pub kind: TokenKind,
}

/// Kinds of tokens, as a reader sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A word of the language.
    Keyword,
    /// A number.
    Number,
    /// A text in quotes that names nothing.
    Text,
    /// A comment.
    Comment,
    /// Operators, brackets, separators, and what is no token of the language.
    Operator,
    /// A name. One that is not declared counts as a variable.
    Name(Kind),
}

impl Index {
    /// The occurrence at an offset of a file, or the one that ends there if none begins.
    pub fn at(&self, file: FileId, offset: u32) -> Option<&Occurrence> {
        let behind = self.occurrences.partition_point(|o| (o.span.file, o.span.start) <= (file, offset));
        let found = self.occurrences.get(behind.checked_sub(1)?)?;
        (found.span.file == file && offset <= found.span.end).then_some(found)
    }

    /// The same, and signs.
    pub fn meant_at(&self, file: FileId, offset: u32) -> Option<&Occurrence> {
        let behind = self.signs.partition_point(|o| (o.span.file, o.span.start) <= (file, offset));
        let sign = behind.checked_sub(1).and_then(|at| self.signs.get(at));
        let sign = sign.filter(|found| found.span.file == file && offset <= found.span.end);
        self.at(file, offset).or(sign)
    }

    /// All occurrences of a symbol, and its signs, in order.
    pub fn meant(&self, symbol: SymbolId) -> Vec<&Occurrence> {
        let signs = self.signs.iter().filter(|sign| sign.symbol == symbol);
        let mut all: Vec<&Occurrence> = self.references(symbol).chain(signs).collect();
        all.sort_by_key(|one| (one.span.file, one.span.start));
        all
    }

    /// The tokens and comments of a file, in order.
    pub fn tokens_of(&self, file: FileId) -> &[Token] {
        let from = self.tokens.partition_point(|token| token.span.file < file);
        let to = self.tokens.partition_point(|token| token.span.file <= file);
        &self.tokens[from..to]
    }

    /// The occurrences in a file, in order.
    pub fn occurrences_of(&self, file: FileId) -> &[Occurrence] {
        let from = self.occurrences.partition_point(|one| one.span.file < file);
        let to = self.occurrences.partition_point(|one| one.span.file <= file);
        &self.occurrences[from..to]
    }

    /// All occurrences of a symbol, in order.
    pub fn references(&self, symbol: SymbolId) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |occurrence| occurrence.symbol == symbol)
    }

    /// Where a name of this symbol also means another one.
    pub fn shared_places(&self, symbol: SymbolId) -> impl Iterator<Item = Span> {
        let is_first = move |found: &&Occurrence| {
            found.symbol == symbol
                || self.at(found.span.file, found.span.start).is_some_and(|first| first.symbol == symbol)
        };
        self.shared.iter().filter(is_first).map(|found| found.span)
    }

    /// A symbol of this index.
    ///
    /// # Panics
    /// The number is not one of this index.
    pub fn symbol(&self, symbol: SymbolId) -> &Symbol {
        &self.symbols[symbol.index()]
    }
}
