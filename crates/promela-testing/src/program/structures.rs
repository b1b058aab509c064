//! Structures: their types and variables, and messages that contain them.

use super::{Around, Channel, Type, Variable, Writer};

impl Writer<'_, '_> {
    /// A type of structures and variables of it, whose members are what code names.
    pub(super) fn structure(&mut self) {
        let top = Around::default();
        let tail = if self.one_in(2) { "bool c" } else { "unsigned c : 2" };
        let tail_type = if tail.starts_with("bool") { Type::Bool } else { Type::Unsigned };
        self.line(top, &format!("typedef Pair {{ byte a = 1; short b[2]; {tail} }};"));
        self.pair_tail = Some(tail_type);
        let index = self.index();
        self.members("s", tail_type);
        if self.one_in(2) {
            self.line(top, "typedef Nest { Pair p[2]; byte d };");
            self.line(top, "Pair s; Nest n[2];");
            let inner = format!("n[{index}].p[1]");
            for name in ["n[1].p[0].a", "n[0].p[1].c", "n[1].d", &format!("{inner}.a"), "n[_pid % 2].d"] {
                let ty = if name.ends_with('c') { tail_type } else { Type::Byte };
                self.variables.push(Variable { name: name.into(), ty, length: None });
            }
            self.variables.push(Variable { name: "n[0].p[1].b".into(), ty: Type::Short, length: Some(2) });
            self.pairs.extend([inner, format!("n[0].p[{index}]")]);
        } else {
            self.line(top, "Pair s;");
        }
    }

    /// A structure of a process.
    pub(super) fn declare_structure(&mut self, around: Around) {
        let Some(tail) = self.pair_tail else { return };
        let name = self.name("t");
        self.line(around, &format!("Pair {name};"));
        self.members(&name, tail);
    }

    fn members(&mut self, name: &str, tail: Type) {
        let members = [("a", Type::Byte, None), ("b", Type::Short, Some(2)), ("c", tail, None)];
        for (member, ty, length) in members {
            self.variables.push(Variable { name: format!("{name}.{member}"), ty, length });
        }
        self.pairs.push(name.to_owned());
    }

    /// The number of one of two elements.
    fn index(&mut self) -> String {
        let is_natural =
            |v: &&Variable| v.length.is_none() && matches!(v.ty, Type::Byte | Type::Bit | Type::Unsigned);
        match self.variables.iter().find(is_natural).map(|v| v.name.clone()) {
            Some(name) if self.one_in(2) => format!("{name} % 2"),
            _ => "_pid % 2".into(),
        }
    }

    /// Puts a structure at the end of the messages of a channel, or in place of all other parts; tells where it begins.
    pub(super) fn structure_in_messages(
        &mut self,
        prefix: &str,
        fields: &mut Vec<Type>,
        types: &mut String,
    ) -> Option<usize> {
        // SPIN refuses parts with a number of bits.
        let tail = self.pair_tail.filter(|&tail| prefix == "q" && tail == Type::Bool)?;
        if self.features.traces || !self.one_in(2) {
            return None;
        }
        let is_alone = self.one_in(2);
        fields.truncate(usize::from(!is_alone));
        *types = if is_alone { "Pair".into() } else { format!("{}, Pair", fields[0].text()) };
        let at = fields.len();
        fields.extend([Type::Byte, Type::Short, Type::Short, tail]);
        Some(at)
    }

    /// The parts of a message: a structure as a whole, or each by itself.
    pub(super) fn parts(
        &mut self,
        channel: &Channel,
        mut part: impl FnMut(&mut Self, Type, &[String]) -> String,
    ) -> Vec<String> {
        let mut parts = Vec::new();
        let whole = channel.structure_at.filter(|_| !self.pairs.is_empty() && self.one_in(2));
        for (i, &ty) in channel.fields.iter().enumerate() {
            match whole {
                Some(at) if i == at => {
                    let pick = self.below(self.pairs.len());
                    parts.push(self.pairs[pick].clone());
                }
                Some(at) if i > at => {}
                _ => {
                    let text = part(self, ty, &parts);
                    parts.push(text);
                }
            }
        }
        parts
    }

    /// `for` over the messages of a channel, if there is one of structures alone; whether there was.
    pub(super) fn for_messages(&mut self, around: Around) -> bool {
        let fits = |c: &&Channel| {
            c.structure_at == Some(0) && c.length.is_none() && c.capacity.is_some_and(|capacity| capacity > 0)
        };
        let Some(channel) = self.channels.iter().find(fits).map(|c| c.name.clone()) else { return false };
        let plain: Vec<String> = self.pairs.iter().filter(|p| !p.contains('[')).cloned().collect();
        if plain.is_empty() {
            return false;
        }
        let at = self.below(plain.len());
        self.line(around, &format!("for ({} in {channel}) {{", plain[at]));
        self.sequence(Around { in_loop: true, ..around }.inner().later());
        self.line(around, "};");
        true
    }
}
