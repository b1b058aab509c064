//! Random expressions of a type. They do not fail: divisors are not zero, exponents small and not negative,
//! ints far from 32 bits.

use super::Choices;

/// Names that an expression may use, by type. Int names stand for values of at most a hundred or so.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub ints: Vec<String>,
    pub doubles: Vec<String>,
    pub bools: Vec<String>,
}

impl Scope {
    /// An int expression. Products have a literal factor, so that values stay small.
    pub fn int(&self, choices: &mut Choices<'_>, depth: u32) -> String {
        if depth == 0 || choices.chance(30) {
            return if self.ints.is_empty() || choices.chance(35) {
                choices.between(0, 4).to_string()
            } else {
                choices.pick(&self.ints).clone()
            };
        }
        let depth = depth - 1;
        match choices.below(11) {
            0 => format!("{}+{}", self.int(choices, depth), self.int(choices, depth)),
            1 => format!("({}-{})", self.int(choices, depth), self.int(choices, depth)),
            2 => format!("({})*{}", self.int(choices, depth), choices.between(0, 3)),
            3 => format!("min({}, {})", self.int(choices, depth), self.int(choices, depth)),
            4 => format!("max({}, {}, 1)", self.int(choices, depth), self.int(choices, depth)),
            5 => format!("mod({}, {})", self.int(choices, depth), choices.between(1, 5)),
            6 => format!("-({})", self.int(choices, depth)),
            7 => format!("floor({})", self.double(choices, depth)),
            8 => format!("ceil({})", self.double(choices, depth)),
            9 => {
                let cond = self.bool(choices, depth);
                format!("({cond} ? {} : {})", self.int(choices, depth), self.int(choices, depth))
            }
            _ => match choices.below(3) {
                0 => format!("round({})", self.double(choices, depth)),
                1 => format!("pow(mod({}, 3), {})", self.int(choices, depth), choices.between(0, 3)),
                _ => format!("func(min, {}, 3)", self.int(choices, depth)),
            },
        }
    }

    /// A double expression.
    pub fn double(&self, choices: &mut Choices<'_>, depth: u32) -> String {
        if depth == 0 || choices.chance(30) {
            return if self.doubles.is_empty() || choices.chance(50) {
                (*choices.pick(&["0.5", "0.25", "1.5", "2.0", "0.1", "3e-1"])).to_owned()
            } else {
                choices.pick(&self.doubles).clone()
            };
        }
        let depth = depth - 1;
        match choices.below(8) {
            0 => format!("{}+{}", self.int(choices, depth), self.double(choices, depth)),
            1 => format!("({}-{})", self.double(choices, depth), self.double(choices, depth)),
            2 => format!("({})*{}", self.double(choices, depth), choices.pick(&["0.5", "2", "1.25"])),
            3 => format!("({})/{}", self.int(choices, depth), choices.pick(&["2", "3", "0.5", "7.0"])),
            4 => format!("({})/(1+max({}, 0))", self.double(choices, depth), self.int(choices, depth)),
            5 => format!("min({}, {})", self.double(choices, depth), self.int(choices, depth)),
            6 => {
                let cond = self.bool(choices, depth);
                format!("({cond} ? {} : {})", self.int(choices, depth), self.double(choices, depth))
            }
            _ => match choices.below(2) {
                0 => format!("pow({}, 2)", self.double(choices, 0)),
                _ => format!("log(1+mod({}, 5), 2)", self.int(choices, depth)),
            },
        }
    }

    /// A condition.
    pub fn bool(&self, choices: &mut Choices<'_>, depth: u32) -> String {
        if depth == 0 || choices.chance(25) {
            return if self.bools.is_empty() || choices.chance(40) {
                self.comparison(choices, 0)
            } else {
                choices.pick(&self.bools).clone()
            };
        }
        let depth = depth - 1;
        match choices.below(9) {
            0 => format!("{} & {}", self.comparison(choices, depth), self.bool(choices, 0)),
            1 => format!("({} | {})", self.bool(choices, depth), self.bool(choices, depth)),
            2 => format!("!({})", self.bool(choices, depth)),
            3 => format!("({} => {})", self.bool(choices, depth), self.bool(choices, depth)),
            4 => format!("({} <=> {})", self.bool(choices, depth), self.bool(choices, depth)),
            5 => format!("(({}) = ({}))", self.bool(choices, depth), self.bool(choices, depth)),
            6 => format!("({} ? {} : true)", self.bool(choices, depth), self.bool(choices, depth)),
            _ => self.comparison(choices, depth),
        }
    }

    fn comparison(&self, choices: &mut Choices<'_>, depth: u32) -> String {
        let op = *choices.pick(&["=", "!=", "<", "<=", ">", ">="]);
        let left = self.int(choices, depth);
        let right = if choices.chance(25) { self.double(choices, depth) } else { self.int(choices, depth) };
        format!("{left}{op}{right}")
    }
}
