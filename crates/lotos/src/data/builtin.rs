//! What is part of the language: truth values, numbers, and equality on every sort.

use super::{BOOL, Builtin, Data, INT, Meaning, NAT, Operation, Ranges, SortId, SortKind};

impl Builtin {
    /// The value on numbers and truth values (0 and 1), before its range is checked; `None` where it has none. `Equal`,
    /// `Different` and `Before` compare whatever is numbered.
    pub fn apply(self, a: i64, b: i64) -> Option<i64> {
        Some(match self {
            Builtin::Not => i64::from(a == 0),
            Builtin::And => a & b,
            Builtin::Or => a | b,
            Builtin::Xor => a ^ b,
            Builtin::Implies => (1 - a) | b,
            Builtin::Iff => i64::from(a == b),
            Builtin::Add => a.checked_add(b)?,
            Builtin::Sub => a.checked_sub(b)?,
            Builtin::Mul => a.checked_mul(b)?,
            Builtin::Div => a.checked_div(b)?,
            Builtin::Mod if b == 0 => return None,
            // With the sign of the divisor.
            Builtin::Mod => a.checked_rem(b)?.checked_add(b)?.checked_rem(b)?,
            Builtin::Power => a.checked_pow(u32::try_from(b).ok()?)?,
            Builtin::Successor => a.checked_add(1)?,
            Builtin::Predecessor => a.checked_sub(1)?,
            Builtin::Negate => a.checked_neg()?,
            Builtin::Min => a.min(b),
            Builtin::Max => a.max(b),
            Builtin::Less | Builtin::Before => i64::from(a < b),
            Builtin::LessEqual => i64::from(a <= b),
            Builtin::Greater => i64::from(a > b),
            Builtin::GreaterEqual => i64::from(a >= b),
            Builtin::Equal => i64::from(a == b),
            Builtin::Different => i64::from(a != b),
            Builtin::Convert => a,
        })
    }
}

/// Names of types and libraries that need no text: what they declare is part of the language.
pub(crate) const TYPES: &[&str] = &[
    "BOOLEAN",
    "BOOL",
    "X_BOOLEAN",
    "NATURAL",
    "NATURALNUMBER",
    "BASICNATURALNUMBER",
    "NAT",
    "X_NATURAL",
    "INTEGER",
    "INTEGERNUMBER",
    "INT",
    "X_INTEGER",
];

/// The first of [`TYPES`] without numbers.
const WITHOUT_NUMBERS: usize = 3;

/// Whether a type or library is one with numbers.
pub(crate) fn has_numbers(name: &str) -> bool {
    TYPES[WITHOUT_NUMBERS..].contains(&name)
}

impl Data {
    /// The sorts of the language, with constructors and operations that no text declares.
    pub(crate) fn with_builtins(ranges: Ranges) -> Data {
        let mut data = Data::default();
        assert_eq!(data.add_sort("BOOL", None, SortKind::Bool), BOOL);
        assert_eq!(data.add_sort("NAT", None, SortKind::Number { lo: 0, hi: ranges.nat }), NAT);
        let int = SortKind::Number { lo: -ranges.int - 1, hi: ranges.int };
        assert_eq!(data.add_sort("INT", None, int), INT);
        for name in ["FALSE", "TRUE"] {
            let op = data.operation(name, &[], BOOL, Meaning::Constructor);
            data.sorts[BOOL].constructors.push(op);
        }
        data
    }

    fn operation(&mut self, name: &str, arguments: &[SortId], result: SortId, meaning: Meaning) -> usize {
        let (name, arguments) = (name.to_owned(), arguments.to_vec());
        let infix = arguments.len() == 2;
        self.add_operation(Operation { name, shown: None, infix, arguments, result, meaning, span: None })
    }

    /// Adds the operations of the language that the specification does not declare itself.
    pub(crate) fn add_builtin_operations(&mut self) {
        use Builtin::*;
        let mut add = |names: &[&str], arguments: &[SortId], result: SortId, builtin: Builtin| {
            for name in names {
                if self.find(name, arguments, result).is_none() {
                    self.operation(name, arguments, result, Meaning::Builtin(builtin));
                }
            }
        };
        add(&["NOT", "~"], &[BOOL], BOOL, Not);
        for (names, builtin) in [
            (["AND", "ANDTHEN"], And),
            (["AND", "AND_THEN"], And),
            (["OR", "ORELSE"], Or),
            (["OR", "OR_ELSE"], Or),
            (["XOR", "XOR"], Xor),
            (["IMPLIES", "IMPLIES"], Implies),
            (["IFF", "IFF"], Iff),
        ] {
            add(&names, &[BOOL, BOOL], BOOL, builtin);
        }
        for sort in [NAT, INT] {
            let two = [sort, sort];
            for (names, builtin) in [
                (["+", "+"], Add),
                (["-", "-"], Sub),
                (["*", "*"], Mul),
                (["DIV", "/"], Div),
                (["MOD", "REM"], Mod),
                (["**", "^"], Power),
                (["MIN", "MIN"], Min),
                (["MAX", "MAX"], Max),
            ] {
                add(&names, &two, sort, builtin);
            }
            for (names, builtin) in [
                (["<", "LT"], Less),
                (["<=", "LE"], LessEqual),
                ([">", "GT"], Greater),
                ([">=", "GE"], GreaterEqual),
            ] {
                add(&names, &two, BOOL, builtin);
            }
            add(&["SUCC"], &[sort], sort, Successor);
            add(&["PRED"], &[sort], sort, Predecessor);
        }
        add(&["-"], &[INT], INT, Negate);
        add(&["INT"], &[NAT], INT, Convert);
        add(&["NAT"], &[INT], NAT, Convert);
        for sort in 0..self.sorts.len() {
            for (names, builtin) in
                [(["==", "EQ"], Equal), (["<>", "NE"], Different), (["$<$", "$<$"], Before)]
            {
                for name in names {
                    if self.find(name, &[sort, sort], BOOL).is_none() {
                        self.operation(name, &[sort, sort], BOOL, Meaning::Builtin(builtin));
                    }
                }
            }
        }
    }
}
