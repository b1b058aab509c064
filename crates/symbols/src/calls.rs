//! Calls of what has parameters: processes, inlines, operations, functions of the language.

use crate::index::{Index, Kind, Symbol, SymbolId, Token, TokenKind};
use crate::language::Indexed;
use volvelle_diagnostics::{FileId, Span};

/// A call, as far as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// What is called.
    pub name: String,
    /// The symbol, if the language does not have it.
    pub symbol: Option<SymbolId>,
    /// Its parameters, as they are declared.
    pub parameters: Vec<String>,
    /// Where each argument is written: from behind its bracket or comma on, without blanks. The last may be empty.
    pub arguments: Vec<Span>,
    /// Whether the bracket is closed.
    pub is_closed: bool,
}

/// The innermost call around an offset of a file.
pub fn call_at(language: &dyn Indexed, index: &Index, file: FileId, text: &str, offset: u32) -> Option<Call> {
    let tokens = of_file(index, file);
    let behind = tokens.partition_point(|token| token.span.start < offset);
    // Bracket by bracket outwards, until one belongs to a call.
    let mut depth = 0usize;
    for at in (0..behind).rev() {
        if tokens[at].kind == TokenKind::Comment {
            continue;
        }
        match text_of(text, &tokens[at]) {
            // One that ends at the place is still around it.
            ")" | "]" if tokens[at].span.end <= offset => depth += 1,
            "(" | "[" if depth == 0 => {
                if let Some(call) = call(language, index, tokens, text, at) {
                    return Some(call);
                }
            }
            "(" | "[" => depth -= 1,
            // No call goes beyond a statement.
            ";" | "{" | "}" if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// All calls of what the texts declare in a file, in order.
pub fn calls<'a>(
    language: &'a dyn Indexed,
    index: &'a Index,
    file: FileId,
    text: &'a str,
) -> impl Iterator<Item = Call> + 'a {
    let tokens = of_file(index, file);
    let opens = (0..tokens.len()).filter(move |&at| text_of(text, &tokens[at]) == "(");
    let found = opens.filter_map(move |at| call(language, index, tokens, text, at));
    found.filter(|call| call.symbol.is_some())
}

fn of_file(index: &Index, file: FileId) -> &[Token] {
    let from = index.tokens.partition_point(|token| token.span.file < file);
    let to = index.tokens.partition_point(|token| token.span.file <= file);
    &index.tokens[from..to]
}

fn text_of<'t>(text: &'t str, token: &Token) -> &'t str {
    text.get(token.span.start as usize..token.span.end as usize).unwrap_or("")
}

/// The call whose bracket is the token `open`.
fn call(language: &dyn Indexed, index: &Index, tokens: &[Token], text: &str, open: usize) -> Option<Call> {
    let bracket = text_of(text, &tokens[open]);
    let mut before = open.checked_sub(1)?;
    // The gates of a process stand before its values.
    if bracket == "(" && text_of(text, &tokens[before]) == "]" && language.has_gates() {
        while text_of(text, &tokens[before]) != "[" {
            before = before.checked_sub(1)?;
        }
        before = before.checked_sub(1)?;
    }
    let name = tokens[before];
    let shown = text_of(text, &name);
    let named = index.at(name.span.file, name.span.start).filter(|found| found.span == name.span);
    let symbol = named.map(|found| found.symbol);
    let parameters = match symbol.map(|id| (id, index.symbol(id))) {
        // Where it is declared, its parameters are.
        Some((_, symbol)) if symbol.span == Some(name.span) => return None,
        Some((id, symbol)) => parameters(language, index, id, symbol, bracket)?,
        None => {
            let mut functions = language.functions().iter();
            let (_, parameters) = functions.find(|(name, _)| bracket == "(" && *name == shown)?;
            parameters.iter().map(|&name| name.to_owned()).collect()
        }
    };
    let (arguments, is_closed) = arguments(tokens, text, open);
    Some(Call { name: shown.to_owned(), symbol, parameters, arguments, is_closed })
}

/// What a symbol takes in such a bracket, if it takes anything.
fn parameters(
    language: &dyn Indexed,
    index: &Index,
    id: SymbolId,
    symbol: &Symbol,
    bracket: &str,
) -> Option<Vec<String>> {
    if bracket == "[" {
        let is_process = language.has_gates() && symbol.kind == Kind::Process;
        return is_process.then(|| own(index, id, Kind::Gate));
    }
    match symbol.kind {
        Kind::Process => Some(own(index, id, Kind::Parameter)).filter(|own| !own.is_empty()),
        Kind::Inline | Kind::Macro => declared(symbol),
        // `op : A, B -> C`
        Kind::Operation => {
            let (_, sorts) = symbol.detail.split_once(':')?;
            let (arguments, _) = sorts.split_once("->")?;
            let sorts: Vec<String> = arguments
                .split(',')
                .map(|sort| sort.trim().to_owned())
                .filter(|sort| !sort.is_empty())
                .collect();
            (!sorts.is_empty()).then_some(sorts)
        }
        _ => None,
    }
}

/// Symbols of a kind that belong to another one, as they are declared, in order.
fn own(index: &Index, container: SymbolId, kind: Kind) -> Vec<String> {
    let own =
        index.symbols.iter().filter(|symbol| symbol.container == Some(container) && symbol.kind == kind);
    let mut own: Vec<&Symbol> = own.collect();
    own.sort_by_key(|symbol| symbol.span);
    own.into_iter()
        .map(|symbol| if kind == Kind::Gate { &symbol.name } else { &symbol.detail }.clone())
        .collect()
}

/// The names between the brackets of `inline f(a, b)` and `#define f(a, b)`.
fn declared(symbol: &Symbol) -> Option<Vec<String>> {
    let (_, behind) = symbol.detail.split_once(symbol.name.as_str())?;
    let (names, _) = behind.strip_prefix('(')?.split_once(')')?;
    let names: Vec<String> = names.split(',').map(|name| name.trim().to_owned()).collect();
    names.iter().all(|name| !name.is_empty()).then_some(names)
}

/// Where the arguments behind a bracket are, and whether it is closed.
fn arguments(tokens: &[Token], text: &str, open: usize) -> (Vec<Span>, bool) {
    let begin = tokens[open].span;
    let nothing = |at: u32| Span { file: begin.file, start: at, end: at };
    let (mut arguments, mut current, mut depth) = (Vec::new(), None::<Span>, 0usize);
    let mut last = begin.end;
    for token in tokens[open + 1..].iter().filter(|token| token.kind != TokenKind::Comment) {
        let shown = text_of(text, token);
        match shown {
            ")" | "]" if depth == 0 => {
                if current.is_some() || !arguments.is_empty() {
                    arguments.push(current.unwrap_or(nothing(last)));
                }
                return (arguments, true);
            }
            "," if depth == 0 => {
                arguments.push(current.take().unwrap_or(nothing(last)));
                last = token.span.end;
                continue;
            }
            ";" | "{" | "}" => break,
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        current = Some(current.map_or(token.span, |current| current.to(token.span)));
        last = token.span.end;
    }
    arguments.push(current.unwrap_or(nothing(last)));
    (arguments, false)
}
