//! A walk through the tree of a program. Trees are not deep: the parser sees to that.

use super::declare::around;
use crate::builder::{Builder, Declared};
use crate::index::{Kind, Role, SymbolId};
use crate::scope::Scope;
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_diagnostics::Span;
use volvelle_mpi::syntax::{
    Block, Content, Dimension, Expr, ExprKind, Field, Home, Item, Name, Place, Range, Statement,
    StatementKind, Tree, Type, TypeKind, Work,
};

struct Walk<'b, 'w, 'm> {
    builder: &'b mut Builder<'w>,
    items: &'b [Span],
    globals: FxHashMap<&'m str, SymbolId>,
    /// By structure and name.
    fields: FxHashMap<(SymbolId, &'m str), SymbolId>,
    marks: FxHashMap<&'m str, SymbolId>,
    locals: Scope<'m>,
    within: Option<SymbolId>,
}

/// Adds the names of a program.
/// Names of classes and lines, which nothing declares, are noted.
pub(super) fn program(builder: &mut Builder<'_>, tree: &Tree, items: &[Span], classes: &mut FxHashSet<Span>) {
    for shared in tree.items.iter().filter_map(|item| match item {
        Item::Shared(shared) => Some(shared),
        _ => None,
    }) {
        classes.extend(shared.class.iter().chain(&shared.line).map(|name| name.span));
        if let Content::Structure(groups) = &shared.content {
            classes.extend(groups.iter().filter_map(|group| Some(group.name.as_ref()?.span)));
            let fields = groups.iter().flat_map(|group| &group.fields);
            classes.extend(fields.filter_map(|field| Some(field.class.as_ref()?.span)));
        }
    }

    let mut walk = Walk {
        builder,
        items,
        globals: FxHashMap::default(),
        fields: FxHashMap::default(),
        marks: FxHashMap::default(),
        locals: Scope::default(),
        within: None,
    };
    let ids: Vec<SymbolId> = tree.items.iter().map(|item| walk.global(item)).collect();
    for (item, id) in tree.items.iter().zip(ids) {
        walk.within = Some(id);
        let mark = walk.locals.mark();
        walk.item(item);
        walk.locals.leave(mark);
    }
}

impl<'m> Walk<'_, '_, 'm> {
    fn global(&mut self, item: &'m Item) -> SymbolId {
        let (name, kind) = match item {
            Item::Constant(constant) => (&constant.name, Kind::Constant),
            Item::Type(name, _) => (name, Kind::Type),
            Item::Shared(shared) => (&shared.name, Kind::Variable),
            Item::Private(private) => (&private.name, Kind::Variable),
            Item::Channel(channel) => (&channel.name, Kind::Channel),
            Item::Procedure(procedure) => (&procedure.name, Kind::Procedure),
            Item::Process(process) => (&process.name, Kind::Process),
        };
        let whole = around(self.items, name.span);
        let text = self.builder.text(whole.file).get(whole.start as usize..whole.end as usize).unwrap_or("");
        let head = whole.start + text.find('{').unwrap_or(text.len()) as u32;
        let detail = self.builder.one_line(Span { end: head, ..whole });
        let (shown, span) = (name.text.as_str(), name.span);
        let id = self.builder.declare(Declared { name: shown, kind, span, whole, detail, container: None });
        self.globals.entry(&name.text).or_insert(id);
        if let Item::Shared(shared) = item
            && let Content::Structure(groups) = &shared.content
        {
            for field in groups.iter().flat_map(|group| &group.fields) {
                let declared = self.local(&field.name, Kind::Field, Some(id));
                self.fields.entry((id, &field.name.text)).or_insert(declared);
            }
        }
        id
    }

    /// Adds a symbol without a declaration of its own.
    fn local(&mut self, name: &'m Name, kind: Kind, container: Option<SymbolId>) -> SymbolId {
        let (shown, span) = (name.text.as_str(), name.span);
        let detail = shown.to_owned();
        self.builder.declare(Declared { name: shown, kind, span, whole: span, detail, container })
    }

    fn enter(&mut self, name: &'m Name, kind: Kind) {
        let id = self.local(name, kind, self.within);
        self.locals.enter(&name.text, id);
    }

    fn item(&mut self, item: &'m Item) {
        match item {
            Item::Constant(constant) => self.expr(&constant.value),
            Item::Type(_, ty) => self.ty(ty),
            Item::Shared(shared) => {
                self.dimensions(&shared.dimensions);
                match &shared.content {
                    Content::Variable(ty, initial) => {
                        ty.iter().for_each(|ty| self.ty(ty));
                        initial.iter().for_each(|initial| self.expr(initial));
                    }
                    Content::Structure(groups) => {
                        groups.iter().flat_map(|group| &group.fields).for_each(|field| self.field(field));
                    }
                }
                if let Some(Home::Process(process)) = &shared.home {
                    self.expr(process);
                }
            }
            Item::Private(private) => {
                self.dimensions(&private.dimensions);
                private.kind.iter().for_each(|ty| self.ty(ty));
                private.initial.iter().for_each(|initial| self.expr(initial));
            }
            Item::Channel(channel) => {
                self.dimensions(&channel.dimensions);
                channel.kind.iter().for_each(|ty| self.ty(ty));
                channel.capacity.iter().for_each(|capacity| self.expr(capacity));
            }
            Item::Procedure(procedure) => {
                procedure
                    .parameters
                    .iter()
                    .for_each(|parameter| self.enter(&parameter.name, Kind::Parameter));
                self.block(&procedure.body);
            }
            Item::Process(process) => {
                process.family.iter().for_each(|family| self.dimensions(std::slice::from_ref(family)));
                self.block(&process.body);
            }
        }
    }

    fn field(&mut self, field: &'m Field) {
        let mark = self.locals.mark();
        self.dimensions(&field.dimensions);
        field.kind.iter().for_each(|ty| self.ty(ty));
        field.initial.iter().for_each(|initial| self.expr(initial));
        self.locals.leave(mark);
    }

    /// Indices, which the rest of the declaration knows.
    fn dimensions(&mut self, dimensions: &'m [Dimension]) {
        dimensions.iter().for_each(|dimension| self.range(&dimension.range));
        dimensions.iter().for_each(|dimension| self.enter(&dimension.name, Kind::Parameter));
    }

    fn range(&mut self, range: &'m Range) {
        self.expr(&range.lo);
        self.expr(&range.hi);
    }

    fn ty(&mut self, ty: &'m Type) {
        match &ty.kind {
            TypeKind::Range(range) => self.range(range),
            TypeKind::Modulo(size) => self.expr(size),
            TypeKind::Name(name) => {
                if let Some(&id) = self.globals.get(name.as_str()) {
                    self.builder.refer(ty.span, id, Role::Reads);
                }
            }
            TypeKind::Data | TypeKind::Bool => {}
        }
    }

    fn block(&mut self, block: &'m Block) {
        let mark = self.locals.mark();
        block.statements.iter().for_each(|statement| self.statement(statement));
        self.locals.leave(mark);
    }

    fn statement(&mut self, statement: &'m Statement) {
        use StatementKind as K;
        match &statement.kind {
            K::Local(locals) => {
                for local in locals {
                    local.kind.iter().for_each(|ty| self.ty(ty));
                    local.initial.iter().for_each(|initial| self.expr(initial));
                    self.enter(&local.name, Kind::Variable);
                }
                return;
            }
            K::For(name, range, body) => {
                self.range(range);
                let mark = self.locals.mark();
                self.enter(name, Kind::Variable);
                self.statement(body);
                return self.locals.leave(mark);
            }
            K::Repeat(block, condition) => {
                self.block(block);
                return self.expr(condition);
            }
            K::Block(block) => return self.block(block),
            K::Either(ways) => return ways.iter().for_each(|way| self.block(way)),
            K::Measure(mark) => match self.marks.get(mark.text.as_str()) {
                Some(&id) => self.builder.refer(mark.span, id, Role::Reads),
                None => {
                    let id = self.local(mark, Kind::Label, None);
                    self.marks.insert(&mark.text, id);
                }
            },
            K::Assign(place, value) => {
                self.place(place, Role::Writes);
                self.expr(value);
            }
            K::Write(place) => self.place(place, Role::Writes),
            K::Read(place) | K::Enter(place) | K::Leave(place) => self.place(place, Role::Reads),
            K::Sent(place, value) | K::Received(place, value) => {
                self.place(place, Role::Reads);
                value.iter().for_each(|value| self.expr(value));
            }
            K::If(value, ..)
            | K::While(value, _)
            | K::Return(Some(value))
            | K::Work(Work::Value(value, _))
            | K::Assert(value)
            | K::Evaluate(value) => self.expr(value),
            K::Loop(_) | K::Break | K::Continue | K::Return(None) | K::Work(Work::Decimal(_)) | K::Empty => {}
        }
        statement.kind.for_each_inner(|inner| self.statement(inner));
    }

    fn expr(&mut self, expr: &'m Expr) {
        match &expr.kind {
            ExprKind::Place(place) => self.place(place, Role::Reads),
            ExprKind::Call(name, arguments) => {
                if let Some(&id) = self.globals.get(name.text.as_str()) {
                    self.builder.refer(name.span, id, Role::Reads);
                }
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            ExprKind::Operation(_, place, values) => {
                self.place(place, Role::Writes);
                values.iter().for_each(|value| self.expr(value));
            }
            _ => expr.parts().into_iter().for_each(|part| self.expr(part)),
        }
    }

    fn place(&mut self, place: &'m Place, role: Role) {
        let found =
            self.locals.get(&place.name.text).or_else(|| self.globals.get(place.name.text.as_str()).copied());
        if let Some(id) = found {
            let of_name = if place.field.is_some() { Role::Reads } else { role };
            self.builder.refer(place.name.span, id, of_name);
            if let Some((field, _)) = &place.field
                && let Some(&id) = self.fields.get(&(id, field.text.as_str()))
            {
                self.builder.refer(field.span, id, role);
            }
        }
        place.all_indices().for_each(|index| self.expr(index));
    }
}
