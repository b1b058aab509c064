//! `d_step`: statements without others in between, of which the first alternative that is possible is the only one.

use super::{Around, Type, Variable, Writer};

impl Writer<'_, '_> {
    pub(super) fn d_step(&mut self, around: Around) {
        // SPIN refuses jumps to a `d_step`, and takes the end of a loop for one.
        if self.out.ends_with("};\n") || self.out.ends_with("od;\n") {
            self.line(around, "_pid >= 0;");
        }
        self.line(around, "d_step {");
        let inner = Around { in_d_step: true, in_loop: false, ..around.inner() };
        self.no_remote = true;
        match self.below(6) {
            0..=1 => {
                let guard = self.condition(1);
                self.line(inner, &format!("{guard};"));
            }
            2 => self.exchange(inner, true),
            3 => self.taken_message(inner),
            _ => {}
        }
        self.sequence(inner);
        self.no_remote = false;
        self.line(around, "};");
    }

    /// A statement that only a `d_step` has inside of it; nothing there may block, but it is an error in both tools.
    pub(super) fn inside_d_step(&mut self, around: Around) {
        match self.below(6) {
            0..=1 => self.exchange(around, false),
            2 if around.depth > 0 => {
                let begin = self.choices.pick(&["d_step {", "atomic {"]);
                self.block(around, begin, "};");
            }
            3 if !around.in_inline => self.skipped(around),
            4 if self.has_fixed_inline => {
                let plain = |v: &Variable| v.length.is_none() && v.ty != Type::Mtype;
                match self.place(plain) {
                    Some((name, _)) => self.line(around, &format!("fixed({name});")),
                    None => self.assignment(around),
                }
            }
            _ => self.assignment(around),
        }
    }

    /// An inline whose statements may stand in a `d_step`.
    pub(super) fn fixed_inline(&mut self) {
        let top = Around::default();
        self.line(top, "inline fixed(left) {");
        let mark = self.variables.len();
        self.variables.push(Variable { name: "left".into(), ty: Type::Byte, length: None });
        (self.fuel, self.no_remote) = (2, true);
        self.sequence(Around { depth: 1, indent: 1, in_inline: true, in_d_step: true, no_else: true, ..top });
        self.no_remote = false;
        self.variables.truncate(mark);
        self.line(top, "}");
        self.has_fixed_inline = true;
    }

    /// Sends to a channel that has room, or receives from one that has a message; `first` in a `d_step` without asking before.
    fn exchange(&mut self, around: Around, first: bool) {
        let (kept, is_buffer) =
            (self.channels.clone(), |c: &super::Channel| c.capacity.is_some_and(|c| c > 0));
        self.channels.retain(is_buffer);
        if self.channels.is_empty() {
            self.assignment(around);
        } else {
            let sends = self.one_in(2);
            let text = if sends { self.send() } else { self.receive() };
            let may_wait = first || self.one_in(8);
            match text.split(['!', '?']).next() {
                Some(name) if !may_wait => {
                    let name = name.trim();
                    let is_it = |c: &&super::Channel| name.split('[').next() == Some(&c.name);
                    let room = self.channels.iter().find(is_it).and_then(|c| c.capacity).unwrap_or(1);
                    // SPIN refuses `else` beside `nfull` and `nempty`.
                    let ask = if sends { format!("< {room}") } else { "> 0".into() };
                    self.line(around, "if");
                    self.line(around, &format!(":: len({name}) {ask} -> {text}"));
                    self.line(around, ":: else");
                    self.line(around, "fi;");
                }
                _ => self.line(around, &format!("{text};")),
            }
        }
        self.channels = kept;
    }

    /// A rendezvous with which a `d_step` begins.
    fn taken_message(&mut self, around: Around) {
        let kept = self.channels.clone();
        self.channels.retain(|c| c.capacity == Some(0));
        if self.channels.is_empty() {
            self.line(around, "_pid >= 0;");
        } else {
            let text = self.receive();
            self.line(around, &format!("{text};"));
        }
        self.channels = kept;
    }

    /// A jump over a statement.
    fn skipped(&mut self, around: Around) {
        let label = self.name("D");
        let condition = self.comparison(1);
        self.line(around, &format!("if :: {condition} -> goto {label} :: else fi;"));
        self.assignment(around);
        self.line(around, &format!("{label}:"));
        self.assignment(around);
    }

    /// A loop that ends.
    pub(super) fn bounded(&mut self, around: Around) {
        let fits = |v: &Variable| v.length.is_none() && v.ty == Type::Byte && !v.name.contains('.');
        let Some((name, _)) = self.place(fits) else {
            return self.assignment(around);
        };
        self.line(around, &format!("{name} = 0;"));
        self.line(around, "do");
        self.line(around, &format!(":: {name} < 3 ->"));
        // Nothing inside may set it back.
        let inner = around.inner();
        let kept = std::mem::take(&mut self.variables);
        self.variables = kept.iter().filter(|v| v.name != name).cloned().collect();
        if !self.variables.is_empty() {
            let depth = Around { depth: 0, ..inner };
            self.simple(depth);
            if self.one_in(3) {
                let condition = self.comparison(1);
                self.line(inner, &format!("if :: {condition} -> break :: else fi;"));
            }
        }
        self.variables = kept;
        self.line(inner, &format!("{name}++;"));
        self.line(around, ":: else -> break;");
        self.line(around, "od;");
    }
}
