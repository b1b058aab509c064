//! Types of ACT ONE.

use super::parser::{Parsed, Parser};
use crate::lex::{Kind, T};
use crate::syntax::{Equation, Instance, Name, OperationDeclaration, Parameter, Renaming, TypeDefinition};
use volvelle_syntax::Parse;

impl Parser<'_> {
    pub fn type_definition(&mut self) -> Parsed<()> {
        let start = self.span();
        self.expect(T!["TYPE"])?;
        let name = self.name("the name of a type")?;
        self.expect(T!["IS"])?;
        let mut ty = TypeDefinition {
            name,
            imports: Vec::new(),
            instance: None,
            formal_sorts: Vec::new(),
            formal_operations: Vec::new(),
            sorts: Vec::new(),
            operations: Vec::new(),
            equations: Vec::new(),
            span: start,
        };
        let read = self.parts(&mut ty);
        ty.span = self.since(start);
        match read {
            Ok(()) => self.tree.types.push(ty),
            Err(_) => self.tree.broken_types.push(ty),
        }
        read
    }

    /// What stands behind `is`.
    fn parts(&mut self, ty: &mut TypeDefinition) -> Parsed<()> {
        if self.at(Kind::Name) {
            ty.imports = self.names("the name of a type")?;
        }
        let actualises = self.at(T!["ACTUALIZEDBY"]);
        if actualises || self.at(T!["RENAMEDBY"]) {
            self.advance();
            let mut instance = Instance { actualises, ..Instance::default() };
            if actualises {
                ty.imports.extend(self.names("the name of a type")?);
                self.expect(T!["USING"])?;
            }
            loop {
                if self.take(T!["SORTNAMES"]) {
                    self.renamings(&mut instance.sorts)?;
                } else if self.take(T!["OPNNAMES"]) {
                    self.renamings(&mut instance.operations)?;
                } else {
                    break;
                }
            }
            ty.instance = Some(instance);
        }
        loop {
            if self.take(T!["FORMALSORTS"]) {
                self.sorts(&mut ty.formal_sorts)?;
            } else if self.take(T!["SORTS"]) {
                self.sorts(&mut ty.sorts)?;
            } else if self.take(T!["FORMALOPNS"]) {
                self.operations(&mut ty.formal_operations)?;
            } else if self.take(T!["OPNS"]) {
                self.operations(&mut ty.operations)?;
            } else if self.take(T!["FORMALEQNS"]) {
                // Requirements on actual types: they define nothing.
                self.equations(&mut Vec::new())?;
            } else if self.take(T!["EQNS"]) {
                self.equations(&mut ty.equations)?;
            } else {
                break;
            }
        }
        self.expect(T!["ENDTYPE"])?;
        Ok(())
    }

    fn renamings(&mut self, all: &mut Vec<Renaming>) -> Parsed<()> {
        while self.at_operation() || self.at(T!["_"]) {
            let new = self.placed_name()?.0;
            self.expect(T!["FOR"])?;
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
        let infix = self.take(T!["_"]);
        let name = self.operation_name()?;
        if infix {
            self.expect(T!["_"])?;
        }
        Ok((name, infix))
    }

    fn operations(&mut self, all: &mut Vec<OperationDeclaration>) -> Parsed<()> {
        while self.at_operation() || self.at(T!["_"]) {
            let start = self.span();
            let names = self.separated(T![","], |p| {
                let (name, infix) = p.placed_name()?;
                Ok((name, infix, p.directive()))
            })?;
            self.expect(T![":"])?;
            let arguments = if self.at(T!["->"]) { Vec::new() } else { self.names("a sort")? };
            self.expect(T!["->"])?;
            let result = self.name("a sort")?;
            let span = self.since(start);
            all.extend(names.into_iter().map(|(name, infix, directive)| OperationDeclaration {
                name,
                infix,
                arguments: arguments.clone(),
                result: result.clone(),
                directive,
                span,
            }));
        }
        Ok(())
    }

    fn equations(&mut self, all: &mut Vec<Equation>) -> Parsed<()> {
        let (mut outer, mut inner): (Vec<Parameter>, Vec<Parameter>) = (Vec::new(), Vec::new());
        let mut sort: Option<Name> = None;
        loop {
            if self.take(T!["FORALL"]) {
                let variables = self.variables()?;
                if sort.is_some() {
                    inner = variables
                } else {
                    outer = variables
                }
                continue;
            }
            if self.take(T!["OFSORT"]) {
                sort = Some(self.name("a sort")?);
                inner.clear();
                continue;
            }
            if !self.at_operation() && !self.at(T!["("]) {
                return Ok(());
            }
            let start = self.span();
            let mut conditions = self.separated(T![","], Self::condition)?;
            let conclusion = if self.take(T!["=>"]) {
                self.condition()?
            } else {
                let Some(only) = conditions.pop().filter(|_| conditions.is_empty()) else {
                    return Err(self.unexpected("`=>` behind the premises of the equation"));
                };
                only
            };
            let Some(right) = conclusion.right else { return Err(self.unexpected("`=` and the right side")) };
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
            if !self.take(T![";"]) && !self.at(T!["ENDTYPE"]) {
                return Err(self.unexpected("`;` behind the equation"));
            }
        }
    }
}
