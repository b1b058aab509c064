//! Statements: blocks, choices, loops and exits.

use crate::printer::{Around, Next, Printer};
use crate::traits::reachable_blocks;
use crate::value::{Level, Value};
use crate::{Jumps, Unsupported};
use volvelle_kernel::{Block, Const, ExprId, Kernel, Local, Node, Stmt, Type, UnaryOp};

impl<'k> Printer<'k> {
    /// Prints the body.
    pub(crate) fn body(&mut self) -> Result<(), Unsupported> {
        let kernel: &'k Kernel = self.kernel;
        self.block(&kernel.body)?;
        Ok(())
    }

    /// Prints statements; whether control reaches their end. Recursion is as deep as blocks nest, which is limited.
    fn block(&mut self, block: &'k Block) -> Result<bool, Unsupported> {
        for statement in block {
            self.check_size()?;
            if !self.statement(statement)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A block in braces, of which the opening one is printed already, and the closing one is left to do.
    fn inner(&mut self, block: &'k Block) -> Result<bool, Unsupported> {
        self.deeper()?;
        let reached = self.block(block)?;
        self.shallower();
        Ok(reached)
    }

    fn statement(&mut self, statement: &'k Stmt) -> Result<bool, Unsupported> {
        match *statement {
            Stmt::Set { local, value } => {
                self.begin(&[value])?;
                let value = self.value(value)?;
                if self.traits.is_read[local.index()] {
                    let name = self.local(local);
                    self.out.line(&format!("{name} = {};", value.text));
                    self.facts.clear();
                }
            }
            Stmt::Store { buffer, index, value } => {
                self.begin(&[index, value])?;
                let at = self.value(index)?;
                let value = self.value(value)?;
                let at = self.checked_index(buffer, index, at);
                let name = &self.names.buffers[buffer.index()];
                self.out.line(&format!("{name}[{}] = {};", at.text, value.text));
            }
            Stmt::Take { local, buffer, index } => {
                self.begin(&[index])?;
                let at = self.value(index)?;
                let at = self.checked_index(buffer, index, at);
                let (name, buffer) = (self.local(local), &self.names.buffers[buffer.index()]);
                let taken = self.writer.dialect.taken(&format!("&{buffer}[{}]", at.text));
                self.out.line(&format!("{name} = {taken};"));
                self.facts.clear();
            }
            Stmt::If { cond, ref then, ref otherwise } => return self.choose(cond, then, otherwise),
            Stmt::Switch { on, ref cases, ref default } => return self.switch(on, cases, default),
            Stmt::For { local, from, to, ref body } => self.for_loop(local, from, to, body)?,
            Stmt::Machine { local, from, to, start, ref blocks } => {
                self.machine(local, [from, to, start], blocks)?;
            }
            Stmt::Goto { block } => {
                let Some(Around::Machine { next, .. }) =
                    self.around.iter().rev().find(|around| !matches!(around, Around::Switch))
                else {
                    return Err(Unsupported::Invalid("a goto that no machine is around".into()));
                };
                match next {
                    Next::Number(location) => {
                        self.out.line(&format!("{location} = {block};"));
                        self.out.line("continue;");
                    }
                    Next::Label { labels, count } => {
                        self.out.line(&format!("if ({count}) goto {};", labels[block as usize]));
                        self.leave_loop()?;
                    }
                }
                return Ok(false);
            }
            Stmt::Break => {
                self.leave_loop()?;
                return Ok(false);
            }
            Stmt::Fail { site } => {
                let leave = self.failed(site);
                self.out.line(&leave);
                return Ok(false);
            }
            Stmt::Return => {
                self.out.line("return;");
                return Ok(false);
            }
            Stmt::Emit { buffer, .. } | Stmt::Copy { buffer, .. } | Stmt::Truncate { buffer, .. } => {
                return Err(Unsupported::Growing(self.kernel.buffers[buffer.index()].name.clone()));
            }
        }
        Ok(true)
    }

    fn choose(&mut self, cond: ExprId, then: &'k Block, otherwise: &'k Block) -> Result<bool, Unsupported> {
        self.begin(&[cond])?;
        let condition = self.value(cond)?;
        if then.is_empty() && otherwise.is_empty() {
            return Ok(true);
        }
        self.branches("if", condition, cond, then, otherwise)
    }

    /// Both branches of a choice, one of which has statements; `head` is the text before the condition.
    fn branches(
        &mut self,
        head: &str,
        condition: Value,
        cond: ExprId,
        then: &'k Block,
        otherwise: &'k Block,
    ) -> Result<bool, Unsupported> {
        if then.is_empty() {
            let negation = self.writer.unary(UnaryOp::Not, condition);
            self.out.line(&format!("{head} ({}) {{", negation.text));
            self.otherwise(cond, otherwise)?;
            self.out.line("}");
            return Ok(true);
        }
        self.out.line(&format!("{head} ({}) {{", condition.text));
        self.deeper()?;
        self.learn(cond);
        let reached = self.block(then)?;
        self.shallower();
        let other_reached = match otherwise.as_slice() {
            [] => {
                self.out.line("}");
                if !reached {
                    self.learn_not(cond);
                }
                true
            }
            [Stmt::If { cond, then, otherwise }] if !(then.is_empty() && otherwise.is_empty()) => {
                self.else_if(*cond, then, otherwise)?
            }
            _ => {
                self.out.line("} else {");
                let reached = self.otherwise(cond, otherwise)?;
                self.out.line("}");
                reached
            }
        };
        Ok(reached || other_reached)
    }

    /// A block that runs where a condition does not hold.
    fn otherwise(&mut self, cond: ExprId, block: &'k Block) -> Result<bool, Unsupported> {
        self.deeper()?;
        self.learn_not(cond);
        let reached = self.block(block)?;
        self.shallower();
        Ok(reached)
    }

    /// A choice as the other branch of a choice: `else if`, unless its condition takes statements.
    fn else_if(&mut self, cond: ExprId, then: &'k Block, otherwise: &'k Block) -> Result<bool, Unsupported> {
        let before = self.out.text.len();
        self.out.line("} else {");
        let start = self.out.text.len();
        self.deeper()?;
        self.begin(&[cond])?;
        let condition = self.value(cond)?;
        if self.out.text.len() == start {
            self.out.text.truncate(before);
            self.shallower();
            return self.branches("} else if", condition, cond, then, otherwise);
        }
        let reached = self.branches("if", condition, cond, then, otherwise)?;
        self.shallower();
        self.out.line("}");
        Ok(reached)
    }

    fn switch(
        &mut self,
        on: ExprId,
        cases: &'k [(i64, Block)],
        default: &'k Block,
    ) -> Result<bool, Unsupported> {
        self.begin(&[on])?;
        let value = self.value(on)?.exact();
        let ty = value.ty;
        self.out.line(&format!("switch ({}) {{", value.text));
        self.around.push(Around::Switch);
        let mut reached = false;
        for (key, block) in cases {
            let key = self.constant(Const::int(ty, *key));
            self.out.line(&format!("case {}: {{", key.text));
            reached |= self.case(block)?;
        }
        self.out.line("default: {");
        reached |= self.case(default)?;
        self.around.pop();
        self.out.line("}");
        Ok(reached)
    }

    /// A block of a switch.
    fn case(&mut self, block: &'k Block) -> Result<bool, Unsupported> {
        self.deeper()?;
        let reached = self.block(block)?;
        if reached {
            self.out.line("break;");
        }
        self.shallower();
        self.out.line("}");
        Ok(reached)
    }

    /// Leaves the innermost loop or machine.
    fn leave_loop(&mut self) -> Result<(), Unsupported> {
        let mut through_switch = false;
        for around in self.around.iter_mut().rev() {
            match around {
                Around::Switch => through_switch = true,
                Around::Machine { next: Next::Label { .. }, end } => {
                    let label = end.get_or_insert_with(|| self.names.distinct("machine_end"));
                    self.out.line(&format!("goto {label};"));
                    return Ok(());
                }
                Around::For { end } | Around::Machine { end, .. } => {
                    let jump = if through_switch {
                        let label = end.get_or_insert_with(|| self.names.distinct("loop_end"));
                        format!("goto {label};")
                    } else {
                        "break;".to_owned()
                    };
                    self.out.line(&jump);
                    return Ok(());
                }
            }
        }
        Err(Unsupported::Invalid("a break that no loop is around".into()))
    }

    /// Ends a loop or machine: the label that something jumps to.
    fn end_of_loop(&mut self) {
        if let Some(Around::For { end: Some(end) } | Around::Machine { end: Some(end), .. }) =
            self.around.pop()
        {
            self.out.line(&format!("{end}: ;"));
        }
    }

    /// `for (local = from; local < bound; ++local) {`
    fn loop_head(&mut self, local: Local, from: &Value, to: &Value) {
        let name = self.local(local);
        let start = if from.text == name { String::new() } else { format!("{name} = {}", from.text) };
        let bound = to.within(Level::Sum);
        self.out.line(&format!("for ({start}; {name} < {bound}; ++{name}) {{"));
    }

    fn for_loop(
        &mut self,
        local: Local,
        from: ExprId,
        to: ExprId,
        body: &'k Block,
    ) -> Result<(), Unsupported> {
        self.begin(&[from, to])?;
        let first = self.value(from)?;
        let bound = self.bound(to)?;
        self.loop_head(local, &first, &bound);
        self.facts.clear();
        self.around.push(Around::For { end: None });
        self.inner(body)?;
        self.out.line("}");
        self.end_of_loop();
        self.facts.clear();
        Ok(())
    }

    /// The second bound, which must not change with the locals that it reads.
    fn bound(&mut self, to: ExprId) -> Result<Value, Unsupported> {
        let bound = self.value(to)?.exact();
        let constant = match self.kernel.exprs.node(to) {
            Node::Const(_) => true,
            Node::Local(local, _) => !self.traits.is_set[local.index()],
            _ => false,
        };
        Ok(if constant { bound } else { self.named(bound) })
    }

    fn machine(&mut self, local: Local, parts: [ExprId; 3], blocks: &'k [Block]) -> Result<(), Unsupported> {
        self.begin(&parts)?;
        let [from, to, start] = parts;
        let first = self.value(from)?;
        let bound = self.bound(to)?;
        if self.jumps == Jumps::Labels {
            return self.labelled(local, &first, &bound, start, blocks);
        }
        let start = self.value(start)?;
        let location = self.names.distinct("location");
        self.out.line(&format!("{} {location} = {};", Type::U32, start.text));
        self.loop_head(local, &first, &bound);
        self.facts.clear();
        self.deeper()?;
        self.out.line(&format!("switch ({location}) {{"));
        self.around.push(Around::Machine { next: Next::Number(location), end: None });
        let reachable = reachable_blocks(blocks, self.kernel.exprs.as_const(parts[2]));
        for (number, block) in blocks.iter().enumerate().filter(|(number, _)| reachable[*number]) {
            self.out.line(&format!("case {number}: {{"));
            self.case(block)?;
            self.facts.clear();
        }
        self.out.line("}");
        self.out.line("break;");
        self.shallower();
        self.out.line("}");
        self.end_of_loop();
        self.facts.clear();
        Ok(())
    }

    /// A machine of blocks with labels.
    fn labelled(
        &mut self,
        local: Local,
        first: &Value,
        bound: &Value,
        start: ExprId,
        blocks: &'k [Block],
    ) -> Result<(), Unsupported> {
        let constant = self.kernel.exprs.as_const(start);
        // Evaluated before the local is set, which it may read.
        let start = if constant.is_some() { None } else { Some(self.value(start)?).map(|v| self.named(v)) };
        let (name, bound) = (self.local(local), bound.within(Level::Sum));
        if first.text != name {
            self.out.line(&format!("{name} = {};", first.text));
        }
        let labels: Vec<String> =
            (0..blocks.len()).map(|number| self.names.distinct(&format!("block_{number}"))).collect();
        let count = format!("++{name} < {bound}");
        let next = Next::Label { labels: labels.clone(), count };
        self.around.push(Around::Machine { next, end: None });
        self.out.line(&format!("if ({name} < {bound}) {{"));
        self.deeper()?;
        match (constant, start) {
            (Some(number), _) => {
                if let Some(label) = labels.get(number.bits as usize) {
                    self.out.line(&format!("goto {label};"));
                }
            }
            (None, Some(start)) => {
                self.out.line(&format!("switch ({}) {{", start.text));
                for (number, label) in labels.iter().enumerate() {
                    self.out.line(&format!("case {number}: goto {label};"));
                }
                self.out.line("}");
            }
            (None, None) => {}
        }
        self.shallower();
        self.out.line("}");
        self.leave_loop()?;
        self.facts.clear();
        let reachable = reachable_blocks(blocks, constant);
        for ((label, block), _) in
            labels.iter().zip(blocks).zip(reachable).filter(|(_, reachable)| *reachable)
        {
            self.out.line(&format!("{label}: {{"));
            if self.inner(block)? {
                self.deeper()?;
                self.leave_loop()?;
                self.shallower();
            }
            self.out.line("}");
            self.facts.clear();
        }
        self.end_of_loop();
        Ok(())
    }
}
