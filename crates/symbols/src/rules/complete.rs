//! What may stand at a place of a rule file or a grammar.

use super::names::SOFT_OF_GRAMMARS;
use crate::candidates::{Fit, Found, escaped};
use crate::index::{Kind, SymbolId};
use crate::place::Place;

/// What begins a part of a rule file, with its form.
const PARTS: &[(&str, &str)] = &[
    ("abstract data", "abstract data ${1:Name}"),
    ("auxiliary", "auxiliary ${1:name}(${2:Type} ${3:value}) {\n    $0\n}"),
    ("axiom", "axiom ${1:Name} G |- ${2:Type} ${3:value} : $0"),
    ("checkrule", "checkrule ${1:Name} for ${2:Type} ${3:node} from {\n    $0\n}"),
    ("data", "data ${1:Name}($2)"),
    ("import", "import \"$1\""),
    ("judgments", "judgments {\n    $0\n}"),
    ("language", "language \"$1\""),
    ("override", "override "),
    ("rule", "rule ${1:Name} G |- ${2:Type} ${3:value} : ${4:Type} ${5:type} from {\n    $0\n}"),
    ("system", "system ${1:name}"),
    ("val", "val ${1:Type} ${2:name} = $0"),
    ("var", "var ${1:Type} ${2:name} = $0"),
];

/// Words in expressions and premises.
const WORDS: &[&str] = &[
    "else",
    "empty",
    "fail",
    "false",
    "for",
    "if",
    "instanceof",
    "new",
    "null",
    "or",
    "previousFailure",
    "return",
    "switch",
    "true",
    "val",
    "var",
    "while",
];

/// What all values or lists have.
const MEMBERS: &[&str] = &[
    "all",
    "className",
    "contains",
    "container",
    "containerOf",
    "containsKey",
    "distinct",
    "endsWith",
    "exists",
    "filter",
    "findFirst",
    "flatten",
    "fold",
    "forEach",
    "forall",
    "get",
    "head",
    "indexOf",
    "isDigits",
    "isEmpty",
    "join",
    "last",
    "length",
    "map",
    "named",
    "next",
    "offset",
    "previous",
    "put",
    "reverse",
    "root",
    "size",
    "sourceText",
    "startsWith",
    "substring",
    "tail",
    "toLowerCase",
    "toNumber",
    "toText",
    "toUpperCase",
    "unquoted",
];

/// What may stand at a place of a rule file.
pub(super) fn rules<'a>(place: &Place<'a>, found: &mut Found<'a>) {
    if place.is_quoted {
        return;
    }
    if matches!(place.back(0), "." | "?.") {
        found.of_kinds(Fit::Best, &[Kind::Field]);
        found.words(Fit::Good, MEMBERS);
        return found.of_kinds(Fit::Possible, &[Kind::Function]);
    }
    if matches!(place.back(0), "rule" | "axiom" | "checkrule" | "system") {
        return;
    }
    // Behind the name of a type a new name is given.
    let is_behind_type = place.kind(0) == Some(Kind::Class) && !on_new_line(place);
    if is_behind_type && !matches!(place.back(1), "instanceof" | "as") {
        return found.words(Fit::Possible, &["from"]);
    }
    if matches!(place.back(0), "new" | "instanceof" | "as" | "extends" | "output") {
        return found.of_kinds(Fit::Best, &[Kind::Class]);
    }
    if place.back(0) == "auxiliary" {
        return found.of_kinds(Fit::Best, &[Kind::Function]);
    }
    if place.open_bracket().is_none() {
        if on_new_line(place) {
            PARTS.iter().for_each(|(shown, written)| found.form(Fit::Best, *shown, *written));
        }
        found.words(Fit::Possible, &["error", "extends", "from", "output"]);
    }
    let is_around = |id: SymbolId| {
        let whole = place.index.symbol(id).whole;
        whole.is_some_and(|whole| {
            whole.file == place.file && whole.start <= place.offset && place.offset <= whole.end
        })
    };
    found.names(|_, symbol| match symbol.kind {
        Kind::Local if symbol.container.is_some_and(is_around) => Some(Fit::Best),
        Kind::Variable => Some(Fit::Good),
        Kind::Class => Some(Fit::Good),
        _ => None,
    });
    found.named(
        |_, symbol| (symbol.kind == Kind::Function).then_some(Fit::Good),
        |symbol| format!("{}($0)", escaped(&symbol.name)).into(),
    );
    if place.open_bracket().is_some() {
        found.words(Fit::Possible, WORDS);
    }
}

/// What may stand at a place of a grammar.
pub(super) fn grammar<'a>(place: &Place<'a>, found: &mut Found<'a>) {
    if place.is_quoted || matches!(place.back(0), "terminal" | "hidden" | "grammar" | "class" | "entry") {
        return;
    }
    match place.back(0) {
        "" | ";" => {
            found.form(Fit::Best, "terminal", "terminal ${1:NAME} /$2/");
            found.form(Fit::Best, "hidden", "hidden ${1:NAME} /$2/");
            found.form(Fit::Best, "entry", "entry ${1:Name} : $0 ;");
            found.form(Fit::Best, "class", "class ${1:Name} { $0 }");
        }
        "{" | "returns" | "[" | "->" => found.of_kinds(Fit::Best, &[Kind::Class]),
        _ => {
            found.of_kinds(Fit::Best, &[Kind::Class, Kind::Terminal]);
            found.of_kinds(Fit::Good, &[Kind::Field]);
            found.words(Fit::Possible, SOFT_OF_GRAMMARS);
        }
    }
}

/// Whether a line break stands before the word at the place.
fn on_new_line(place: &Place<'_>) -> bool {
    let before = place.token(0).map_or(0, |token| token.span.end as usize);
    let start = place.replaces.start as usize;
    before == 0 || place.text.get(before..start).is_some_and(|gap| gap.contains('\n'))
}
