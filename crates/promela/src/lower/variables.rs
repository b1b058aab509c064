//! Variables as fields of the program.

use super::types::{Scalar, Type};
use super::{Lowering, ProcessId};
use crate::ast::{self, Declaration, Initial, Name, Place, Sequence, Statement, StatementKind, Variable};
use volvelle_diagnostics::codes;
use volvelle_model::{ComponentId, Field, FieldId};

/// Index of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A scalar, or an array of scalars: a field of the program. Arrays of structures with arrays are flattened: the
/// element is `(… (i₁ · n₂ + i₂) · n₃ …)`.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Members on the way, `a.b`; empty for a variable that is a scalar itself.
    pub path: Vec<String>,
    /// Its type.
    pub ty: Scalar,
    /// Its field.
    pub field: FieldId,
    /// Lengths on the way, from the variable to the last member; 1 where there is no array.
    pub lengths: Vec<u32>,
    /// The type of the channels that it starts with.
    pub channel: Option<usize>,
    /// What a member of a structure starts with.
    pub initial: Option<Initial>,
}

/// A declared variable.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its length; `None` for a single one.
    pub length: Option<u32>,
    /// The process it belongs to; `None` for a global.
    pub process: Option<ProcessId>,
    /// Its scalars.
    pub leaves: Vec<Leaf>,
    /// The name where it was declared.
    pub place: Place,
    /// `= …`
    pub initial: Option<Initial>,
    /// Declared behind a statement: the initial value is assigned by a step of its own.
    pub late: bool,
    /// The type of the channels of `= [n] of { … }`.
    pub channel: Option<usize>,
    /// `hidden`
    pub hidden: bool,
}

/// Most fields that variables may be made of.
const MAX_FIELDS: usize = 100_000;

impl Lowering<'_> {
    /// Declares the variables of a declaration.
    pub(super) fn declare(
        &mut self,
        declaration: &Declaration,
        process: Option<ProcessId>,
        component: Option<ComponentId>,
        late: bool,
    ) {
        for variable in &declaration.variables {
            self.declare_variable(declaration, variable, process, component, late);
        }
    }

    fn declare_variable(
        &mut self,
        declaration: &Declaration,
        variable: &Variable,
        process: Option<ProcessId>,
        component: Option<ComponentId>,
        late: bool,
    ) {
        let Some(ty) = self.type_of(&declaration.ty, variable.bits, declaration.place) else { return };
        let length = variable.length.and_then(|l| self.length(l));
        let mut leaves = Vec::new();
        let name = &variable.name;
        self.leaves(
            ty,
            &name.text,
            name.place,
            component,
            vec![length.unwrap_or(1)],
            Vec::new(),
            &mut leaves,
        );
        let channel = match &variable.initial {
            Some(Initial::Channel(init)) => self.declare_channel_type(init, &name.text),
            _ => None,
        };
        if let [leaf] = leaves.as_mut_slice()
            && leaf.path.is_empty()
        {
            leaf.channel = channel;
        }
        let id = VarId(self.variables.len() as u32);
        self.variables.push(VarInfo {
            name: name.text.clone(),
            ty,
            length,
            process,
            leaves,
            place: name.place,
            initial: variable.initial.clone(),
            late,
            channel,
            hidden: declaration.visibility.hidden,
        });
        self.declared.insert(name.place, id);
    }

    #[allow(clippy::too_many_arguments)] // one walk over a type
    fn leaves(
        &mut self,
        ty: Type,
        shown: &str,
        place: Place,
        component: Option<ComponentId>,
        lengths: Vec<u32>,
        path: Vec<String>,
        out: &mut Vec<Leaf>,
    ) {
        match ty {
            Type::Scalar(scalar) => {
                let total = lengths.iter().try_fold(1u32, |n, &l| n.checked_mul(l));
                let Some(length) = total.filter(|&n| i64::from(n) <= super::types::MAX_LENGTH) else {
                    self.error(codes::TYPE_MISMATCH, "this variable is too large", place, "");
                    return;
                };
                if self.program.fields.len() >= MAX_FIELDS {
                    if self.program.fields.len() == MAX_FIELDS {
                        self.error(codes::TYPE_MISMATCH, "the model has too many variables", place, "");
                    }
                    return;
                }
                let field = self.field(shown.to_owned(), scalar.domain(), component, length, place);
                self.field_types[field.index()] = Some(scalar);
                if lengths.len() > 1 {
                    self.lengths.insert(field, lengths.clone());
                }
                out.push(Leaf { path, ty: scalar, field, lengths, channel: None, initial: None });
            }
            Type::Struct(number) => {
                // A structure can only mention those before it: no endless nesting.
                for member in self.structs[number].members.clone() {
                    let mut lengths = lengths.clone();
                    lengths.push(member.length.unwrap_or(1));
                    let mut path = path.clone();
                    path.push(member.name.clone());
                    let shown = format!("{shown}.{}", member.name);
                    let depth = path.len();
                    let before = out.len();
                    self.leaves(member.ty, &shown, place, component, lengths, path, out);
                    for leaf in &mut out[before..] {
                        // Only a member that is a scalar itself: those of nested structures have their own.
                        if leaf.path.len() == depth {
                            leaf.initial = member.initial.clone();
                        }
                    }
                    if let Some(Initial::Channel(init)) = &member.initial {
                        let ty = self.declare_channel_type(init, &shown);
                        out[before..].iter_mut().for_each(|leaf| leaf.channel = ty);
                    }
                }
            }
        }
    }

    /// A field of the program.
    pub(super) fn field(
        &mut self,
        name: String,
        domain: volvelle_model::Domain,
        component: Option<ComponentId>,
        length: u32,
        place: Place,
    ) -> FieldId {
        let origin = self.origin(place);
        self.program.fields.push(Field { name, domain, component, length, origin });
        self.field_types.push(None);
        FieldId((self.program.fields.len() - 1) as u32)
    }

    /// Declares the variables in the body of a process, those of nested blocks included. SPIN gives initial values
    /// when the process starts as long as no statement came before, and by an assignment otherwise.
    pub(super) fn declare_body(&mut self, body: &Sequence, process: ProcessId, component: ComponentId) {
        let mut started = false;
        for statement in &body.statements {
            match &statement.kind {
                StatementKind::Declaration(declaration) => {
                    self.declare(declaration, Some(process), Some(component), started);
                }
                StatementKind::Exclusive { .. } => {}
                _ => {
                    started = true;
                    self.declare_nested(statement, process, component);
                }
            }
        }
    }

    /// Recursion is as deep as the parser lets statements nest.
    fn declare_nested(&mut self, statement: &Statement, process: ProcessId, component: ComponentId) {
        match &statement.kind {
            StatementKind::Declaration(declaration) => {
                self.declare(declaration, Some(process), Some(component), true);
            }
            StatementKind::ForIn { collection, variable, .. } => {
                // A loop over a channel counts in a variable of its own.
                let place = self.place(*variable);
                let _ = collection;
                let name = Name { text: ":index".into(), place: statement.place };
                let field = self.field(name.text, Scalar::Byte.domain(), Some(component), 1, place);
                self.field_types[field.index()] = Some(Scalar::Byte);
                self.loop_counters.insert(statement.place, field);
                each_block(statement, &mut |block| {
                    block.statements.iter().for_each(|s| self.declare_nested(s, process, component));
                });
            }
            _ => each_block(statement, &mut |block| {
                block.statements.iter().for_each(|s| self.declare_nested(s, process, component));
            }),
        }
    }

    /// The variable that a name means in a scope.
    pub(super) fn lookup(&self, scope: &Scope, name: &str) -> Option<VarId> {
        let local = scope.names.iter().rev().find(|(n, _)| n == name).map(|&(_, id)| id);
        local.or_else(|| self.globals.get(name).copied())
    }
}

/// Calls `f` for every block of statements directly inside a statement.
pub(super) fn each_block(statement: &Statement, f: &mut dyn FnMut(&Sequence)) {
    match &statement.kind {
        StatementKind::If(options) | StatementKind::Do(options) => options.iter().for_each(f),
        StatementKind::For { body, .. } | StatementKind::ForIn { body, .. } => f(body),
        StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body) => f(body),
        StatementKind::Unless { main, escape } => {
            f(main);
            f(escape);
        }
        _ => {}
    }
}

/// Whose fields a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instance {
    /// Those of the process that moves.
    Own,
    /// Those of the process in a slot (`i64`).
    At(volvelle_kernel::ExprId),
}

/// The names that hold at some point of a text.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The process, where there is one.
    pub process: Option<ProcessId>,
    /// Whose locals are meant.
    pub instance: Instance,
    /// Local names, innermost last.
    pub names: Vec<(String, VarId)>,
}

impl Scope {
    /// Outside of all processes.
    pub fn global() -> Self {
        Scope { process: None, instance: Instance::Own, names: Vec::new() }
    }

    /// Opens a block; [`Scope::close`] takes what it gives.
    pub fn open(&self) -> usize {
        self.names.len()
    }

    /// Closes a block.
    pub fn close(&mut self, mark: usize) {
        self.names.truncate(mark);
    }
}

/// The members that an access names, with the indices on the way.
pub(super) struct Path<'a> {
    pub name: &'a Name,
    /// One for the variable, then one for each member.
    pub indices: Vec<Option<ast::ExprId>>,
    pub members: Vec<&'a Name>,
}

impl Lowering<'_> {
    /// Takes `a[i].b.c[j]` apart; `None` for any other expression.
    pub(super) fn path(&self, expr: ast::ExprId) -> Option<Path<'_>> {
        let (mut at, mut members, mut indices) = (expr, Vec::new(), vec![None]);
        loop {
            match &self.model.exprs.get(at).kind {
                ast::ExprKind::Name(name) => {
                    members.reverse();
                    indices.reverse();
                    return Some(Path { name, indices, members });
                }
                ast::ExprKind::Index { base, index } => {
                    let last = indices.last_mut().expect("there is always one");
                    if last.is_some() {
                        return None;
                    }
                    *last = Some(*index);
                    at = *base;
                }
                ast::ExprKind::Field { base, field } => {
                    members.push(field);
                    indices.push(None);
                    at = *base;
                }
                _ => return None,
            }
        }
    }
}
