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
        while self.definition(0) {}
        if !self.take_word("BEHAVIOUR") {
            self.keyword("BEHAVIOR")?;
        }
        let body = self.recovering(&["WHERE", "ENDSPEC"], Cursor::behaviour);
        self.tree.processes[0].body = body.unwrap_or(stop);
        if self.take_word("WHERE") {
            while self.definition(0) {}
        }
        self.keyword("ENDSPEC")?;
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
        let body = self.recovering(&["WHERE", "ENDPROC"], Cursor::behaviour);
        self.tree.processes[number].body = body.unwrap_or(stop);
        if self.take_word("WHERE") {
            while self.definition(number) {}
        }
        self.keyword("ENDPROC")
    }

    fn functionality(&mut self) -> Parsed<Functionality> {
        self.sign(":")?;
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
