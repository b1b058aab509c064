//! Text to syntax tree: ISO 8807, section 6.2. Errors are reported one per definition, and parsing goes on behind it.
//!
//! Grammar notes. Binary operators associate to the right, and infix operations of values to the left, all with the same
//! precedence (section 6.2.6). Keywords are reserved.

mod behaviour;
mod data;
mod misspelt;
mod parser;
mod value;

use crate::lex::{Kind, T};
use crate::syntax::{BehaviourKind, Functionality, Name, Process, ProcessId, Tree};
use parser::{Parsed, Parser};
use volvelle_diagnostics::{Diagnostic, FileId};
use volvelle_syntax::{Parse, Spelt};

/// Parses a specification. Without errors, [`Tree::processes`] is not empty.
pub fn specification(file: FileId, text: &str) -> (Tree, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text);
    // The error has been pushed.
    let _ = parser.specification();
    (parser.tree, parser.diagnostics)
}

/// Parses types only: the texts of libraries.
pub(crate) fn library(file: FileId, text: &str, tree: Tree) -> (Tree, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text);
    // Values are numbered behind those of the specification, whose nesting has been checked.
    parser.value_depth = vec![0; tree.values.len()];
    parser.tree = tree;
    while !parser.at_end() && parser.definition(0) {}
    if !parser.at_end() {
        parser.unexpected("a type");
    }
    (parser.tree, parser.diagnostics)
}

impl Parser<'_> {
    fn specification(&mut self) -> Parsed<()> {
        let start = self.span();
        self.expect(T!["SPECIFICATION"])?;
        let name = self.name("the name of the specification")?;
        let gates = self.gates()?;
        let parameters = self.parameters()?;
        let functionality = self.functionality()?;
        let stop = self.behaviour_node(BehaviourKind::Stop, name.span);
        let (inner, span) = (Vec::new(), self.since(start));
        let own = Process { name, gates, parameters, functionality, body: stop, inner, outer: None, span };
        self.tree.processes.push(own);
        if self.at(T!["IS"]) {
            let diagnostic = self.diagnostic("a type or `behaviour`");
            self.diagnostics.push(diagnostic.help("leave `is` out: it belongs to types"));
            self.advance();
        }
        while self.definition(0) {}
        if !self.take(T!["BEHAVIOUR"]) && !self.take(T!["BEHAVIOR"]) {
            return Err(self.unexpected("a type, a process or `behaviour`"));
        }
        let read = self.body(0, T!["ENDSPEC"]);
        self.tree.processes[0].span = self.since(start);
        read?;
        if self.at_end() { Ok(()) } else { Err(self.unexpected("the end of the text behind `endspec`")) }
    }

    /// A type, library or process, if there is one.
    pub(super) fn definition(&mut self, outer: ProcessId) -> bool {
        if self.at(T!["TYPE"]) {
            let read = self.recovering(&[T!["ENDTYPE"]], Parser::type_definition);
            if read.is_none() {
                self.take(T!["ENDTYPE"]);
            }
        } else if self.take(T!["LIBRARY"]) {
            let read = self.recovering(&[T!["ENDLIB"]], |c| {
                c.separated(T![","], |c| {
                    let name = c.name("the name of a library")?;
                    c.tree.libraries.push(name);
                    Ok(())
                })?;
                c.expect(T!["ENDLIB"])
            });
            if read.is_none() {
                self.take(T!["ENDLIB"]);
            }
        } else if self.at(T!["PROCESS"]) {
            if self.check_depth(1).is_err() {
                self.skip_to_border(&[]);
                return false;
            }
            let read = self.recovering(&[T!["ENDPROC"]], |c| c.nested(|c| c.process(outer)));
            if read.is_none() {
                self.take(T!["ENDPROC"]);
            }
        } else {
            return false;
        }
        true
    }

    fn process(&mut self, outer: ProcessId) -> Parsed<()> {
        let start = self.span();
        self.expect(T!["PROCESS"])?;
        let name = self.name("the name of a process")?;
        let gates = self.gates()?;
        let parameters = self.parameters()?;
        let functionality = self.functionality()?;
        self.expect(T![":="])?;
        let stop = self.behaviour_node(BehaviourKind::Stop, name.span);
        let own = Process {
            name,
            gates,
            parameters,
            functionality,
            body: stop,
            inner: Vec::new(),
            outer: Some(outer),
            span: self.since(start),
        };
        let number = self.tree.processes.len();
        self.tree.processes.push(own);
        self.tree.processes[outer].inner.push(number);
        let read = self.body(number, T!["ENDPROC"]);
        self.tree.processes[number].span = self.since(start);
        read
    }

    /// The behaviour of a process, what it declares, and the word at its end.
    fn body(&mut self, number: ProcessId, end: Kind) -> Parsed<()> {
        let words = [T!["WHERE"], end];
        let end_text = end.spelling().unwrap_or_default().to_ascii_lowercase();
        if let Some(body) = self.recovering(&words, Parser::behaviour) {
            self.tree.processes[number].body = body;
            if !words.contains(&self.peek()) && !self.has_no_end(end) {
                let expected = format!("an operator (`[]`, `|||`, `>>`, ...), `where` or `{end_text}`");
                let diagnostic = self.diagnostic(&expected);
                self.diagnostics.push(diagnostic);
                self.skip_to_border(&words);
            }
        }
        if self.take(T!["WHERE"]) {
            while self.definition(number) {}
        }
        if self.take(end) {
            return Ok(());
        }
        let mut diagnostic = self.diagnostic(&format!("`{end_text}`"));
        if self.has_no_end(end) {
            let name = &self.tree.processes[number].name;
            diagnostic = diagnostic.also(name.span, "this has no end yet").help(format!(
                "write `{end_text}` behind it; processes that it declares stand behind `where`"
            ));
        }
        Err(self.error(diagnostic))
    }

    /// Whether something else begins or ends here than what is open.
    fn has_no_end(&self, end: Kind) -> bool {
        let others = [T!["PROCESS"], T!["TYPE"], T!["ENDPROC"], T!["ENDSPEC"]];
        self.at_end() || others.iter().any(|word| *word != end && self.at(*word))
    }

    fn functionality(&mut self) -> Parsed<Functionality> {
        if !self.take(T![":"]) {
            let diagnostic = self.diagnostic("`:`");
            return Err(self.error(
                diagnostic.help("say how it ends: `: noexit :=` if it never does, else `: exit :=`"),
            ));
        }
        if self.take(T!["NOEXIT"]) {
            return Ok(Functionality::Noexit);
        }
        self.expect(T!["EXIT"])?;
        self.within(T!["("], T![")"], |p| p.names("a sort")).map(Functionality::Exit)
    }

    /// `[g, h]`, or nothing.
    fn gates(&mut self) -> Parsed<Vec<Name>> {
        // `[]` is one sign.
        if self.take(T!["[]"]) {
            Ok(Vec::new())
        } else {
            self.within(T!["["], T!["]"], |p| p.names("a gate"))
        }
    }
}
