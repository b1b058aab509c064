//! Declaring sorts and functions of a program, and applying functions.

use crate::ids::{FunctionId, Origin, SortId};
use crate::places::Place;
use crate::program::{Program, SiteInfo, SiteSubject};
use crate::sorts::Sort;
use crate::tables;
use crate::terms::{Application, Function};
use volvelle_kernel::{ExprId, FailKind, Site, Type};

impl Program {
    /// Declares a sort.
    pub fn sort(&mut self, sort: Sort) -> SortId {
        self.sorts.push(sort);
        SortId(self.sorts.len() as u32 - 1)
    }

    /// Declares a function.
    ///
    /// # Panics
    /// If the function has no parameters.
    pub fn function(&mut self, function: Function) -> FunctionId {
        assert!(!function.parameters.is_empty(), "a function without parameters is a constant");
        self.functions.push(function);
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// The application of a function to arguments (`i64` or `bool`), written at `origin` in `command`. Its
    /// type is `bool` if the sort of the result is [`SortId::BOOLEAN`], else `i64`. Arguments must not be the
    /// smallest `i64`. The same application at the same place is one expression.
    ///
    /// # Panics
    /// If the number of arguments is not that of the function.
    pub fn apply(
        &mut self,
        function: FunctionId,
        arguments: &[ExprId],
        origin: Origin,
        command: Option<Origin>,
    ) -> ExprId {
        let Function { parameters, result, .. } = &self.functions[function.index()];
        assert_eq!(arguments.len(), parameters.len(), "a function has all its arguments");
        let (form, result) = (tables::Form::of(parameters), *result);
        let arguments: Vec<ExprId> = arguments.iter().map(|&a| self.exprs.convert(Type::I64, a)).collect();
        let key = (function, arguments, origin);
        if let Some(made) = self.applications.made(&key) {
            return made;
        }
        let (_, arguments, _) = &key;
        let subject = SiteSubject::Application(self.applications.next());
        let site = self.site(SiteInfo { kind: FailKind::Range, subject, origin, command });
        let table = self.places.id(Place::Table(function)).buffer();
        let value = tables::lookup(&mut self.exprs, &form, table, arguments, site);
        let value = if result == SortId::BOOLEAN { self.exprs.convert(Type::Bool, value) } else { value };
        self.applications.add(key, site, value);
        value
    }

    /// Whether some of these expressions need the tables of functions.
    pub fn applies_functions(&self, roots: impl IntoIterator<Item = ExprId>) -> bool {
        if self.applications.is_empty() {
            return false;
        }
        let mut needed = self.needed(roots).into_iter();
        needed.any(|id| matches!(self.place_read(&self.exprs.node(id)), Some(Place::Table(_))))
    }

    /// The application that a site is about.
    pub fn application_at(&self, site: Site) -> Option<&Application> {
        match self.sites.get(site.index())?.subject {
            SiteSubject::Application(id) => Some(self.applications.get(id)),
            _ => None,
        }
    }
}
