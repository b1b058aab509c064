//! The state of the construction of a path kernel, which all parts of the code share.

use super::automaton_state::AutomatonState;
use super::curve_state::{self, Curve};
use super::interface::{Shape, param};
use super::location::Place;
use super::plan::Plan;
use super::reads::Reads;
use super::row_state::RowState;
use super::segment_state::Segment;
use super::spent::Spending;
use super::sums::Sums;
use super::translate::{FieldValue, Translator};
use super::weight_tree::Tree;
use crate::importance::Importance;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use volvelle_kernel::{Access, BinaryOp, Block, Buffer, Const, ExprId, Kernel, Local, SiteDecl, Stmt, Type};
use volvelle_model::Domain;
use volvelle_model::interval::Env;
use volvelle_streams::Stream;

/// State of the construction.
pub(super) struct Builder<'a> {
    pub(super) plan: &'a Plan,
    pub(super) shape: Shape,
    pub(super) kernel: Kernel,
    pub(super) stream: Stream,
    pub(super) translator: Translator,
    pub(super) fields: Vec<Local>,
    pub(super) results: Buffer,
    pub(super) status: Buffer,
    pub(super) table: Option<Buffer>,
    /// Set for explicit models.
    pub(super) rows: Option<RowState>,
    pub(super) params: Vec<Local>,
    pub(super) path: Local,
    pub(super) steps: Local,
    /// In the flat shape: whether a path is running.
    pub(super) running: Local,
    /// For each monitor.
    pub(super) values: Vec<Local>,
    pub(super) open: Vec<Local>,
    pub(super) curves: Vec<Option<Curve>>,
    /// By monitor: its sums, if it has bounds on what is spent.
    pub(super) spending: Vec<Option<Spending>>,
    /// Whether no step leaves the state: a constant or `dead_local`.
    pub(super) dead: ExprId,
    pub(super) dead_local: Local,
    /// Everything enabled leads back to the state.
    pub(super) absorbed: Local,
    /// Whether the step changed nothing.
    pub(super) still: Local,
    /// If time matters: when the state was entered, and when it will be left.
    pub(super) now: Local,
    pub(super) then: Local,
    /// The exit rate in units of the weights.
    pub(super) total: ExprId,
    /// Sums of the weights of the combinations; `None` if there are no combinations.
    pub(super) sums: Option<Sums>,
    /// Tables and locals of the automata.
    pub(super) automata: Vec<AutomatonState>,
    /// Locals that hold values only within a group of statements, by name.
    pub(super) scratch: FxHashMap<(String, Type), Local>,
    /// By combination: the values of fields for which its guards hold.
    pub(super) envs: Vec<Option<Env>>,
    /// The fields that expressions read; `None` if this takes too much memory.
    pub(super) reads: Option<Rc<Reads>>,
    /// The location for which code is generated, in code specialised by location.
    pub(super) place: Option<Place>,
    /// The buffer for final values of fields.
    pub(super) ends: Option<Buffer>,
    /// The buffer from which lanes take numbers of paths.
    pub(super) next: Option<Buffer>,
    /// Weights kept between steps.
    pub(super) tree: Option<Rc<Tree>>,
    /// Set if paths are segments.
    pub(super) segment: Option<Segment<'a>>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(plan: &'a Plan, shape: Shape, importance: Option<&'a Importance>) -> Self {
        Self::with_horizons(plan, shape, importance, 0)
    }

    /// A builder whose kernel has `horizons` further parameters, one per horizon.
    pub(super) fn with_horizons(
        plan: &'a Plan,
        shape: Shape,
        importance: Option<&'a Importance>,
        horizons: usize,
    ) -> Self {
        let mut kernel = Kernel::new("paths");
        let params = ["lane", "lanes", "seed", "first", "end"].map(|name| kernel.param(name, Type::U64));
        let mut params = params.to_vec();
        params.push(kernel.param("max_steps", Type::U32));
        params.extend((0..horizons).map(|i| kernel.param(format!("horizon{i}"), Type::F64)));
        let importance = importance.map(|importance| (Segment::params(&mut kernel), importance));
        kernel.sites = plan
            .program
            .sites
            .iter()
            .enumerate()
            .map(|(i, s)| SiteDecl { kind: s.kind, tag: i as u32 })
            .collect();
        let results = kernel.buffer("results", Type::F64, Access::Write);
        let status = kernel.buffer("status", Type::U64, Access::Write);
        let segment =
            importance.map(|(params, importance)| Segment::declare(&mut kernel, params, importance));
        let automata = (0..plan.automata.len())
            .map(|i| AutomatonState {
                steps: kernel.buffer(format!("steps{i}"), Type::U32, Access::Read),
                for_ever: kernel.buffer(format!("for_ever{i}"), Type::U32, Access::Read),
                state: kernel.local(format!("automaton{i}"), Type::U32),
                entry: kernel.local(format!("entry{i}"), Type::U32),
            })
            .collect();
        let table = plan.scheduler.as_ref().map(|_| kernel.buffer("table", Type::U64, Access::Read));
        let curves = curve_state::declare(&mut kernel, plan);
        let rows = plan.rows.as_ref().map(|rows| RowState::declare(&mut kernel, rows));
        let stream = Stream::declare(&mut kernel, plan.generator);
        let mut fields = Vec::new();
        let mut known = Vec::new();
        let in_locals = if rows.is_some() { &[] } else { plan.program.fields.as_slice() };
        for (i, field) in in_locals.iter().enumerate() {
            let values = plan.domain(i);
            let ty = match field.domain {
                Domain::Bool => Type::Bool,
                _ if i32::try_from(values.lo).is_ok() && i32::try_from(values.hi).is_ok() => Type::I32,
                _ => Type::I64,
            };
            let local = kernel.local(format!("v{i}_{}", identifier(&field.name)), ty);
            fields.push(local);
            known.push(FieldValue::Local(local, ty, values));
        }
        let path = kernel.local("path", Type::U64);
        let steps = kernel.local("steps", Type::U32);
        let running = kernel.local("running", Type::Bool);
        let monitors = plan.monitors.all();
        let values = (0..monitors.len()).map(|i| kernel.local(format!("value{i}"), Type::F64)).collect();
        let open = (0..monitors.len()).map(|i| kernel.local(format!("open{i}"), Type::Bool)).collect();
        let spending = (monitors.iter().enumerate())
            .map(|(i, monitor)| Spending::declare(&mut kernel, i, monitor.measure))
            .collect();
        let [dead_local, absorbed, still] =
            ["dead", "absorbed", "still"].map(|name| kernel.local(name, Type::Bool));
        let [now, then] = ["now", "then"].map(|name| kernel.local(name, Type::F64));
        let total = kernel.exprs.i64(0);
        let dead = kernel.exprs.bool(false);
        Builder {
            plan,
            shape,
            kernel,
            stream,
            translator: Translator::new(known),
            fields,
            results,
            status,
            table,
            rows,
            params,
            path,
            steps,
            running,
            values,
            open,
            curves,
            spending,
            dead,
            dead_local,
            absorbed,
            still,
            now,
            then,
            total,
            automata,
            sums: None,
            scratch: FxHashMap::default(),
            envs: vec![None; plan.combinations.len()],
            reads: Reads::new(&plan.program.exprs, plan.program.fields.len()).map(Rc::new),
            place: None,
            ends: None,
            next: None,
            tree: None,
            segment,
        }
    }

    /// Declares the buffer from which lanes take numbers of paths, if they do.
    pub(super) fn claim(&mut self) {
        if self.shape == Shape::Claiming {
            self.next = Some(self.kernel.buffer("next", Type::U32, Access::Write));
        }
    }

    /// Whether deciding a monitor ends the loop over steps at once: there is only one monitor, and a loop.
    pub(super) fn ends_with_its_measure(&self) -> bool {
        !self.shape.is_flat() && self.open.len() == 1
    }

    /// The expression of a field: a local or a constant.
    pub(super) fn field(&mut self, field: usize) -> ExprId {
        match self.translator.field(field) {
            FieldValue::Local(local, ty, _) => self.kernel.exprs.local(local, ty),
            FieldValue::Known(value) => {
                let ty = self.kernel.locals[self.fields[field].index()].ty;
                let constant = if ty == Type::Bool { Const::bool(value != 0) } else { Const::int(ty, value) };
                self.kernel.exprs.constant(constant)
            }
        }
    }

    /// A conjunction; constant if a side is false and nothing before it can fail.
    pub(super) fn both(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        let e = &mut self.kernel.exprs;
        if e.as_const(rhs).and_then(Const::as_bool) == Some(false) && e.is_infallible(lhs) {
            return rhs;
        }
        e.and(lhs, rhs)
    }

    /// A local that is always set before it is read; the same one for the same name and type.
    pub(super) fn temporary(&mut self, name: String, ty: Type) -> Local {
        let key = (name, ty);
        if let Some(&local) = self.scratch.get(&key) {
            return local;
        }
        let local = self.kernel.local(format!("{}_{}", key.0, ty.name()), ty);
        self.scratch.insert(key, local);
        local
    }

    /// The values of fields for which a combination is enabled.
    pub(super) fn env(&mut self, combination: usize) -> &Env {
        let plan = self.plan;
        self.envs[combination].get_or_insert_with(|| {
            let guards = plan.combinations[combination].guards.iter();
            guards.fold(Env::new(&plan.program), |env, &guard| env.assume(&plan.program.exprs, guard))
        })
    }

    /// Ends the path.
    pub(super) fn end(&mut self) -> Block {
        match self.shape {
            Shape::Nested | Shape::Single => vec![Stmt::Break],
            Shape::Flat | Shape::Claiming => {
                let value = self.kernel.exprs.bool(false);
                vec![Stmt::Set { local: self.running, value }]
            }
        }
    }

    /// Counts a step. In the flat shape, gives up a path that has taken too many.
    pub(super) fn count_step(&mut self) -> Block {
        if !self.shape.is_flat() {
            return Vec::new();
        }
        let steps = self.kernel.get(self.steps);
        let most = self.kernel.get(self.params[param::MAX_STEPS]);
        let e = &mut self.kernel.exprs;
        let one = e.constant(Const::int(Type::U32, 1));
        let value = e.binary(BinaryOp::Add, steps, one);
        let too_many = e.binary(BinaryOp::Ge, steps, most);
        let then = self.end();
        vec![Stmt::Set { local: self.steps, value }, Stmt::If { cond: too_many, then, otherwise: vec![] }]
    }

    /// The expression of the kernel for one of the program.
    pub(super) fn expr(&mut self, expr: ExprId) -> ExprId {
        if let Some(marked) = self.marked(expr) {
            return marked;
        }
        self.translator.expr(&mut self.kernel, &self.plan.program.exprs, expr)
    }
}

/// Letters, digits and underscores only.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
