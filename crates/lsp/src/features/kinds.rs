//! Kinds of symbols: the words and numbers that editors have for them.

use volvelle_symbols::Kind;

/// `CompletionItemKind` of a word of the language.
pub const KEYWORD: u8 = 14;
/// That of a form of the language.
pub const SNIPPET: u8 = 15;

/// Numbers of `SymbolKind`.
mod symbols {
    pub const MODULE: u8 = 2;
    pub const CLASS: u8 = 5;
    pub const METHOD: u8 = 6;
    pub const PROPERTY: u8 = 7;
    pub const FIELD: u8 = 8;
    pub const INTERFACE: u8 = 11;
    pub const FUNCTION: u8 = 12;
    pub const VARIABLE: u8 = 13;
    pub const CONSTANT: u8 = 14;
    pub const BOOLEAN: u8 = 17;
    pub const KEY: u8 = 20;
    pub const STRUCT: u8 = 23;
    pub const EVENT: u8 = 24;
    pub const OPERATOR: u8 = 25;
}

/// Numbers of `CompletionItemKind`.
mod items {
    pub const METHOD: u8 = 2;
    pub const FUNCTION: u8 = 3;
    pub const FIELD: u8 = 5;
    pub const VARIABLE: u8 = 6;
    pub const CLASS: u8 = 7;
    pub const INTERFACE: u8 = 8;
    pub const MODULE: u8 = 9;
    pub const PROPERTY: u8 = 10;
    pub const REFERENCE: u8 = 18;
    pub const CONSTANT: u8 = 21;
    pub const STRUCT: u8 = 22;
    pub const EVENT: u8 = 23;
    pub const OPERATOR: u8 = 24;
}

/// The word for people, and the numbers of the protocol, which has none for most: those with the icon that comes nearest.
fn shown(kind: Kind) -> (&'static str, u8, u8) {
    match kind {
        Kind::Constant => ("constant", symbols::CONSTANT, items::CONSTANT),
        Kind::Variable => ("variable", symbols::VARIABLE, items::VARIABLE),
        Kind::Module => ("module", symbols::MODULE, items::MODULE),
        Kind::Process => ("process", symbols::CLASS, items::CLASS),
        Kind::Action => ("action", symbols::EVENT, items::EVENT),
        Kind::Formula => ("formula", symbols::FUNCTION, items::FUNCTION),
        Kind::Label => ("label", symbols::BOOLEAN, items::REFERENCE),
        Kind::Rewards => ("rewards", symbols::STRUCT, items::STRUCT),
        Kind::Property => ("property", symbols::PROPERTY, items::PROPERTY),
        Kind::Macro => ("macro", symbols::FUNCTION, items::FUNCTION),
        Kind::Inline => ("inline", symbols::FUNCTION, items::FUNCTION),
        Kind::Channel => ("channel", symbols::INTERFACE, items::INTERFACE),
        Kind::Type => ("type", symbols::STRUCT, items::STRUCT),
        Kind::Field => ("field", symbols::FIELD, items::FIELD),
        Kind::Location => ("location", symbols::KEY, items::REFERENCE),
        Kind::Gate => ("gate", symbols::EVENT, items::EVENT),
        Kind::Parameter => ("parameter", symbols::VARIABLE, items::VARIABLE),
        Kind::Operation => ("operation", symbols::OPERATOR, items::OPERATOR),
        Kind::State => ("state", symbols::KEY, items::REFERENCE),
        Kind::Key => ("key", symbols::PROPERTY, items::PROPERTY),
        Kind::Table => ("table", symbols::STRUCT, items::STRUCT),
        Kind::Entry => ("entry", symbols::KEY, items::REFERENCE),
        Kind::Buffer => ("buffer", symbols::INTERFACE, items::INTERFACE),
        Kind::Kernel => ("kernel", symbols::FUNCTION, items::FUNCTION),
        Kind::Judgment => ("judgment", symbols::INTERFACE, items::INTERFACE),
        Kind::Rule => ("rule", symbols::EVENT, items::EVENT),
        Kind::Function => ("function", symbols::FUNCTION, items::FUNCTION),
        Kind::Method => ("method", symbols::METHOD, items::METHOD),
        Kind::Class => ("class", symbols::CLASS, items::CLASS),
        Kind::Terminal => ("terminal", symbols::CONSTANT, items::CONSTANT),
        Kind::Local => ("variable", symbols::VARIABLE, items::VARIABLE),
        Kind::Procedure => ("procedure", symbols::FUNCTION, items::FUNCTION),
    }
}

/// The kind for people.
pub fn word(kind: Kind) -> &'static str {
    shown(kind).0
}

/// `SymbolKind` of the protocol.
pub fn symbol(kind: Kind) -> u8 {
    shown(kind).1
}

/// `CompletionItemKind` of the protocol.
pub fn completion(kind: Kind) -> u8 {
    shown(kind).2
}
