//! Calls: ids and barriers, built-in functions, functions of the text, and macros with arguments.

use super::access::Direction;
use super::{Lowerer, Value};
use crate::expression::{Expr, NameId, Op, add, mul};
use crate::kernel::Node;
use tree_sitter::Node as Syntax;

/// Calls nested deeper than this are assumed to be recursive.
const CALL_DEPTH_LIMIT: usize = 24;

impl<'t> Lowerer<'t> {
    pub(super) fn call(&mut self, node: Syntax<'_>) -> Value {
        let Some(function) = node.child_by_field_name("function") else { return Value::Data };
        let mut arguments = Vec::new();
        if let Some(list) = node.child_by_field_name("arguments") {
            let mut cursor = list.walk();
            arguments =
                list.named_children(&mut cursor).filter(|a| a.kind() != "comment").collect::<Vec<_>>();
        }
        let is_type = function.named_child(0).is_some_and(|inner| inner.kind() == "identifier");
        if function.kind() == "parenthesized_expression" && is_type {
            // `(float4)(a, b, c, d)`.
            let mut values: Vec<Value> =
                arguments.iter().map(|argument| self.expression(*argument)).collect();
            return if values.len() == 1 { values.remove(0) } else { Value::Data };
        }
        if function.kind() != "identifier" {
            let help = "give the time of the statement before it: `// volvelle: cost = 20`";
            self.refuse(function, "an indirect call cannot be abstracted", help);
            return Value::Data;
        }
        let name = self.code(function);
        if let Some(value) = self.id(name, node, &arguments) {
            return value;
        }
        if name == "barrier" || name == "work_group_barrier" || name == "sub_group_barrier" {
            self.flush();
            let span = self.span(node);
            self.out.push(Node::Barrier(span));
            return Value::Data;
        }
        if let Some(value) = self.memory(name, node, &arguments) {
            return value;
        }
        if self.cleaned.macros.contains_key(name) {
            return self.macro_call(name, node, &arguments);
        }
        if let Some(at) = self.functions.iter().position(|known| known.name == name) {
            return self.inline(at, node, &arguments);
        }
        let values: Vec<Value> = arguments.iter().map(|argument| self.expression(*argument)).collect();
        if let (Some(op), [Value::Int(a), Value::Int(b)]) = (known_op(name), values.as_slice()) {
            return Value::Int(Expr::binary(op, a.clone(), b.clone()));
        }
        if name == "printf" || name.ends_with("mem_fence") || name == "prefetch" {
            return Value::Data;
        }
        if !is_built_in(name) {
            let help = "give the time of the statement before it: `// volvelle: cost = 20`";
            self.refuse(node, format!("nothing is known of the function `{name}`"), help);
        }
        self.charge.operations += 1;
        Value::Data
    }

    /// Ids and sizes.
    fn id(&mut self, name: &str, node: Syntax<'_>, arguments: &[Syntax<'_>]) -> Option<Value> {
        let dimensions = self.launch.global.len();
        if name == "get_work_dim" {
            return Some(Value::Int(Expr::Int(dimensions as i64)));
        }
        if !matches!(
            name,
            "get_global_id"
                | "get_local_id"
                | "get_group_id"
                | "get_global_size"
                | "get_local_size"
                | "get_num_groups"
                | "get_global_offset"
        ) {
            return None;
        }
        let dimension = arguments.first().map(|argument| self.expression(*argument));
        let Some(Value::Int(Expr::Int(dimension))) = dimension else {
            self.refuse(node, "the dimension is not a constant", "write 0, 1 or 2");
            return Some(Value::Data);
        };
        let at = usize::try_from(dimension).unwrap_or(usize::MAX);
        if at >= dimensions {
            // Dimensions that the launch does not have have size 1.
            return Some(Value::Int(Expr::Int(i64::from(name.contains("size") || name.contains("num")))));
        }
        let (global, local) = (self.launch.global[at].clone(), self.launch.local[at].clone());
        let (global, local) = (self.size_of_launch(&global), self.size_of_launch(&local));
        let dimension = at as u8;
        Some(Value::Int(match name {
            "get_local_id" => Expr::Local(dimension),
            "get_group_id" => Expr::Group(dimension),
            "get_global_id" => add(mul(Expr::Group(dimension), local), Expr::Local(dimension)),
            "get_local_size" => local,
            "get_global_size" => global,
            "get_num_groups" => Expr::binary(Op::Div, global, local),
            _ => Expr::Int(0),
        }))
    }

    fn size_of_launch(&mut self, expr: &Expr) -> Expr {
        // Names in a launch are parameters and sizes, not variables of the kernel.
        let env = std::mem::take(&mut self.env);
        let resolved = self.resolve(expr, 0);
        self.env = env;
        resolved
    }

    /// Functions that access memory.
    fn memory(&mut self, name: &str, node: Syntax<'_>, arguments: &[Syntax<'_>]) -> Option<Value> {
        let lanes = |prefix: &str| name.strip_prefix(prefix)?.parse::<u32>().ok().filter(|n| *n <= 16);
        if let Some(lanes) = lanes("vload").or_else(|| lanes("vstore")) {
            let is_load = name.starts_with("vload");
            let values: Vec<Value> = arguments.iter().map(|argument| self.expression(*argument)).collect();
            let (index, pointer) = match (is_load, values.as_slice()) {
                (true, [index, pointer]) | (false, [_, index, pointer]) => (index.clone(), pointer.clone()),
                _ => return Some(Value::Data),
            };
            // Offsets of a vector access count in vectors.
            let mut place = self.advance(pointer, index, false);
            if let Value::Pointer { bytes, .. } = &mut place {
                *bytes *= lanes.max(1);
            }
            let direction = if is_load { Direction::Load } else { Direction::Store };
            self.access(node, &place, direction);
            return Some(Value::Data);
        }
        if name.starts_with("atomic_") || name.starts_with("atom_") {
            let values: Vec<Value> = arguments.iter().map(|argument| self.expression(*argument)).collect();
            if let Some(pointer) = values.first() {
                let pointer = pointer.clone();
                self.access(node, &pointer, Direction::Both);
            }
            self.charge.operations += 1;
            return Some(Value::Data);
        }
        None
    }

    /// A macro with arguments over whole numbers.
    fn macro_call(&mut self, name: &str, node: Syntax<'_>, arguments: &[Syntax<'_>]) -> Value {
        let Some(known) = self.cleaned.macros.get(name).cloned() else { return Value::Data };
        let values: Vec<Value> = arguments.iter().map(|argument| self.expression(*argument)).collect();
        let parameters = known.arguments.unwrap_or_default();
        // A macro that stands for the name of a function.
        if parameters.is_empty() && is_built_in(&known.body) {
            self.charge.operations += 1;
            return Value::Data;
        }
        let Ok(expr) = crate::expression::parse_c(&known.body, &mut self.names) else {
            let help = "write it as a function, or give the time of the statement: `// volvelle: cost = 4`";
            self.refuse(node, format!("the macro `{name}` is more than an expression over numbers"), help);
            return Value::Data;
        };
        let ids: Vec<NameId> = parameters.iter().map(|parameter| self.names.intern(parameter)).collect();
        let (mut operations, mut is_data) = (0_u32, false);
        let value = expr.replace(&mut |leaf| {
            let Expr::Name(id) = leaf else { return None };
            let at = ids.iter().position(|known| known == id)?;
            match values.get(at) {
                Some(Value::Int(value)) => Some(value.clone()),
                _ => {
                    operations += 1;
                    is_data = true;
                    None
                }
            }
        });
        if is_data {
            self.charge.operations += operations;
            return Value::Data;
        }
        Value::Int(self.resolve(&value, 0))
    }

    /// A function of the text: its body takes the place of the call.
    fn inline(&mut self, at: usize, node: Syntax<'_>, arguments: &[Syntax<'_>]) -> Value {
        let functions = self.functions;
        let function = &functions[at];
        if self.calls.contains(&function.name) || self.calls.len() > CALL_DEPTH_LIMIT {
            let message = format!("`{}` calls itself", function.name);
            self.refuse(node, message, "OpenCL C has no recursion; give the time: `// volvelle: cost = 20`");
            return Value::Data;
        }
        // Each call copies the body: a chain of functions that each call the next one twice would grow
        // exponentially.
        if self.depth + self.calls.len() * 4 > 100 || self.out.len() > 100_000 {
            self.refuse(node, "calls nest too deep", "give the time: `// volvelle: cost = 20`");
            return Value::Data;
        }
        self.inlined += 1;
        if self.inlined > INLINE_LIMIT {
            if self.inlined == INLINE_LIMIT + 1 {
                self.refuse(node, "there are too many calls", "give the time: `// volvelle: cost = 20`");
            }
            return Value::Data;
        }
        let values: Vec<Value> = arguments.iter().map(|argument| self.expression(*argument)).collect();
        let mut inner = Vec::new();
        for (parameter, value) in function.parameters.iter().zip(values) {
            if let Some((name, _)) = self.parameter(*parameter) {
                inner.push((name, value));
            }
        }
        let outer = std::mem::replace(&mut self.env, inner);
        let (nodes, _) = self.function_body(function);
        self.env = outer;
        self.out.extend(nodes);
        Value::Data
    }
}

/// Calls that are inlined, in all.
const INLINE_LIMIT: u32 = 1000;

fn known_op(name: &str) -> Option<Op> {
    match name {
        "min" => Some(Op::Min),
        "max" => Some(Op::Max),
        "mul24" => Some(Op::Mul),
        _ => None,
    }
}

/// Functions of OpenCL C that compute on data.
const BUILT_IN: &[&str] = &[
    "abs",
    "abs_diff",
    "add_sat",
    "hadd",
    "rhadd",
    "clamp",
    "clz",
    "ctz",
    "mad_hi",
    "mad_sat",
    "max",
    "min",
    "mul_hi",
    "rotate",
    "sub_sat",
    "upsample",
    "popcount",
    "mad24",
    "mul24",
    "mad",
    "fma",
    "fabs",
    "fmin",
    "fmax",
    "fmod",
    "floor",
    "ceil",
    "round",
    "rint",
    "trunc",
    "fract",
    "frexp",
    "ldexp",
    "modf",
    "sqrt",
    "rsqrt",
    "cbrt",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "pow",
    "pown",
    "powr",
    "rootn",
    "sin",
    "cos",
    "tan",
    "sincos",
    "sinpi",
    "cospi",
    "tanpi",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "erfc",
    "tgamma",
    "lgamma",
    "hypot",
    "copysign",
    "sign",
    "degrees",
    "radians",
    "mix",
    "step",
    "smoothstep",
    "dot",
    "cross",
    "length",
    "distance",
    "normalize",
    "fast_length",
    "fast_distance",
    "fast_normalize",
    "isnan",
    "isinf",
    "isfinite",
    "isnormal",
    "signbit",
    "isequal",
    "isless",
    "isgreater",
    "any",
    "all",
    "bitselect",
    "select",
    "shuffle",
    "shuffle2",
    "nextafter",
    "remainder",
    "fdim",
    "ilogb",
    "logb",
    "maxmag",
    "minmag",
    "nan",
];

/// Whether the function is one of OpenCL C that computes on data.
fn is_built_in(name: &str) -> bool {
    let prefixes =
        ["native_", "half_", "convert_", "as_", "sub_group_", "work_group_reduce", "work_group_scan"];
    BUILT_IN.contains(&name) || prefixes.iter().any(|prefix| name.starts_with(prefix))
}
