//! Types of ACT ONE.

use super::cursor::{Cursor, Parsed};
use crate::lex::Kind;
use crate::syntax::{Equation, Instance, Name, OperationDeclaration, Parameter, Renaming, TypeDefinition};

impl Cursor {
    pub fn type_definition(&mut self) -> Parsed<()> {
        self.keyword("TYPE")?;
        let name = self.name("the name of a type")?;
        self.keyword("IS")?;
        let mut ty = TypeDefinition {
            name,
            imports: Vec::new(),
            instance: None,
            formal_sorts: Vec::new(),
            formal_operations: Vec::new(),
            sorts: Vec::new(),
            operations: Vec::new(),
            equations: Vec::new(),
        };
        if self.at_name() {
            ty.imports = self.names("the name of a type")?;
        }
        let actualises = self.at_word("ACTUALIZEDBY");
        if actualises || self.at_word("RENAMEDBY") {
            self.advance();
            let mut instance = Instance { actualises, ..Instance::default() };
            if actualises {
                ty.imports.extend(self.names("the name of a type")?);
                if !self.take_word("USING") {
                    self.expected::<()>("`using`")?;
                }
            }
            loop {
                if self.take_word("SORTNAMES") {
                    self.renamings(&mut instance.sorts)?;
                } else if self.take_word("OPNNAMES") {
                    self.renamings(&mut instance.operations)?;
                } else {
                    break;
                }
            }
            ty.instance = Some(instance);
        }
        loop {
            if self.take_word("FORMALSORTS") {
                self.sorts(&mut ty.formal_sorts)?;
            } else if self.take_word("SORTS") {
                self.sorts(&mut ty.sorts)?;
            } else if self.take_word("FORMALOPNS") {
                self.operations(&mut ty.formal_operations)?;
            } else if self.take_word("OPNS") {
                self.operations(&mut ty.operations)?;
            } else if self.take_word("FORMALEQNS") {
                // Requirements on actual types: they define nothing.
                self.equations(&mut Vec::new())?;
            } else if self.take_word("EQNS") {
                self.equations(&mut ty.equations)?;
            } else {
                break;
            }
        }
        self.keyword("ENDTYPE")?;
        self.tree.types.push(ty);
        Ok(())
    }

    fn renamings(&mut self, all: &mut Vec<Renaming>) -> Parsed<()> {
        while self.at_operation() || self.at("_") {
            let new = self.placed_name()?.0;
            self.keyword("FOR")?;
            let old = self.placed_name()?.0;
            all.push(Renaming { new, old });
        }
        Ok(())
    }

    fn sorts(&mut self, all: &mut Vec<Name>) -> Parsed<()> {
        all.extend(self.names("a sort")?);
        Ok(())
    }

    /// `f`, or `_f_`: the name, and whether it is infix.
    fn placed_name(&mut self) -> Parsed<(Name, bool)> {
        let infix = self.take("_");
        let name = self.operation_name()?;
        if infix {
            self.sign("_")?;
        }
        Ok((name, infix))
    }

    fn operations(&mut self, all: &mut Vec<OperationDeclaration>) -> Parsed<()> {
        while self.at_operation() || self.at("_") {
            let mut names: Vec<(Name, bool, Vec<String>)> = Vec::new();
            loop {
                let (name, infix) = self.placed_name()?;
                let directive = self.directive();
                names.push((name, infix, directive));
                if !self.take(",") {
                    break;
                }
            }
            self.sign(":")?;
            let arguments = if self.at("->") { Vec::new() } else { self.names("a sort")? };
            self.sign("->")?;
            let result = self.name("a sort")?;
            all.extend(names.into_iter().map(|(name, infix, directive)| OperationDeclaration {
                name,
                infix,
                arguments: arguments.clone(),
                result: result.clone(),
                directive,
            }));
        }
        Ok(())
    }

    fn equations(&mut self, all: &mut Vec<Equation>) -> Parsed<()> {
        let (mut outer, mut inner): (Vec<Parameter>, Vec<Parameter>) = (Vec::new(), Vec::new());
        let mut sort: Option<Name> = None;
        loop {
            if self.take_word("FORALL") {
                let variables = self.variables()?;
                if sort.is_some() {
                    inner = variables
                } else {
                    outer = variables
                }
                continue;
            }
            if self.take_word("OFSORT") {
                sort = Some(self.name("a sort")?);
                inner.clear();
                continue;
            }
            if !self.at_operation() && !self.at("(") {
                return Ok(());
            }
            let start = self.here();
            let mut conditions = vec![self.condition()?];
            while self.take(",") {
                conditions.push(self.condition()?);
            }
            let conclusion = if self.take("=>") {
                self.condition()?
            } else {
                let Some(only) = conditions.pop().filter(|_| conditions.is_empty()) else {
                    return self.expected("`=>` behind the premises of the equation");
                };
                only
            };
            let Some(right) = conclusion.right else { return self.expected("`=` and the right side") };
            let span = self.since(start);
            let variables = inner.iter().chain(&outer).cloned().collect();
            all.push(Equation {
                variables,
                sort: sort.clone(),
                premises: conditions,
                left: conclusion.left,
                right,
                span,
            });
            if !self.take(";") && !matches!(&self.peek().kind, Kind::Word(word) if word == "ENDTYPE") {
                return self.expected("`;` behind the equation");
            }
        }
    }
}
