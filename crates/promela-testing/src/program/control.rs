//! Statements: simple and compound ones.

use super::{Around, Type, Writer};

impl Writer<'_, '_> {
    /// The statements of a process, with all of its labels somewhere on the way.
    pub(super) fn body(&mut self, around: Around) {
        let count = 2 + self.below(4);
        let labelled = self.below(count);
        for i in 0..count {
            if i == labelled {
                for label in self.own_labels() {
                    self.line(around, &format!("{label}:"));
                    self.labelled(around);
                }
            }
            if i > 0 && self.one_in(12) {
                self.declare_variable(around, "d");
            }
            self.statement(around);
        }
    }

    /// Some statements in a block of their own names.
    pub(super) fn sequence(&mut self, around: Around) {
        let mark = self.variables.len();
        if !around.in_inline && !around.in_d_step && self.one_in(8) {
            self.declare_variable(around, "b");
        }
        self.unlabelled(around);
        for _ in 0..self.below(3) {
            self.statement(around.later());
        }
        self.variables.truncate(mark);
    }

    /// A statement, perhaps under a label; SPIN wants none at the beginning of a block.
    fn statement(&mut self, around: Around) {
        let may_jump = !around.in_d_step && !around.in_inline;
        if may_jump && self.one_in(16) {
            let prefix = self.choices.pick(&["end", "progress", "accept", "N"]);
            let label = self.name(prefix);
            self.line(around, &format!("{label}:"));
            self.labels.push(label);
            // SPIN refuses jumps that lead nowhere but to themselves.
            return self.labelled(around);
        }
        self.unlabelled(around);
    }

    fn labelled(&mut self, around: Around) {
        // No `d_step`: SPIN refuses jumps to it.
        match self.below(14) {
            0..=3 => self.assignment(around),
            4 => self.choice(around),
            5 => self.repetition(around),
            6 => self.count(around),
            7..=8 => self.block(around, "{", "};"),
            9 if self.inlines > 0 => self.call(around),
            10..=11 => self.long_unless(around),
            12 => self.simple_guard(around, false),
            _ => self.block(around, "atomic {", "};"),
        }
    }

    fn unlabelled(&mut self, around: Around) {
        if around.depth == 0 || self.fuel == 0 {
            return self.simple(around);
        }
        self.fuel -= 1;
        if around.in_d_step && self.one_in(4) {
            return self.inside_d_step(around);
        }
        match self.below(22) {
            0..=8 => self.simple(around),
            9..=10 => self.choice(around),
            11..=12 => self.repetition(around),
            13 => self.count(around),
            14..=15 if !around.in_d_step => self.block(around, "atomic {", "};"),
            16 if !around.in_d_step => self.d_step(around),
            17 if !around.in_d_step => self.unless(around),
            18 if !around.in_inline => self.block(around, "{", "};"),
            19 if self.dynamic && !around.in_d_step && !around.in_inline && !self.features.claims => {
                self.start(around);
            }
            20 if self.carrier && !around.in_d_step && !around.in_inline => self.carried(around),
            21 if self.inlines > 0 && !around.in_d_step => self.call(around),
            _ => self.simple(around),
        }
    }

    pub(super) fn block(&mut self, around: Around, begin: &str, end: &str) {
        self.line(around, begin);
        let in_atomic = around.in_atomic || begin.starts_with("atomic");
        self.sequence(Around { in_atomic, ..around.inner() });
        self.line(around, end);
    }

    /// A statement without others inside.
    pub(super) fn simple(&mut self, around: Around) {
        let may_jump = !around.in_d_step && !around.in_inline && !around.no_jump;
        let has_channels = !self.channels.is_empty();
        if self.features.priorities && self.one_in(5) {
            return self.about_priorities(around);
        }
        let text = match self.below(20) {
            0..=5 => return self.assignment(around),
            6..=8 if has_channels && !around.in_d_step && !around.no_send => self.send(),
            9..=11 if has_channels && !around.in_d_step => self.receive(),
            12..=13 if !around.in_d_step => self.condition(2),
            14 if self.one_in(3) && !self.features.claims => format!("assert({})", self.condition(1)),
            14 if self.one_in(2) => format!("_ = {}", self.number(1)),
            15 if self.has_mtype && self.one_in(3) => format!("printm({})", self.mtype_name()),
            15 => format!("printf(\"%d\\n\", {})", self.number(1)),
            16 if may_jump && self.one_in(2) => {
                let at = self.below(self.labels.len());
                format!("goto {}", self.labels[at])
            }
            17 if around.in_loop && !around.in_d_step && !around.no_jump && self.one_in(2) => "break".into(),
            18 if may_jump && self.one_in(4) => self.timeout(),
            // SPIN leaves out some steps that do nothing.
            19 => "_pid >= 0".into(),
            _ => return self.assignment(around),
        };
        self.line(around, &format!("{text};"));
    }

    /// A change of a priority, or a condition on one.
    fn about_priorities(&mut self, around: Around) {
        let value = 1 + self.below(3);
        let text = match self.below(4) {
            0 => format!("set_priority(0, {value})"),
            1 if !around.in_d_step => format!("get_priority({}) <= {value}", self.below(3)),
            2 if !around.in_d_step => format!("_priority >= {value} || _pid == 0"),
            _ => format!("set_priority(_pid, {value})"),
        };
        self.line(around, &format!("{text};"));
    }

    /// The first statement of an alternative.
    fn guard(&mut self, around: Around, beside_else: bool) {
        if around.depth > 0 && self.fuel > 0 && !around.in_d_step && self.one_in(6) {
            self.fuel -= 1;
            return self.compound(Around { no_else: around.no_else || beside_else, ..around });
        }
        self.simple_guard(around, beside_else);
    }

    /// A statement that others are inside of, or a jump: SPIN offers what it begins with where it stands first.
    fn compound(&mut self, around: Around) {
        match self.below(16) {
            0..=1 => self.choice(around),
            2 => self.repetition(around),
            3 => self.count(around),
            4..=5 => self.block(around, "atomic {", "};"),
            6 => self.d_step(around),
            7 if !around.in_inline => self.block(around, "{", "};"),
            8 if self.inlines > 0 => self.call(around),
            9 if !around.in_inline && !around.no_jump => self.jump(around),
            _ => self.unless(around),
        }
    }

    /// A jump, where one has a meaning.
    fn jump(&mut self, around: Around) {
        if around.in_loop && self.one_in(2) {
            return self.line(around, "break;");
        }
        let at = self.below(self.labels.len());
        let label = self.labels[at].clone();
        self.line(around, &format!("goto {label};"));
    }

    fn simple_guard(&mut self, around: Around, beside_else: bool) {
        let has_channels = !self.channels.is_empty();
        let text = match self.below(10) {
            _ if beside_else => {
                let number = self.number(1);
                format!("{number} != {}", self.number(1))
            }
            0 if has_channels && !around.in_d_step && !around.no_send => self.send(),
            1 if has_channels && !around.in_d_step => self.receive(),
            2 if !around.in_d_step && !around.in_inline && self.one_in(3) => self.timeout(),
            3 if self.one_in(2) => "true".into(),
            _ => self.condition(2),
        };
        self.line(around, &format!("{text} ->"));
    }

    /// Waits until nothing else is possible, or for that as well as a condition.
    fn timeout(&mut self) -> String {
        match self.below(6) {
            0 => format!("(timeout && {})", self.comparison(1)),
            1 => format!("(timeout || {})", self.comparison(1)),
            2 => format!("(!timeout && {})", self.comparison(1)),
            _ => "timeout".into(),
        }
    }

    fn alternative(&mut self, around: Around, beside_else: bool) {
        self.line(around, "::");
        let inner = around.inner();
        let mark = self.variables.len();
        self.guard(inner, beside_else);
        self.sequence(inner.later());
        self.variables.truncate(mark);
    }

    fn choice(&mut self, around: Around) {
        self.line(around, "if");
        // SPIN refuses `else` beside sending and receiving.
        let has_else = if around.in_d_step { !self.one_in(8) } else { !around.no_else && self.one_in(2) };
        for _ in 0..1 + self.below(3) {
            self.alternative(around, has_else);
        }
        if has_else {
            self.line(around, ":: else ->");
            self.sequence(around.inner().later());
        }
        self.line(around, "fi;");
    }

    fn repetition(&mut self, around: Around) {
        if around.in_d_step {
            return self.bounded(around);
        }
        let inside = Around { in_loop: true, ..around };
        self.line(around, "do");
        let end = if around.no_else { 1 + self.below(2) } else { self.below(3) };
        for _ in 0..1 + self.below(3) {
            self.alternative(inside, end == 0);
        }
        match end {
            0 => self.line(inside, ":: else -> break;"),
            1 => {
                self.alternative(inside, false);
                self.line(inside.inner(), "break;");
            }
            _ => {}
        }
        self.line(around, "od;");
    }

    /// `for` and `select`.
    fn count(&mut self, around: Around) {
        let plain = |v: &super::Variable| {
            v.length.is_none()
                && matches!(v.ty, Type::Byte | Type::Short | Type::Int)
                && !v.name.contains('.')
        };
        let Some((name, _)) = self.place(plain) else {
            return self.assignment(around);
        };
        if self.one_in(3) && !around.in_inline && self.for_messages(around) {
            return;
        }
        if self.one_in(3) {
            let to = match self.below(3) {
                0 => format!("({}) & 3", self.number(0)),
                n => n.to_string(),
            };
            return self.line(around, &format!("select ({name} : 0 .. {to});"));
        }
        let arrays: Vec<String> = self
            .variables
            .iter()
            .filter(|v| v.length.is_some() && !v.name.contains('.'))
            .map(|v| v.name.clone())
            .collect();
        let inside = Around { in_loop: !around.in_d_step, ..around }.inner().later();
        if !arrays.is_empty() && self.one_in(2) {
            let at = self.below(arrays.len());
            self.line(around, &format!("for ({name} in {}) {{", arrays[at].clone()));
        } else {
            let to = 1 + self.below(2);
            let from = self.below(2);
            self.line(around, &format!("for ({name} : {from} .. {to}) {{"));
        }
        let kept = std::mem::take(&mut self.variables);
        self.variables = kept.iter().filter(|v| v.name != name).cloned().collect();
        if self.variables.is_empty() {
            self.line(inside, "skip;");
        } else {
            self.sequence(inside);
        }
        self.variables = kept;
        self.line(around, "};");
    }

    fn unless(&mut self, around: Around) {
        if self.one_in(6) { self.short_unless(around) } else { self.long_unless(around) }
    }

    fn long_unless(&mut self, around: Around) {
        self.line(around, "{");
        let begin = self.out.len();
        self.sequence(Around { no_jump: around.in_atomic, ..around.inner() });
        // SPIN forgets an escape out of `atomic` that begins with another `unless`.
        let main = &self.out[begin..];
        let has_atomic = around.in_atomic || main.contains("atomic {") || main.contains("act");
        self.line(around, "} unless {");
        // Where an escape begins with alternatives, or jumps to them, `else` among them may always happen in SPIN, unlike in
        // the manual.
        let inner = Around { no_else: true, no_jump: true, ..around.inner() };
        if self.fuel > 0 && around.depth > 1 && self.one_in(3) {
            self.fuel -= 1;
            let inner = Around { no_send: true, ..inner };
            if has_atomic { self.block(inner, "{", "};") } else { self.compound(inner) }
        } else {
            self.simple_guard(inner, false);
        }
        self.sequence(inner.later());
        self.line(around, "};");
    }

    /// `unless` between two statements, without braces.
    fn short_unless(&mut self, around: Around) {
        let begin = self.out.len();
        self.assignment(Around { indent: 0, ..around });
        let escape = self.out.len();
        self.simple_guard(Around { no_else: true, indent: 0, ..around }, false);
        let texts = self.out.split_off(begin);
        let (main, escape) = texts.split_at(escape - begin);
        let (main, escape) = (main.trim().trim_end_matches(';'), escape.trim().trim_end_matches(" ->"));
        self.line(around, &format!("{main} unless {escape};"));
    }

    /// Starts a process where there are few.
    fn start(&mut self, around: Around) {
        let is_type = |p: &super::Process| p.name != "init";
        let count = self.processes.iter().filter(|p| is_type(p)).count();
        let number = self.below(count);
        let run = self.run(number);
        let begin = if self.one_in(2) { "atomic {" } else { "{" };
        self.line(around, begin);
        let inner = around.inner();
        let most = 3 + self.below(2);
        self.line(inner, &format!("_nr_pr < {most} ->"));
        let receiver = self.place(|v| v.ty == Type::Byte && v.length.is_none());
        match receiver {
            Some((name, _)) if self.one_in(3) => self.line(inner, &format!("{name} = {run};")),
            Some((name, _)) if self.one_in(2) => {
                let value = self.value_with_start(&run);
                self.line(inner, &format!("{name} = ({value}) % 3;"));
            }
            _ if self.one_in(5) && !self.features.claims => {
                let value = self.value_with_start(&run);
                let least = self.below(3);
                self.line(inner, &format!("assert(({value}) >= {least});"));
            }
            _ if self.one_in(3) => {
                self.line(inner, "if");
                self.line(inner, &format!(":: {run} ->"));
                self.assignment(inner.inner());
                self.alternative(inner, false);
                self.line(inner, "fi;");
            }
            _ => self.line(inner, &format!("{run};")),
        }
        self.line(around, "};");
    }

    /// A value that starts a process on the way. In any case: SPIN's verifier takes back a `run` that was left out, too.
    fn value_with_start(&mut self, run: &str) -> String {
        match self.below(8) {
            0 => format!("{run} + {}", self.small(1)),
            1 => format!("{} + ({run}) * {}", self.small(1), self.small(1)),
            2 => format!("_nr_pr * ({run}) + _nr_pr"),
            3 => format!("_nr_pr > 0 && {run}"),
            4 => format!("_nr_pr < 1 || {run}"),
            5 => format!("(_nr_pr > 0 -> {run} : {})", self.small(1)),
            6 => format!("(_nr_pr < 1 -> _nr_pr : {} + ({run}))", self.small(1)),
            _ => format!("_nr_pr + ({run} == {})", self.small(1)),
        }
    }

    fn call(&mut self, around: Around) {
        let plain = |v: &super::Variable| v.length.is_none() && v.ty != Type::Mtype && !v.name.contains('[');
        let (Some((left, _)), Some((right, _))) = (self.place(plain), self.place(plain)) else {
            return self.assignment(around);
        };
        let number = self.below(self.inlines);
        self.line(around, &format!("act{number}({left}, {right});"));
    }
}
