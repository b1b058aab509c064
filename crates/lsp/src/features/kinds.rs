//! Kinds of symbols: the words and numbers that editors have for them.

use volvelle_symbols::Kind;

/// The kind for people.
pub fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Constant => "constant",
        Kind::Variable => "variable",
        Kind::Module => "module",
        Kind::Process => "process",
        Kind::Action => "action",
        Kind::Formula => "formula",
        Kind::Label => "label",
        Kind::Rewards => "rewards",
        Kind::Property => "property",
        Kind::Macro => "macro",
        Kind::Inline => "inline",
        Kind::Channel => "channel",
        Kind::Type => "type",
        Kind::Field => "field",
        Kind::Location => "location",
        Kind::Gate => "gate",
        Kind::Parameter => "parameter",
        Kind::Operation => "operation",
        Kind::State => "state",
        Kind::Procedure => "procedure",
    }
}

/// `CompletionItemKind` of a word of the language.
pub const KEYWORD: u8 = 14;
/// That of a form of the language.
pub const SNIPPET: u8 = 15;

/// `CompletionItemKind` of the protocol: the one with the icon that comes nearest.
pub fn completion(kind: Kind) -> u8 {
    const FUNCTION: u8 = 3;
    const FIELD: u8 = 5;
    const VARIABLE: u8 = 6;
    const CLASS: u8 = 7;
    const INTERFACE: u8 = 8;
    const MODULE: u8 = 9;
    const PROPERTY: u8 = 10;
    const REFERENCE: u8 = 18;
    const CONSTANT: u8 = 21;
    const STRUCT: u8 = 22;
    const EVENT: u8 = 23;
    const OPERATOR: u8 = 24;
    match kind {
        Kind::Constant => CONSTANT,
        Kind::Variable | Kind::Parameter => VARIABLE,
        Kind::Module => MODULE,
        Kind::Process => CLASS,
        Kind::Action | Kind::Gate => EVENT,
        Kind::Formula | Kind::Macro | Kind::Inline | Kind::Procedure => FUNCTION,
        Kind::Label | Kind::Location | Kind::State => REFERENCE,
        Kind::Rewards | Kind::Type => STRUCT,
        Kind::Property => PROPERTY,
        Kind::Channel => INTERFACE,
        Kind::Field => FIELD,
        Kind::Operation => OPERATOR,
    }
}

/// `SymbolKind` of the protocol, which has none for most: the one with the icon that comes nearest.
pub fn symbol(kind: Kind) -> u8 {
    const MODULE: u8 = 2;
    const CLASS: u8 = 5;
    const PROPERTY: u8 = 7;
    const FIELD: u8 = 8;
    const INTERFACE: u8 = 11;
    const FUNCTION: u8 = 12;
    const VARIABLE: u8 = 13;
    const CONSTANT: u8 = 14;
    const BOOLEAN: u8 = 17;
    const KEY: u8 = 20;
    const STRUCT: u8 = 23;
    const EVENT: u8 = 24;
    const OPERATOR: u8 = 25;
    match kind {
        Kind::Constant => CONSTANT,
        Kind::Variable | Kind::Parameter => VARIABLE,
        Kind::Module => MODULE,
        Kind::Process => CLASS,
        Kind::Action | Kind::Gate => EVENT,
        Kind::Formula | Kind::Macro | Kind::Inline | Kind::Procedure => FUNCTION,
        Kind::Label => BOOLEAN,
        Kind::Rewards | Kind::Type => STRUCT,
        Kind::Property => PROPERTY,
        Kind::Channel => INTERFACE,
        Kind::Field => FIELD,
        Kind::Location | Kind::State => KEY,
        Kind::Operation => OPERATOR,
    }
}
