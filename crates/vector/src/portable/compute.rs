//! Instructions that only compute.

use super::machine::{LANES, Machine, Words};
use super::operations::Simple;
use crate::program::{Class, Conversion, Inst, Logic, Num, Reg};

impl Machine<'_> {
    /// An instruction that only computes.
    pub(super) fn compute(&mut self, class: Class, inst: Inst) {
        match inst {
            Inst::Logic { op, dst, a, b } => {
                match op {
                    Logic::And => self.words_of_two(a, b, |x, y| x & y),
                    Logic::AndNot => self.words_of_two(a, b, |x, y| !x & y),
                    Logic::Or => self.words_of_two(a, b, |x, y| x | y),
                    Logic::Xor => self.words_of_two(a, b, |x, y| x ^ y),
                }
                self.keep(Class::Word, dst);
            }
            Inst::Blend { dst, mask, yes, no } => self.blend(class, dst, mask, yes, no),
            Inst::Assign { dst, src, mask: Some(mask) } => self.blend(class, dst, mask, src, dst),
            Inst::Assign { dst, src, mask: None } => {
                match class {
                    Class::Double => *self.spare_doubles = *self.doubles[src.index()],
                    _ => *self.spare_words = *self.words[src.index()],
                }
                self.keep(class, dst);
            }
            Inst::MulAdd { num: Num::F32, dst, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|reg| &*self.words[reg.index()]);
                for (i, out) in self.spare_words.iter_mut().enumerate() {
                    let [x, y, z] = [a[i], b[i], c[i]].map(f32::from_bits);
                    *out = x.mul_add(y, z).to_bits();
                }
                self.keep(class, dst);
            }
            Inst::MulAdd { dst, a, b, c, .. } => {
                let [a, b, c] = [a, b, c].map(|reg| &*self.doubles[reg.index()]);
                for (i, out) in self.spare_doubles.iter_mut().enumerate() {
                    let [x, y, z] = [a[i], b[i], c[i]].map(f64::from_bits);
                    *out = x.mul_add(y, z).to_bits();
                }
                self.keep(class, dst);
            }
            Inst::Convert { op, dst, a } => {
                self.convert(op, a);
                self.keep(Conversion::classes(op).1, dst);
            }
            _ => {
                let Some(simple) = Simple::of(inst) else { unreachable!("not computed here: {inst:?}") };
                self.simple(simple);
                self.keep(class, simple.dst);
            }
        }
    }

    fn blend(&mut self, class: Class, dst: Reg, mask: Reg, yes: Reg, no: Reg) {
        let mask = &self.words[mask.index()];
        match class {
            Class::Double => {
                let (yes, no) = (&*self.doubles[yes.index()], &*self.doubles[no.index()]);
                let out = &mut *self.spare_doubles;
                blend(out, mask, yes, no, |m, yes, no| {
                    let m = m as i32 as i64 as u64;
                    yes & m | no & !m
                });
            }
            _ => {
                let (yes, no) = (&*self.words[yes.index()], &*self.words[no.index()]);
                blend(&mut self.spare_words, mask, yes, no, |m, yes, no| yes & m | no & !m);
            }
        }
        self.keep(class, dst);
    }
}

/// A choice in every lane.
fn blend<T: Copy>(
    out: &mut [T; LANES],
    mask: &Words,
    yes: &[T; LANES],
    no: &[T; LANES],
    f: impl Fn(u32, T, T) -> T,
) {
    for i in 0..LANES {
        out[i] = f(mask[i], yes[i], no[i]);
    }
}
