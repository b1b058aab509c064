//! The text form of networks: a subset of the EXP language of CADP, with the reductions of its SVL.
//!
//! ```text
//! expression = operand { ( "||" | "|||" | "|[" labels "]|" ) operand }         right-associative, as in LOTOS
//! operand    = FILE | "(" expression ")"
//!            | "par" [ labels "in" ] interface { "||" interface } "end" "par"   interface = [ labels "->" ] operand
//!            | ( "label" | "gate" ) "." "par" vector { "," vector } "in" operand { "||" operand } "end" "par"
//!            | "hide" [ "all" "but" ] labels "in" expression [ "end" "hide" ]
//!            | "rename" label "->" label { "," … } "in" expression [ "end" "rename" ]
//!            | [ "root" | "leaf" | "node" | "smart" ] relation "reduction" "of" expression
//! vector     = ( label | "_" ) { "*" ( label | "_" ) } "->" label
//! ```
//!
//! `expression` behind `in` and `of` goes as far as it can; as an operand of `par` it is an operand.

mod explain;
mod steps;
mod text;
mod token;

pub use text::NetworkText;
pub use token::Kind as NetworkToken;

use super::{Network, Node, NodeId, Strategy, SyncVector, Together};
use crate::reduce::Relation;
use steps::{Parser, gates};
use token::{Kind, T, unquoted};
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};
use volvelle_labels::{Hiding, Pattern, Renaming};

/// Operators within one another, above which a text is refused.
const DEPTH: u32 = 200;

/// Words with which operands begin.
const OPERANDS: &[Kind] = &[
    T!["par"],
    T!["label"],
    T!["gate"],
    T!["hide"],
    T!["rename"],
    T!["root"],
    T!["leaf"],
    T!["node"],
    T!["smart"],
    T!["strong"],
    T!["branching"],
    T!["divbranching"],
    T!["weak"],
    T!["stochastic"],
];

/// Words of relations.
const RELATIONS: &[Kind] = &[T!["strong"], T!["branching"], T!["divbranching"], T!["weak"], T!["stochastic"]];

/// Reads a network. What is wrong is in the diagnostics; there is a network if none of them is an error.
pub fn parse_network(file: FileId, text: &str) -> (Option<NetworkText>, Vec<Diagnostic>) {
    let parsed =
        NetworkText { network: Network::default(), files: Vec::new(), places: Vec::new(), gates: Vec::new() };
    let mut parser = Parser::new(file, text, parsed);
    parser.expression();
    if parser.peek() != Kind::End {
        parser.wrong("the end of the text, or an operator: `||`, `|||`, `|[…]|`");
    }
    let Parser { parsed, diagnostics, .. } = parser;
    (diagnostics.is_empty().then_some(parsed), diagnostics)
}

/// An operator between operands.
enum Infix {
    All,
    Gates(Vec<(String, Span)>),
}

impl Parser<'_> {
    fn expression(&mut self) -> NodeId {
        let mut operands = vec![self.operand()];
        let mut operators = Vec::new();
        loop {
            let span = self.span();
            let operator = match self.peek() {
                T!["||"] => Infix::All,
                T!["|||"] | T!["|["] => Infix::Gates(Vec::new()),
                _ => break,
            };
            let has_list = self.at(T!["|["]);
            self.advance();
            operators.push((if has_list { Infix::Gates(self.gates_in_brackets()) } else { operator }, span));
            operands.push(self.operand());
        }
        let mut right = operands.pop().expect("there is an operand");
        while let (Some(left), Some((operator, span))) = (operands.pop(), operators.pop()) {
            let (together, named) = match operator {
                Infix::All => (Together::All, Vec::new()),
                Infix::Gates(named) => (Together::Gates(gates(2, &named, &[])), named),
            };
            right = self.parallel(vec![left, right], together, named, span);
        }
        right
    }

    fn gates_in_brackets(&mut self) -> Vec<(String, Span)> {
        let named = if self.at(T!["]|"]) { Vec::new() } else { self.labels() };
        self.require_as(T!["]|"], "`]|`");
        named
    }

    fn operand(&mut self) -> NodeId {
        self.depth += 1;
        let node = if self.depth > DEPTH { self.too_deep() } else { self.shallow_operand() };
        self.depth -= 1;
        node
    }

    /// An operand in a list that `||` separates.
    fn operand_of_par(&mut self) -> NodeId {
        let is_in_par = std::mem::replace(&mut self.is_in_par, true);
        let operand = self.operand();
        self.is_in_par = is_in_par;
        operand
    }

    /// What stands behind `in` and `of`.
    fn body(&mut self) -> NodeId {
        if self.is_in_par { self.operand() } else { self.expression() }
    }

    fn too_deep(&mut self) -> NodeId {
        let span = self.span();
        let message = format!("more than {DEPTH} operators within one another");
        let help = "write one `par … || … end par` instead of many, or compose parts in files of their own";
        self.error(Diagnostic::error(codes::NETWORK_SYNTAX, message).at(span, "").help(help));
        self.give_up();
        self.node(Node::Leaf(0), span)
    }

    fn shallow_operand(&mut self) -> NodeId {
        let span = self.span();
        // Operands begin with no name.
        self.correct(OPERANDS);
        match self.peek() {
            Kind::Text => self.leaf(),
            T!["("] => {
                self.advance();
                let is_in_par = std::mem::take(&mut self.is_in_par);
                let inner = self.expression();
                self.is_in_par = is_in_par;
                self.require_as(T![")"], "`)`, or an operator: `||`, `|||`, `|[…]|`");
                inner
            }
            T!["par"] => self.par(),
            T!["label"] | T!["gate"] => self.vectors(),
            T!["hide"] => self.hide(),
            T!["rename"] => self.rename(),
            T!["root"]
            | T!["leaf"]
            | T!["node"]
            | T!["smart"]
            | T!["strong"]
            | T!["branching"]
            | T!["divbranching"]
            | T!["weak"]
            | T!["stochastic"] => self.reduction(),
            _ => {
                self.wrong(
                    "a file in double quotes, `(`, `par`, `label.par`, `gate.par`, `hide`, `rename` or a reduction",
                );
                self.skip_to(&[T!["||"], T!["|||"], T!["|["], T![")"], T!["end"]]);
                self.node(Node::Leaf(0), span)
            }
        }
    }

    fn leaf(&mut self) -> NodeId {
        let span = self.span();
        let name = unquoted(self.word());
        self.advance();
        let known = self.parsed.files.iter().position(|(known, _)| *known == name);
        let leaf = known.unwrap_or_else(|| {
            self.parsed.files.push((name, span));
            self.parsed.files.len() - 1
        });
        self.node(Node::Leaf(leaf), span)
    }

    fn par(&mut self) -> NodeId {
        let span = self.span();
        self.advance();
        let mut common = Vec::new();
        if self.list_ends_with(T!["in"]) {
            common = self.labels();
            self.require(T!["in"]);
        } else {
            self.take(T!["in"]);
        }
        let (mut operands, mut interfaces) = (Vec::new(), Vec::new());
        loop {
            let mut interface = Vec::new();
            if self.list_ends_with(T!["->"]) {
                interface = self.labels();
                self.advance();
            }
            interfaces.push(interface);
            operands.push(self.operand_of_par());
            if !self.take(T!["||"]) {
                break;
            }
        }
        self.end(T!["par"], "`||` and another operand, or `end par`");
        let gates = gates(operands.len(), &common, &interfaces);
        let named = common.into_iter().chain(interfaces.into_iter().flatten()).collect();
        self.parallel(operands, Together::Gates(gates), named, span)
    }

    fn vectors(&mut self) -> NodeId {
        let span = self.span();
        let by_gate = self.at(T!["gate"]);
        self.advance();
        self.require_as(T!["."], "`.par`");
        self.require(T!["par"]);
        let (mut vectors, mut named, mut places) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            places.push(self.span());
            let mut parts = vec![self.part(&mut named)];
            while self.take(T!["*"]) {
                parts.push(self.part(&mut named));
            }
            self.require_as(
                T!["->"],
                "`*` and the label of another operand, or `->` and the label of the step",
            );
            let result = self.label().map_or(String::new(), |(text, _)| text);
            vectors.push(SyncVector { parts, result });
            if !self.take(T![","]) {
                break;
            }
        }
        self.require(T!["in"]);
        let mut operands = vec![self.operand_of_par()];
        while self.take(T!["||"]) {
            operands.push(self.operand_of_par());
        }
        self.end(T!["par"], "`||` and another operand, or `end par`");
        for (vector, place) in vectors.iter().zip(places) {
            let (parts, count) = (vector.parts.len(), operands.len());
            let message = if parts != count {
                format!("this vector has {parts} labels for {count} operands")
            } else if vector.parts.iter().all(Option::is_none) {
                "nobody takes part in this vector".to_owned()
            } else if let Some(part) = vector.parts.iter().flatten().find(|part| *part == "i") {
                format!("the internal action `{part}` is never synchronised")
            } else {
                continue;
            };
            let help = "one label for each operand, in their order; `_` for an operand that takes no part";
            self.diagnostics.push(Diagnostic::error(codes::NETWORK_SYNTAX, message).at(place, "").help(help));
        }
        self.parallel(operands, Together::Vectors { vectors, by_gate }, named, span)
    }

    /// A label of a vector, or `_`.
    fn part(&mut self, named: &mut Vec<(String, Span)>) -> Option<String> {
        if self.take_word("_") {
            return None;
        }
        let (text, span) = self.label()?;
        named.push((text.clone(), span));
        Some(text)
    }

    fn hide(&mut self) -> NodeId {
        let span = self.span();
        self.advance();
        if self.ahead(1).is(T!["but"]) {
            self.correct(&[T!["all"]]);
        }
        let all_but = self.take(T!["all"]);
        if all_but {
            self.require(T!["but"]);
        }
        let labels = self.labels();
        self.require(T!["in"]);
        let of = self.body();
        self.optional_end(T!["hide"]);
        let mut patterns = Vec::new();
        for (text, place) in labels {
            match Pattern::new(&text) {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => self.bad_pattern(&error, place),
            }
        }
        self.node(Node::Hide { of, hiding: Hiding::new(all_but, patterns) }, span)
    }

    fn rename(&mut self) -> NodeId {
        let span = self.span();
        self.advance();
        let mut rules = Vec::new();
        loop {
            let is_pattern = self.at(Kind::Text);
            let from = self.label();
            self.require_as(T!["->"], "`->` and the new label");
            let to = self.label();
            if let (Some((from, place)), Some((to, _))) = (from, to) {
                // A gate keeps the values behind it.
                let rule = match is_pattern {
                    true => Renaming::new(&from, &to),
                    false => Renaming::new(&format!("{from}([ !?(;].*)?"), &format!("{to}\\1")),
                };
                match rule {
                    Ok(rule) => rules.push(rule),
                    Err(error) => self.bad_pattern(&error, place),
                }
            }
            if !self.take(T![","]) {
                break;
            }
        }
        self.require(T!["in"]);
        let of = self.body();
        self.optional_end(T!["rename"]);
        self.node(Node::Rename { of, rules }, span)
    }

    fn reduction(&mut self) -> NodeId {
        let span = self.span();
        let strategy = match self.peek() {
            T!["root"] => Some(Strategy::Root),
            T!["leaf"] => Some(Strategy::Leaf),
            T!["node"] => Some(Strategy::Node),
            T!["smart"] => Some(Strategy::Smart),
            _ => None,
        };
        if strategy.is_some() {
            self.advance();
            self.correct(RELATIONS);
        }
        let is_stochastic = self.take(T!["stochastic"]);
        self.correct(RELATIONS);
        let relation = match (is_stochastic, self.peek()) {
            (false, T!["strong"]) => Some(Relation::Strong),
            (false, T!["branching"]) => Some(Relation::Branching),
            (false, T!["divbranching"]) => Some(Relation::DivergencePreservingBranching),
            (false, T!["weak"]) => Some(Relation::Weak),
            (true, T!["strong"]) => Some(Relation::StochasticStrong),
            (true, T!["branching"]) => Some(Relation::StochasticBranching),
            _ => None,
        };
        if relation.is_some() {
            self.advance();
        } else {
            self.wrong(match is_stochastic {
                true => "`strong` or `branching`",
                false => "`strong`, `branching`, `divbranching`, `weak`, `stochastic strong` or `stochastic branching`",
            });
        }
        self.require(T!["reduction"]);
        self.require(T!["of"]);
        let of = self.body();
        let options = relation.unwrap_or(Relation::Branching).into();
        self.node(Node::Reduce { of, options, strategy: strategy.unwrap_or(Strategy::Root) }, span)
    }
}
