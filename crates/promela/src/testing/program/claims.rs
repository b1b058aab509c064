//! Claims: formulas of linear temporal logic over global variables and channels.

use super::{Around, Type, Writer};

impl Writer<'_, '_> {
    /// A claim that every run must satisfy.
    pub(super) fn claim(&mut self) {
        // SPIN takes minutes to translate some of the deeper ones.
        let formula = self.formula(2);
        self.line(Around::default(), &format!("ltl claim {{ {formula} }}"));
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
