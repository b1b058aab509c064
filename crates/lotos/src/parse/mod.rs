//! Text to syntax tree: ISO 8807, section 6.2. Errors are reported one per definition, and parsing goes on behind it.
//!
//! Grammar notes. Binary operators associate to the right, and infix operations of values to the left, all with the same
//! precedence (section 6.2.6). Keywords are reserved.

mod behaviour;
mod cursor;
mod data;
mod value;

use crate::lex;
use crate::syntax::{BehaviourKind, Functionality, Name, Process, ProcessId, Tree};
use cursor::{Cursor, Parsed};
use volvelle_diagnostics::{Diagnostic, FileId};

/// Parses a specification. Without errors, [`Tree::processes`] is not empty.
pub fn specification(file: FileId, text: &str) -> (Tree, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = lex::tokens(file, text, &mut diagnostics);
    let mut cursor = Cursor::new(tokens, diagnostics);
    // The error has been pushed.
    let _ = cursor.specification();
    (cursor.tree, cursor.diagnostics)
}

/// Parses types only: the texts of libraries.
pub(crate) fn library(file: FileId, text: &str, tree: Tree) -> (Tree, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = lex::tokens(file, text, &mut diagnostics);
    let mut cursor = Cursor::new(tokens, diagnostics);
    // Values are numbered behind those of the specification, whose nesting has been checked.
    cursor.value_depth = vec![0; tree.values.len()];
    cursor.tree = tree;
    while !cursor.at_end() && cursor.definition(0) {}
    if !cursor.at_end() {
        let _ = cursor.expected::<()>("a type");
    }
    (cursor.tree, cursor.diagnostics)
}

impl Cursor {
    fn specification(&mut self) -> Parsed<()> {
        self.keyword("SPECIFICATION")?;
        let name = self.name("the name of the specification")?;
        let gates = self.gates()?;
        let parameters = self.parameters()?;
        let functionality = self.functionality()?;
        let stop = self.behaviour_node(BehaviourKind::Stop, name.span);
        let own =
            Process { name, gates, parameters, functionality, body: stop, inner: Vec::new(), outer: None };
        self.tree.processes.push(own);
        if self.at_word("IS") {
            let diagnostic = self.unexpected("a type or `behaviour`");
            self.diagnostics.push(diagnostic.help("leave `is` out: it belongs to types"));
            self.advance();
        }
        while self.definition(0) {}
        if !self.take_word("BEHAVIOUR") && !self.take_word("BEHAVIOR") {
            return self.expected("a type, a process or `behaviour`");
        }
        self.body(0, "ENDSPEC")?;
        if self.at_end() { Ok(()) } else { self.expected("the end of the text behind `endspec`") }
    }

    /// A type, library or process, if there is one.
    pub(super) fn definition(&mut self, outer: ProcessId) -> bool {
        if self.at_word("TYPE") {
            let read = self.recovering(&["ENDTYPE"], Cursor::type_definition);
            if read.is_none() {
                self.take_word("ENDTYPE");
            }
        } else if self.take_word("LIBRARY") {
            let read = self.recovering(&["ENDLIB"], |c| {
                loop {
                    let name = c.name("the name of a library")?;
                    c.tree.libraries.push(name);
                    if !c.take(",") {
                        break;
                    }
                }
                c.keyword("ENDLIB")
            });
            if read.is_none() {
                self.take_word("ENDLIB");
            }
        } else if self.at_word("PROCESS") {
            if self.depth() > cursor::DEEPEST {
                let _ = self.too_deep::<()>();
                self.skip_to(&[]);
                return false;
            }
            self.deeper();
            let read = self.recovering(&["ENDPROC"], |c| c.process(outer));
            self.shallower();
            if read.is_none() {
                self.take_word("ENDPROC");
            }
        } else {
            return false;
        }
        true
    }

    fn process(&mut self, outer: ProcessId) -> Parsed<()> {
        self.keyword("PROCESS")?;
        let name = self.name("the name of a process")?;
        let gates = self.gates()?;
        let parameters = self.parameters()?;
        let functionality = self.functionality()?;
        self.sign(":=")?;
        let stop = self.behaviour_node(BehaviourKind::Stop, name.span);
        let own = Process {
            name,
            gates,
            parameters,
            functionality,
            body: stop,
            inner: Vec::new(),
            outer: Some(outer),
        };
        let number = self.tree.processes.len();
        self.tree.processes.push(own);
        self.tree.processes[outer].inner.push(number);
        self.body(number, "ENDPROC")
    }

    /// The behaviour of a process, what it declares, and the word at its end.
    fn body(&mut self, number: ProcessId, end: &str) -> Parsed<()> {
        let words = ["WHERE", end];
        let end_text = end.to_ascii_lowercase();
        if let Some(body) = self.recovering(&words, Cursor::behaviour) {
            self.tree.processes[number].body = body;
            if !words.iter().any(|word| self.at_word(word)) && !self.has_no_end(end) {
                let expected = format!("an operator (`[]`, `|||`, `>>`, ...), `where` or `{end_text}`");
                let diagnostic = self.unexpected(&expected);
                self.diagnostics.push(diagnostic);
                self.skip_to(&words);
            }
        }
        if self.take_word("WHERE") {
            while self.definition(number) {}
        }
        if self.take_word(end) {
            return Ok(());
        }
        let mut diagnostic = self.unexpected(&format!("`{end_text}`"));
        if self.has_no_end(end) {
            let name = &self.tree.processes[number].name;
            diagnostic = diagnostic.also(name.span, "this has no end yet").help(format!(
                "write `{end_text}` behind it; processes that it declares stand behind `where`"
            ));
        }
        self.error(diagnostic)
    }

    /// Whether something else begins or ends here than what is open.
    fn has_no_end(&self, end: &str) -> bool {
        let others = ["PROCESS", "TYPE", "ENDPROC", "ENDSPEC"];
        self.at_end() || others.iter().any(|word| *word != end && self.at_word(word))
    }

    fn functionality(&mut self) -> Parsed<Functionality> {
        if !self.take(":") {
            let diagnostic = self.unexpected("`:`");
            return self
                .error(diagnostic.help("say how it ends: `: noexit :=` if it never does, else `: exit :=`"));
        }
        if self.take_word("NOEXIT") {
            return Ok(Functionality::Noexit);
        }
        self.keyword("EXIT")?;
        let mut sorts = Vec::new();
        if self.take("(") {
            sorts = self.names("a sort")?;
            self.sign(")")?;
        }
        Ok(Functionality::Exit(sorts))
    }

    /// `[g, h]`, or nothing.
    fn gates(&mut self) -> Parsed<Vec<Name>> {
        if !self.take("[") {
            // `[]` is one sign.
            self.take("[]");
            return Ok(Vec::new());
        }
        let gates = self.names("a gate")?;
        self.sign("]")?;
        Ok(gates)
    }
}
