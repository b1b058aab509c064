//! Channels: predicates, sending, receiving.

use super::{Around, Channel, Type, Variable, Writer};

impl Writer<'_, '_> {
    /// An assertion on messages of global channels. No message matches two events.
    pub(super) fn trace(&mut self) {
        let mut kinds = Vec::new();
        for channel in &self.channels {
            for sends in [true, false] {
                let name = channel.length.map_or(channel.name.clone(), |_| format!("{}[1]", channel.name));
                kinds.push((name, channel.fields.clone(), sends));
            }
        }
        kinds.retain(|_| !self.choices.one_in(4));
        if kinds.is_empty() {
            return;
        }
        let top = Around::default();
        let inner = Around { indent: 1, ..top };
        self.line(top, "trace {");
        if self.one_in(2) {
            self.line(inner, "end:");
        }
        self.line(inner, "do");
        for kind in &kinds {
            let first = self.one_in(2).then(|| self.below(2));
            let mut text = self.event(kind, first);
            for _ in 0..self.below(3) {
                let next = self.below(kinds.len());
                text.push_str(" -> ");
                text.push_str(&self.event(&kinds[next], None));
            }
            self.line(inner, &format!(":: {text}"));
            if let Some(first) = first {
                let other = self.event(kind, Some(1 - first));
                self.line(inner, &format!(":: {other}"));
            }
        }
        self.line(inner, "od");
        self.line(top, "}");
    }

    fn event(&mut self, (name, fields, sends): &(String, Vec<Type>, bool), first: Option<usize>) -> String {
        let mut parts = Vec::new();
        for (i, ty) in fields.iter().enumerate() {
            parts.push(match first {
                Some(value) if i == 0 && *ty != Type::Mtype => value.to_string(),
                Some(value) if i == 0 => ["red", "green"][value].to_owned(),
                _ if *ty != Type::Mtype && self.one_in(6) => self.below(2).to_string(),
                _ => "_".to_owned(),
            });
        }
        format!("{name}{}{}", if *sends { "!" } else { "?" }, parts.join(","))
    }

    /// A channel as code names it. There is at least one.
    pub(super) fn any_channel(&mut self) -> (String, Channel) {
        let at = self.below(self.channels.len());
        let channel = self.channels[at].clone();
        let text = match channel.length {
            Some(length) => match self.below(3) {
                0 => format!("{}[_pid % {length}]", channel.name),
                1 => format!("{}[1]", channel.name),
                _ => format!("{}[0]", channel.name),
            },
            None => channel.name.clone(),
        };
        (text, channel)
    }

    /// `empty`, `nempty`, `full` or `nfull`.
    pub(super) fn question(&mut self) -> String {
        let (name, _) = self.any_channel();
        let ask = self.choices.pick(&["empty", "nempty", "full", "nfull"]);
        format!("{ask}({name})")
    }

    /// `q?[…]`
    pub(super) fn poll(&mut self) -> String {
        let (name, channel) = self.any_channel();
        if channel.capacity.is_none_or(|c| c == 0) {
            // SPIN fails where a rendezvous is asked.
            return format!("len({name}) == 0");
        }
        let op = self.choices.pick(&["?", "??"]);
        let mut patterns = Vec::new();
        for &ty in &channel.fields {
            patterns.push(self.pattern(ty, true));
        }
        format!("{name}{op}[{}]", patterns.join(", "))
    }

    fn value(&mut self, ty: Type) -> String {
        if ty == Type::Mtype {
            if self.one_in(3)
                && let Some((name, _)) = self.place(|v| v.ty == Type::Mtype)
            {
                return name;
            }
            return self.mtype_name().into();
        }
        if ty == Type::Unsigned {
            return format!("({}) & 3", self.number(1));
        }
        if matches!(ty, Type::Bit | Type::Bool) {
            // SPIN's verifier hands over more than a bit at a rendezvous; its simulator does not.
            return format!("({}) & 1", self.number(1));
        }
        if self.one_in(8) { "257".into() } else { self.small(1) }
    }

    /// One part of a receive. `constant`: nothing is written.
    fn pattern(&mut self, ty: Type, constant: bool) -> String {
        match self.below(7) {
            0 if ty == Type::Mtype => self.mtype_name().into(),
            0 => self.below(3).to_string(),
            // Without `len`: in the middle of a rendezvous SPIN counts 1.
            1 if ty != Type::Mtype => {
                let found = self.place(|v| v.ty != Type::Mtype);
                match (found, self.below(4)) {
                    (Some((name, _)), 0) => format!("eval({name} + 1)"),
                    (Some((name, _)), 1) => format!("eval(({name} + _pid) % 2)"),
                    (Some((name, _)), _) => format!("eval({name})"),
                    (None, _) => "eval(_pid)".into(),
                }
            }
            2 => "_".into(),
            _ if constant => "_".into(),
            _ => {
                // SPIN's verifier takes a receive back with what the variable holds: it must hold all of the message.
                let holds = |v: &Variable| match ty {
                    Type::Mtype => v.ty == Type::Mtype,
                    Type::Short => matches!(v.ty, Type::Short | Type::Int),
                    Type::Byte => matches!(v.ty, Type::Byte | Type::Short | Type::Int),
                    _ => v.ty != Type::Mtype,
                };
                let is_bits = |v: &Variable| v.length.is_some() && matches!(v.ty, Type::Bit | Type::Bool);
                let found = self.place(|v| holds(v) && !is_bits(v));
                found.map_or("_".into(), |(name, _)| name)
            }
        }
    }

    pub(super) fn send(&mut self) -> String {
        let (name, channel) = self.any_channel();
        // Of a sorted send SPIN traces the last message of the channel, whichever was sent.
        let op = if self.one_in(4) && !self.features.traces { "!!" } else { "!" };
        let mut values = self.parts(&channel, |writer, ty, _| writer.value(ty));
        if values.len() > 1 && self.one_in(3) {
            let first = values.remove(0);
            if first.chars().all(char::is_alphanumeric) {
                return format!("{name}{op}{first}({})", values.join(", "));
            }
            values.insert(0, first);
        }
        format!("{name} {op} {}", values.join(", "))
    }

    /// The parts of a receive; SPIN refuses a variable that is there twice.
    fn patterns(&mut self, channel: &Channel) -> String {
        let base = |p: &str| {
            let p = p.trim_start_matches("eval").trim_start_matches('(');
            p.split(['[', '.', ')', ' ']).next().unwrap_or_default().to_owned()
        };
        let patterns = self.parts(channel, |writer, ty, others| {
            let pattern = writer.pattern(ty, false);
            let is_there = others.iter().any(|other| base(other) == base(&pattern));
            if is_there { "_".into() } else { pattern }
        });
        // The structure comes last.
        match patterns.split_last() {
            Some((last, others)) if others.iter().any(|other| base(other) == base(last)) => {
                vec!["_"; channel.fields.len()].join(", ")
            }
            _ => patterns.join(", "),
        }
    }

    pub(super) fn receive(&mut self) -> String {
        let (name, channel) = self.any_channel();
        let op = if self.one_in(4) { "??" } else { "?" };
        let patterns = self.patterns(&channel);
        // A message that stays must be one of a buffer.
        if channel.capacity.is_some_and(|c| c > 0) && self.one_in(4) {
            return format!("{name}{op}<{patterns}>");
        }
        format!("{name} {op} {patterns}")
    }

    /// Channels as messages: what is received is used at once.
    pub(super) fn carried(&mut self, around: Around) {
        let first = self.channels[0].clone();
        if self.one_in(2) {
            let same: Vec<String> = self
                .channels
                .iter()
                .filter(|c| c.fields == first.fields && c.length.is_none())
                .map(|c| c.name.clone())
                .collect();
            let at = self.below(same.len());
            let name = same[at].clone();
            return self.line(around, &format!("carrier ! {name};"));
        }
        self.line(around, "carrier ? cx;");
        if self.one_in(2) {
            let values: Vec<String> = first.fields.iter().map(|&ty| self.value(ty)).collect();
            self.line(around, &format!("cx ! {};", values.join(", ")));
        } else {
            let patterns = self.patterns(&first);
            self.line(around, &format!("cx ? {patterns};"));
        }
    }
}
