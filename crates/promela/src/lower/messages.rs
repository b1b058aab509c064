//! Messages in buffered channels: appended, inserted in order, removed.

use super::channels::Channel;
use super::code::Code;
use super::symbols::{ChannelType, ChannelTypeId};
use volvelle_kernel::{BinaryOp, Block, ExprId, Stmt, Type as Ty};

impl Code<'_, '_> {
    /// Appends a message.
    pub(super) fn append(&mut self, channel: &Channel, ty: ChannelTypeId, message: &[ExprId]) -> Block {
        let info = self.env.channel_types[ty].clone();
        let length = self.length_of(channel, ty);
        let mut block = Vec::new();
        for (&field, &value) in info.messages.iter().zip(message) {
            let element = (info.capacity > 1).then_some(length);
            block.push(self.set_of_channel(field, channel.slot, element, value));
        }
        let e = &mut self.out.program.exprs;
        let one = e.i64(1);
        let longer = e.binary(BinaryOp::Add, length, one);
        let field = info.length.expect("a buffered channel");
        block.push(self.set_of_channel(field, channel.slot, None, longer));
        block
    }

    /// Inserts a message before the first one that is greater, compared part by part: by the values that are sent, as in
    /// SPIN, not by what is left of them in the channel.
    pub(super) fn insert_sorted(
        &mut self,
        channel: &Channel,
        ty: ChannelTypeId,
        sent: &[ExprId],
        message: &[ExprId],
    ) -> Block {
        let info = self.env.channel_types[ty].clone();
        let length = self.length_of(channel, ty);
        let at = self.out.scratch(0);
        let at_value = self.out.program.exprs.local(at, Ty::I64);
        // Values are kept: moving messages changes what they might read.
        let mut block = Vec::new();
        let mut kept = Vec::new();
        for (i, &value) in message.iter().chain(sent).enumerate() {
            let local = self.out.scratch(2 + i);
            block.push(Stmt::Set { local, value });
            kept.push(self.out.program.exprs.local(local, Ty::I64));
        }
        let sent = kept.split_off(message.len());
        // less := the new message comes before message `at`
        let mut less = self.out.program.exprs.bool(false);
        for (&field, &value) in info.messages.iter().zip(&sent).rev() {
            let found = self.of_channel(field, channel.slot, Some(at_value));
            let e = &mut self.out.program.exprs;
            let (smaller, equal) =
                (e.binary(BinaryOp::Lt, value, found), e.binary(BinaryOp::Eq, value, found));
            let rest = e.and(equal, less);
            less = e.or(smaller, rest);
        }
        let zero = self.out.program.exprs.i64(0);
        let stop = vec![Stmt::If { cond: less, then: vec![Stmt::Break], otherwise: vec![] }];
        block.push(Stmt::For { local: at, from: zero, to: length, body: stop });
        // Messages from the end on move up: step k moves message length - 1 - k.
        let k = self.out.scratch(1);
        let k_value = self.out.program.exprs.local(k, Ty::I64);
        let e = &mut self.out.program.exprs;
        let one = e.i64(1);
        let to = e.binary(BinaryOp::Sub, length, k_value);
        let from = e.binary(BinaryOp::Sub, to, one);
        let mut body = Vec::new();
        for &field in &info.messages {
            let value = self.of_channel(field, channel.slot, Some(from));
            body.push(self.set_of_channel(field, channel.slot, Some(to), value));
        }
        let moves = self.out.program.exprs.binary(BinaryOp::Sub, length, at_value);
        block.push(Stmt::For { local: k, from: zero, to: moves, body });
        for (&field, &value) in info.messages.iter().zip(&kept) {
            block.push(self.set_of_channel(field, channel.slot, Some(at_value), value));
        }
        let e = &mut self.out.program.exprs;
        let longer = e.binary(BinaryOp::Add, length, one);
        let field = info.length.expect("a buffered channel");
        block.push(self.set_of_channel(field, channel.slot, None, longer));
        block
    }

    /// Removes message `at`: those after it move down, and the last place becomes empty.
    pub(super) fn remove(
        &mut self,
        channel: &Channel,
        info: &ChannelType,
        at: ExprId,
        length: ExprId,
        effect: &mut Block,
    ) {
        // The channel may be named by a variable that the message is written to: its slot is kept.
        let slot = match channel.known {
            Some(_) => channel.slot,
            None => {
                let local = self.out.scratch(2);
                effect.push(Stmt::Set { local, value: channel.slot });
                self.out.program.exprs.local(local, Ty::I64)
            }
        };
        let e = &mut self.out.program.exprs;
        let one = e.i64(1);
        let last = e.binary(BinaryOp::Sub, length, one);
        if info.capacity > 1 {
            let i = self.out.scratch(1);
            let i_value = self.out.program.exprs.local(i, Ty::I64);
            let next = self.out.program.exprs.binary(BinaryOp::Add, i_value, one);
            let mut body = Vec::new();
            for &field in &info.messages {
                let value = self.of_channel(field, slot, Some(next));
                body.push(self.set_of_channel(field, slot, Some(i_value), value));
            }
            effect.push(Stmt::For { local: i, from: at, to: last, body });
        }
        for (&field, ty) in info.messages.iter().zip(&info.fields) {
            // The pattern of a new slot: all bits zero.
            let empty = self.out.program.exprs.i64(ty.bounds().0);
            effect.push(self.set_of_channel(field, slot, (info.capacity > 1).then_some(last), empty));
        }
        let length_field = info.length.expect("a buffered channel");
        effect.push(self.set_of_channel(length_field, slot, None, last));
    }
}
