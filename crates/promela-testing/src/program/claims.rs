//! Claims over global variables and channels: formulas of linear temporal logic, and automata.

use super::{Around, Type, Writer};

impl Writer<'_, '_> {
    /// A claim that every run must satisfy.
    pub(super) fn claim(&mut self) {
        if self.one_in(3) {
            return self.never();
        }
        // SPIN takes minutes to translate some of the deeper ones.
        let formula = self.formula(2);
        self.line(Around::default(), &format!("ltl claim {{ {formula} }}"));
    }

    /// An automaton; the end of its text is the violation of a safety property.
    fn never(&mut self) {
        let (top, inner) = (Around::default(), Around { indent: 1, ..Around::default() });
        let count = 2 + self.below(3);
        let names: Vec<String> = (0..count)
            .map(|i| if i > 0 && self.one_in(2) { format!("accept_S{i}") } else { format!("S{i}") })
            .collect();
        self.line(top, "never claim {");
        for (i, name) in names.iter().enumerate() {
            self.line(top, &format!("{name}:"));
            self.line(inner, "if");
            for _ in 0..1 + self.below(3) {
                let target = self.below(count);
                let target = names[target].clone();
                let proposition = self.proposition();
                self.line(inner, &format!(":: {proposition} -> goto {target}"));
            }
            match self.below(4) {
                0 => self.line(inner, &format!(":: else -> goto {name}")),
                1 => self.line(inner, &format!(":: true -> goto {name}")),
                2 if i + 1 == count => {
                    let proposition = self.proposition();
                    self.line(inner, &format!(":: {proposition}"));
                }
                _ => {}
            }
            self.line(inner, "fi;");
        }
        self.line(top, "}");
    }

    fn formula(&mut self, depth: usize) -> String {
        if depth == 0 || self.one_in(6) {
            return self.proposition();
        }
        let depth = depth - 1;
        match self.below(12) {
            0..=2 => format!("([] {})", self.formula(depth)),
            3..=5 => format!("(<> {})", self.formula(depth)),
            6 => format!("(! {})", self.formula(depth)),
            _ => {
                let op = self.choices.pick(&["&&", "||", "->", "<->", "U", "V", "W"]);
                format!("({} {op} {})", self.formula(depth), self.formula(depth))
            }
        }
    }

    fn proposition(&mut self) -> String {
        if !self.channels.is_empty() && self.one_in(4) {
            let name = self.any_channel().0.replace("_pid % 2", "0");
            // SPIN refuses `empty` and the like in formulas.
            let op = self.choices.pick(&[">", "=="]);
            return format!("(len({name}) {op} {})", self.below(2));
        }
        let found = self.place(|v| v.ty != Type::Mtype && !v.name.contains('%'));
        let name = found.map_or("1".into(), |(name, _)| name.replace("_pid %", "0 %"));
        let op = self.choices.pick(&["==", "!=", ">", "<"]);
        format!("({name} {op} {})", self.below(3))
    }
}
