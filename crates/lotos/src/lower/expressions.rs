//! Value expressions to expressions of kernels.
//!
//! Operations of the language are arithmetic. Declared operations on few values are tables in constants; others are functions,
//! whose results are asked for once.

use super::Lowering;
use super::config::Env;
use crate::data::Builtin;
use crate::data::{BOOL, ExpressionId, ExpressionKind, Meaning, OperationId, SortId, SortKind};
use volvelle_diagnostics::Span;
use volvelle_kernel::{BinaryOp, CheckedOp, Const, ExprId, FailKind, Node, Site, Type};
use volvelle_model::{
    Domain, Function, Parameter, SiteInfo, SiteSubject, Sort, SortId as ModelSort, SortValues,
};

/// Entries of a table in constants.
const MOST_ENTRIES: i64 = 1024;
/// Bits of a table in constants.
const MOST_BITS: i64 = 64 * 16;
/// Values of a sort whose names are listed in advance.
const MOST_NAMES: i64 = 4096;

impl Lowering<'_> {
    /// The values of a sort as those of a field or an item.
    pub fn domain(&self, sort: SortId) -> Domain {
        match self.data.bounds(sort) {
            _ if sort == BOOL => Domain::Bool,
            Some((lo, hi)) => Domain::Int { lo, hi },
            None => Domain::Growing { lo: 0, hi: 255 },
        }
    }

    /// A constant.
    pub fn constant(&mut self, sort: SortId, code: i64) -> ExprId {
        match sort {
            BOOL => self.program.exprs.bool(code != 0),
            _ => self.program.exprs.i64(code),
        }
    }

    /// The number of a constant.
    pub fn as_constant(&self, expr: ExprId) -> Option<i64> {
        let constant = self.program.exprs.as_const(expr)?;
        constant.as_bool().map(i64::from).or(constant.as_i64())
    }

    /// The sort of the program for a sort of the specification.
    pub fn model_sort(&mut self, sort: SortId) -> ModelSort {
        if sort == BOOL {
            return ModelSort::BOOLEAN;
        }
        if let Some(&known) = self.model_sorts.get(&sort) {
            return known;
        }
        let values = match self.data.bounds(sort) {
            Some(_) if self.data.is_number(sort) => SortValues::Integers,
            Some((lo, hi)) if hi - lo < MOST_NAMES => {
                SortValues::Names((lo..=hi).map(|code| self.evaluator.value_text(sort, code)).collect())
            }
            _ => SortValues::Terms,
        };
        let made = self.program.sort(Sort { name: self.data.sorts[sort].name.clone(), values });
        self.evaluator.sorts.resize(made.index() + 1, None);
        self.evaluator.sorts[made.index()] = Some(sort);
        self.model_sorts.insert(sort, made);
        made
    }

    fn site(&mut self, span: Span) -> Site {
        let origin = self.origin(span);
        let (kind, subject) = (FailKind::Range, SiteSubject::Expression);
        self.program.site(SiteInfo { kind, subject, origin, command: None })
    }

    /// An expression in an environment. Recursion is as deep as values nest.
    pub fn expression(&mut self, expression: ExpressionId, env: &Env) -> ExprId {
        let data = self.data.clone();
        let node = &data.expressions[expression];
        match &node.kind {
            ExpressionKind::Variable(variable) => env.values[variable],
            ExpressionKind::Number(number) => self.program.exprs.i64(*number),
            ExpressionKind::Apply(operation, operands) => {
                let mut values: Vec<ExprId> = Vec::with_capacity(operands.len());
                for &operand in operands {
                    values.push(self.expression(operand, env));
                    if let Some(decided) = self.decided_by_first(*operation, &values) {
                        return decided;
                    }
                }
                let operands = values;
                self.application(*operation, &operands, node.span)
            }
        }
    }

    /// The value of `and`, `or` and `implies` where the first operand is a constant that decides: the second one is not looked at, as
    /// there may be much of it, for each value of a `choice`.
    fn decided_by_first(&mut self, operation: OperationId, operands: &[ExprId]) -> Option<ExprId> {
        let (Meaning::Builtin(builtin), [first]) = (&self.data.operations[operation].meaning, operands)
        else {
            return None;
        };
        let (deciding, value) = match builtin {
            Builtin::And => (0, false),
            Builtin::Or => (1, true),
            Builtin::Implies => (0, true),
            _ => return None,
        };
        (self.as_constant(*first) == Some(deciding)).then(|| self.program.exprs.bool(value))
    }

    fn application(&mut self, operation: OperationId, operands: &[ExprId], span: Span) -> ExprId {
        let data = self.data.clone();
        let op = &data.operations[operation];
        let is_order_of_terms =
            |builtin| builtin == Builtin::Before && data.bounds(op.arguments[0]).is_none();
        if let Meaning::Builtin(builtin) = op.meaning
            && !is_order_of_terms(builtin)
        {
            return self.builtin(builtin, op.result, operands, span);
        }
        let constants: Option<Vec<i64>> = operands.iter().map(|&operand| self.as_constant(operand)).collect();
        if let Some(constants) = constants {
            return match self.evaluator.apply_operation(operation, &constants) {
                Ok(code) => self.constant(op.result, code),
                Err(reason) => self.failing(op.result, span, reason),
            };
        }
        if let (Meaning::Constructor, Some(made)) = (&op.meaning, self.construct(operation, operands, span)) {
            return made;
        }
        if let Some(table) = self.table(operation, operands) {
            return table;
        }
        let function = match self.functions.get(&operation) {
            Some(&function) => function,
            None => {
                let result = self.model_sort(op.result);
                let parameter = |&sort: &SortId| match data.bounds(sort) {
                    Some((lo, hi)) => Parameter::Range { lo, hi },
                    None => Parameter::Term,
                };
                let parameters = op.arguments.iter().map(parameter).collect();
                let function = Function { name: op.name.clone(), parameters, result };
                let function = self.program.function(function);
                self.evaluator.functions.push(operation);
                self.functions.insert(operation, function);
                function
            }
        };
        let origin = self.origin(span);
        self.program.apply(function, operands, origin, None)
    }

    /// Fails where it is evaluated.
    fn failing(&mut self, sort: SortId, span: Span, reason: String) -> ExprId {
        let site = self.site(span);
        self.reasons.insert(site, reason);
        let zero = self.program.exprs.i64(0);
        let failing = self.program.exprs.add(Node::Range { arg: zero, lo: 1, hi: 1, site });
        if sort == BOOL { self.program.exprs.convert(Type::Bool, failing) } else { failing }
    }

    fn builtin(&mut self, builtin: Builtin, result: SortId, operands: &[ExprId], span: Span) -> ExprId {
        let a = operands[0];
        let b = *operands.get(1).unwrap_or(&a);
        let e = &mut self.program.exprs;
        let compare = |op| (Some(op), false);
        let (op, _) = match builtin {
            Builtin::Not => return e.not(a),
            Builtin::And => return e.and(a, b),
            Builtin::Or => return e.or(a, b),
            Builtin::Implies => {
                let not = e.not(a);
                return e.or(not, b);
            }
            Builtin::Equal | Builtin::Iff => compare(BinaryOp::Eq),
            Builtin::Different | Builtin::Xor => compare(BinaryOp::Ne),
            Builtin::Before => {
                let (a, b) = (e.convert(Type::I64, a), e.convert(Type::I64, b));
                return e.binary(BinaryOp::Lt, a, b);
            }
            Builtin::Less => compare(BinaryOp::Lt),
            Builtin::LessEqual => compare(BinaryOp::Le),
            Builtin::Greater => compare(BinaryOp::Gt),
            Builtin::GreaterEqual => compare(BinaryOp::Ge),
            Builtin::Min => compare(BinaryOp::Min),
            Builtin::Max => compare(BinaryOp::Max),
            _ => (None, true),
        };
        if let Some(op) = op {
            return e.binary(op, a, b);
        }
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(b)) {
            let (lo, hi) = self.data.bounds(result).unwrap_or((i64::MIN, i64::MAX));
            return match builtin.apply(x, y).filter(|&value| value >= lo && value <= hi) {
                Some(value) => self.constant(result, value),
                None => {
                    let reason = format!("the value is outside of {lo}..{hi}");
                    self.failing(result, span, reason)
                }
            };
        }
        let site = self.site(span);
        let e = &mut self.program.exprs;
        let one = e.i64(1);
        let value = match builtin {
            // Operands are at most 32 bits long, so that 64 do not overflow.
            Builtin::Add => e.binary(BinaryOp::Add, a, b),
            Builtin::Sub => e.binary(BinaryOp::Sub, a, b),
            Builtin::Mul => e.binary(BinaryOp::Mul, a, b),
            Builtin::Successor => e.binary(BinaryOp::Add, a, one),
            Builtin::Predecessor => e.binary(BinaryOp::Sub, a, one),
            Builtin::Negate => {
                let zero = e.i64(0);
                e.binary(BinaryOp::Sub, zero, a)
            }
            Builtin::Div => e.checked(CheckedOp::Div, a, b, site),
            Builtin::Mod => e.checked(CheckedOp::Mod, a, b, site),
            Builtin::Power => e.checked(CheckedOp::Pow, a, b, site),
            _ => a,
        };
        let Some((lo, hi)) = self.data.bounds(result) else { return value };
        let is_inside = lo == 0 && matches!(builtin, Builtin::Div | Builtin::Mod);
        if is_inside { value } else { self.program.exprs.add(Node::Range { arg: value, lo, hi, site }) }
    }

    /// A constructor of a finite sort is arithmetic.
    fn construct(&mut self, constructor: OperationId, operands: &[ExprId], span: Span) -> Option<ExprId> {
        let data = self.data.clone();
        let sort = data.operations[constructor].result;
        match data.sorts[sort].kind {
            SortKind::Numeral { hi, .. } => {
                let one = self.program.exprs.i64(1);
                let next = self.program.exprs.binary(BinaryOp::Add, operands[0], one);
                let site = self.site(span);
                Some(self.program.exprs.add(Node::Range { arg: next, lo: 0, hi, site }))
            }
            SortKind::Finite { .. } => {
                let first = data.values_before(constructor)?;
                let code = self.index(&data.operations[constructor].arguments, operands)?;
                let first = self.program.exprs.i64(first);
                Some(self.program.exprs.binary(BinaryOp::Add, first, code))
            }
            _ => None,
        }
    }

    /// The number of a list of values of finite sorts.
    fn index(&mut self, sorts: &[SortId], operands: &[ExprId]) -> Option<ExprId> {
        let mut code = self.program.exprs.i64(0);
        for (&sort, &operand) in sorts.iter().zip(operands) {
            let (lo, hi) = self.data.bounds(sort)?;
            let e = &mut self.program.exprs;
            let operand = e.convert(Type::I64, operand);
            let (size, lo) = (e.i64(hi - lo + 1), e.i64(lo));
            let offset = e.binary(BinaryOp::Sub, operand, lo);
            let scaled = e.binary(BinaryOp::Mul, code, size);
            code = e.binary(BinaryOp::Add, scaled, offset);
        }
        Some(code)
    }

    /// An operation by a table in constants, where that is small and complete.
    fn table(&mut self, operation: OperationId, operands: &[ExprId]) -> Option<ExprId> {
        let data = self.data.clone();
        let op = &data.operations[operation];
        let (lo, hi) = data.bounds(op.result)?;
        let mut entries: i64 = 1;
        let mut open: Vec<(SortId, ExprId)> = Vec::new();
        let mut fixed: Vec<Option<i64>> = Vec::new();
        for (&sort, &operand) in op.arguments.iter().zip(operands) {
            let constant = self.as_constant(operand);
            fixed.push(constant);
            if constant.is_none() {
                let (lo, hi) = data.bounds(sort)?;
                entries = entries.checked_mul(hi - lo + 1)?;
                open.push((sort, operand));
            }
        }
        let bits = 64 - ((hi - lo) as u64).leading_zeros().min(63);
        let bits = i64::from(bits.max(1).next_power_of_two());
        if entries > MOST_ENTRIES || entries * bits > MOST_BITS {
            return None;
        }
        let key = (operation, fixed.clone());
        let words = match self.tables.get(&key) {
            Some(words) => words.clone(),
            None => {
                let words = self.tabulate(operation, &fixed, entries, bits, lo);
                self.tables.insert(key, words.clone());
                words
            }
        };
        let words = words?;
        let (sorts, operands): (Vec<SortId>, Vec<ExprId>) = open.into_iter().unzip();
        let index = self.index(&sorts, &operands)?;
        let e = &mut self.program.exprs;
        let index = e.convert(Type::U64, index);
        let per_word = 64 / bits as u64;
        let (shift, mask) = (e.u64(u64::from(per_word.trailing_zeros())), e.u64(per_word - 1));
        let at = e.binary(BinaryOp::Shr, index, shift);
        let within = e.binary(BinaryOp::BitAnd, index, mask);
        let mut level: Vec<ExprId> = words.iter().map(|&word| e.constant(Const::u64(word))).collect();
        // A tree of choices between neighbours, by the bits of the number of the word.
        let mut bit = 0;
        while level.len() > 1 {
            let amount = e.u64(bit);
            let one = e.u64(1);
            let shifted = e.binary(BinaryOp::Shr, at, amount);
            let low = e.binary(BinaryOp::BitAnd, shifted, one);
            let is_odd = e.convert(Type::Bool, low);
            let pairs = level.chunks(2).map(|pair| match pair {
                &[even, odd] if even != odd => e.select(is_odd, odd, even),
                pair => pair[0],
            });
            level = pairs.collect();
            bit += 1;
        }
        let (width, all) = (e.u64(bits as u64), e.u64(if bits == 64 { !0 } else { (1 << bits) - 1 }));
        let amount = e.binary(BinaryOp::Mul, within, width);
        let shifted = e.binary(BinaryOp::Shr, level[0], amount);
        let code = e.binary(BinaryOp::BitAnd, shifted, all);
        if op.result == BOOL {
            return Some(e.convert(Type::Bool, code));
        }
        let code = e.convert(Type::I64, code);
        let lo = e.i64(lo);
        Some(e.binary(BinaryOp::Add, code, lo))
    }

    /// The words of a table; `None` where the operation has no value for some operands.
    fn tabulate(
        &mut self,
        operation: OperationId,
        fixed: &[Option<i64>],
        entries: i64,
        bits: i64,
        lo: i64,
    ) -> Option<Vec<u64>> {
        let data = self.data.clone();
        let sorts = &data.operations[operation].arguments;
        let per_word = 64 / bits;
        let mut words = vec![0u64; (entries as u64).div_ceil(per_word as u64) as usize];
        for index in 0..entries {
            let mut left = index;
            let mut operands = vec![0; sorts.len()];
            for (k, &sort) in sorts.iter().enumerate().rev() {
                operands[k] = match fixed[k] {
                    Some(code) => code,
                    None => {
                        let (lo, hi) = data.bounds(sort)?;
                        let size = hi - lo + 1;
                        let code = lo + left % size;
                        left /= size;
                        code
                    }
                };
            }
            let code = self.evaluator.apply_operation(operation, &operands).ok()?;
            words[(index / per_word) as usize] |= ((code - lo) as u64) << (bits * (index % per_word));
        }
        Some(words)
    }
}
