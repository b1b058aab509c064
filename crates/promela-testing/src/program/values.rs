//! Expressions and assignments.

use super::{Around, Type, Variable, Writer};

impl Writer<'_, '_> {
    /// A variable that passes a test, as code names it.
    pub(super) fn place(&mut self, fits: impl Fn(&Variable) -> bool) -> Option<(String, Type)> {
        let candidates: Vec<Variable> = self.variables.iter().filter(|v| fits(v)).cloned().collect();
        if candidates.is_empty() {
            return None;
        }
        let at = self.below(candidates.len());
        let variable = &candidates[at];
        let Some(length) = variable.length else { return Some((variable.name.clone(), variable.ty)) };
        let index = match self.below(4) {
            0 => (length - 1).to_string(),
            1 => format!("_pid % {length}"),
            2 => {
                let unsigned = |v: &&Variable| {
                    v.length.is_none() && matches!(v.ty, Type::Byte | Type::Bit | Type::Unsigned)
                };
                match self.variables.iter().rev().find(unsigned) {
                    Some(v) => format!("{} % {length}", v.name),
                    None => "0".into(),
                }
            }
            _ => "0".into(),
        };
        Some((format!("{}[{index}]", variable.name), variable.ty))
    }

    /// A value that is read from a variable.
    fn atom(&mut self) -> String {
        match self.below(12) {
            0..=2 => self.below(4).to_string(),
            3 => "_pid".into(),
            4 if self.one_in(3) && !self.features.claims => "_nr_pr".into(),
            5 if self.one_in(8) => "_last".into(),
            6 if !self.channels.is_empty() => {
                let channel = self.any_channel().0;
                format!("len({channel})")
            }
            7 if self.one_in(2) => self.remote_variable(),
            _ => self.place(|_| true).map_or("1".into(), |(text, _)| text),
        }
    }

    /// A number.
    pub(super) fn number(&mut self, depth: usize) -> String {
        let before = std::mem::replace(&mut self.no_questions, true);
        let text = self.arithmetic(depth);
        self.no_questions = before;
        text
    }

    fn arithmetic(&mut self, depth: usize) -> String {
        if depth == 0 || self.one_in(3) {
            return self.atom();
        }
        let depth = depth - 1;
        match self.below(14) {
            0..=4 => {
                let op = self.choices.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {op} {})", self.number(depth), self.number(depth))
            }
            5 => {
                let op = self.choices.pick(&["/", "%"]);
                let by = 1 + self.below(4);
                format!("({} {op} {by})", self.number(depth))
            }
            6 => {
                let op = self.choices.pick(&["<<", ">>"]);
                let by = self.below(4);
                format!("({} {op} {by})", self.number(depth))
            }
            7 => format!("(-{})", self.atom()),
            8 => format!("(~{})", self.atom()),
            9 => format!("({} -> {} : {})", self.condition(depth), self.number(depth), self.number(depth)),
            10 => format!("({})", self.condition(depth)),
            _ => self.atom(),
        }
    }

    /// A number whose values are few.
    pub(super) fn small(&mut self, depth: usize) -> String {
        if self.one_in(2) {
            return self.below(3).to_string();
        }
        let by = 2 + self.below(2);
        format!("({}) % {by}", self.number(depth))
    }

    /// A condition.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.one_in(4) {
            let depth = depth - 1;
            return match self.below(3) {
                0 => format!("({} && {})", self.condition(depth), self.condition(depth)),
                1 => format!("({} || {})", self.condition(depth), self.condition(depth)),
                _ => format!("(!({}))", self.comparison(depth)),
            };
        }
        match self.below(12) {
            0 if !self.channels.is_empty() && !self.no_questions => self.question(),
            1 if !self.channels.is_empty() && !self.no_questions => self.poll(),
            2 => self.remote_label(),
            3 => self.place(|_| true).map_or("_pid >= 0".into(), |(text, _)| text),
            _ => self.comparison(depth),
        }
    }

    pub(super) fn comparison(&mut self, depth: usize) -> String {
        if self.has_mtype
            && self.one_in(4)
            && let Some((name, _)) = self.place(|v| v.ty == Type::Mtype)
        {
            let op = self.choices.pick(&["==", "!="]);
            let value = self.mtype_name();
            return format!("{name} {op} {value}");
        }
        let op = self.choices.pick(&["<", "<=", ">", ">=", "==", "!="]);
        format!("{} {op} {}", self.number(depth), self.number(depth.min(1)))
    }

    pub(super) fn mtype_name(&mut self) -> &'static str {
        self.choices.pick(&["red", "green", "blue"])
    }

    /// Whether a known process is at its label, asked only where it is there.
    fn remote_label(&mut self) -> String {
        // SPIN requires that the process type is declared before.
        let met: Vec<(usize, usize)> = self.known.iter().copied().filter(|k| k.1 < self.process).collect();
        if met.is_empty() || self.labels.is_empty() || self.no_remote || self.features.claims {
            // SPIN leaves out some of several steps that do nothing.
            return "_pid >= 0".into();
        }
        let at = self.below(met.len());
        let (number, process) = met[at];
        // Without a number it is the only one of its type.
        let is_only = self.processes[process].active == 1 && !self.dynamic;
        let which = if is_only && self.one_in(3) { String::new() } else { format!("[{number}]") };
        format!("(_nr_pr > {number} && P{process}{which}@L{process}_0)")
    }

    /// A parameter of a known process.
    fn remote_variable(&mut self) -> String {
        let with_parameter: Vec<(usize, usize)> =
            self.known.iter().copied().filter(|&(_, p)| p <= self.process).collect();
        let has_parameter = |p: usize| self.processes.get(p).is_some_and(|p| !p.parameters.is_empty());
        let with_parameter: Vec<(usize, usize)> =
            with_parameter.into_iter().filter(|k| has_parameter(k.1)).collect();
        if with_parameter.is_empty() || self.no_remote || self.features.claims {
            return "2".into();
        }
        let at = self.below(with_parameter.len());
        let (number, process) = with_parameter[at];
        format!("(_nr_pr > {number} -> P{process}[{number}]:p0 : 3)")
    }

    /// An assignment, an increment or the like.
    pub(super) fn assignment(&mut self, around: Around) {
        let Some((name, ty)) = self.place(|_| true) else {
            return self.line(around, "skip;");
        };
        let text = match (ty, self.below(10)) {
            // SPIN's verifier does not cut what it stores in arrays of bits.
            (Type::Bit | Type::Bool, _) if name.contains('[') && !name.contains('.') => {
                format!("{name} = ({}) & 1", self.number(1))
            }
            (Type::Mtype, _) => format!("{name} = {}", self.mtype_name()),
            (_, 0) if ty.is_small() => format!("{name}++"),
            (_, 1) if ty.is_small() => format!("{name}--"),
            (_, 0) if !around.in_inline => format!("STEP({name})"),
            // A value that does not fit into the type.
            (_, 2) => {
                let big = self.choices.pick(&["255", "32767", "65535", "2147483647", "-129", "-32769"]);
                let plus = self.below(3);
                if plus == 2 {
                    format!("{name} = {big} + ({} & 1)", self.atom())
                } else {
                    format!("{name} = {big} + {plus}")
                }
            }
            (_, 3) => match self.place(|v| v.ty != Type::Mtype) {
                Some((other, _)) => format!("{name} = {other}"),
                None => format!("{name} = 1"),
            },
            _ => format!("{name} = {}", self.small(2)),
        };
        self.line(around, &format!("{text};"));
    }
}
