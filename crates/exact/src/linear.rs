//! Systems `x = A x + b` over rationals: component by component, in the order of their dependence.
//!
//! A state that lies on no cycle is substituted; a cyclic component becomes a system of integers ([`super::lifting`]).

use crate::lifting;
use crate::residual::Matrix;
use dashu_int::ops::{BitTest, Gcd};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_solver::CheckError;
use volvelle_space::components;

/// Limit on the bits of all values together.
const MOST_BITS: u64 = 1 << 34;

/// A system of equations; `I - A` must be regular, as it is where `A` is substochastic and every state leaves.
#[derive(Clone, Debug, Default)]
pub struct Equations {
    /// Entries of `A`, columns increasing within a row.
    pub rows: Vec<Vec<(u32, RBig)>>,
    /// `b`
    pub constants: Vec<RBig>,
    /// The unknowns that are requested; `None`: all. Others may come out as 0.
    pub wanted: Option<Vec<bool>>,
}

impl Equations {
    /// The solution.
    pub fn solve(&self, control: &Control<'_>) -> Result<Vec<RBig>, CheckError> {
        let n = self.rows.len();
        let mut start = vec![0usize];
        let mut columns: Vec<u32> = Vec::new();
        for row in &self.rows {
            columns.extend(row.iter().map(|e| e.0));
            start.push(columns.len());
        }
        let found = components(n, |i| &columns[start[i]..start[i + 1]], |_| true);
        let mut x = vec![RBig::ZERO; n];
        let mut known = vec![false; n];
        // Place of a state within its component.
        let mut place = vec![u32::MAX; n];
        let read = self.read_elsewhere(found.iter());
        let (mut bits, mut looks) = (0u64, 0usize);
        for members in found.iter() {
            if let [s] = members {
                x[*s as usize] = self.single(*s as usize, &x);
            } else {
                for (i, &s) in members.iter().enumerate() {
                    place[s as usize] = i as u32;
                }
                let solution = self.component(members, &place, &known, &x, control)?;
                for (&s, numerator) in members.iter().zip(solution.numerators) {
                    if read[s as usize] {
                        // Reducing a fraction takes long.
                        x[s as usize] = RBig::from_parts(numerator, solution.denominator.clone());
                    }
                }
            }
            for &s in members {
                known[s as usize] = true;
                bits += size(&x[s as usize]);
            }
            if bits > MOST_BITS {
                let what = format!("a result of {} bits for each state", bits / n as u64);
                return Err(CheckError::TooLargeExactly { what });
            }
            looks += 1;
            if looks.is_multiple_of(1024) || members.len() > 1 {
                control.check()?;
                control.check_memory(bits / 8)?;
            }
        }
        Ok(x)
    }

    fn single(&self, s: usize, x: &[RBig]) -> RBig {
        let mut sum = self.constants[s].clone();
        let mut stay = RBig::ZERO;
        for (t, a) in &self.rows[s] {
            if *t as usize == s {
                stay = a.clone();
            } else {
                add_product(&mut sum, a, &x[*t as usize]);
            }
        }
        if stay.is_zero() { sum } else { sum / (RBig::ONE - stay) }
    }

    fn component(
        &self,
        members: &[u32],
        place: &[u32],
        known: &[bool],
        x: &[RBig],
        control: &Control<'_>,
    ) -> Result<lifting::Solution, CheckError> {
        let mut matrix: Vec<Vec<(u32, RBig)>> = Vec::with_capacity(members.len());
        let mut right: Vec<RBig> = Vec::with_capacity(members.len());
        for (i, &s) in members.iter().enumerate() {
            let mut constant = self.constants[s as usize].clone();
            let mut row: Vec<(u32, RBig)> = vec![(i as u32, RBig::ONE)];
            for (t, a) in &self.rows[s as usize] {
                if known[*t as usize] {
                    add_product(&mut constant, a, &x[*t as usize]);
                } else if *t == s {
                    row[0].1 = RBig::ONE - a;
                } else {
                    row.push((place[*t as usize], -a.clone()));
                }
            }
            matrix.push(row);
            right.push(constant);
        }
        solve_sparse(matrix, right, control)
    }

    /// The unknowns that are requested, or that another component reads.
    fn read_elsewhere<'a>(&self, found: impl Iterator<Item = &'a [u32]>) -> Vec<bool> {
        let n = self.rows.len();
        let Some(wanted) = &self.wanted else { return vec![true; n] };
        let mut component = vec![u32::MAX; n];
        for (c, members) in found.enumerate() {
            members.iter().for_each(|&s| component[s as usize] = c as u32);
        }
        let mut read = wanted.clone();
        for (s, row) in self.rows.iter().enumerate() {
            for &(t, _) in row {
                read[t as usize] |= component[s] != component[t as usize];
            }
        }
        read
    }
}

/// Solves `matrix x = right`, which must be regular with diagonal pivots in any order: as a system of integers.
pub fn solve_sparse(
    matrix: Vec<Vec<(u32, RBig)>>,
    mut right: Vec<RBig>,
    control: &Control<'_>,
) -> Result<lifting::Solution, CheckError> {
    let mut integers: Matrix = Vec::with_capacity(matrix.len());
    for (mut row, b) in matrix.into_iter().zip(&mut right) {
        row.sort_unstable_by_key(|e| e.0);
        let scale = common_denominator(row.iter().map(|e| &e.1));
        integers.push(row.iter().map(|(j, a)| (*j, scaled(a, &scale))).collect());
        if !b.is_zero() {
            *b *= RBig::from(scale);
        }
    }
    let common = common_denominator(right.iter());
    let right: Vec<IBig> = right.iter().map(|b| scaled(b, &common)).collect();
    let mut solution = lifting::solve(&integers, &right, control)?;
    solution.denominator *= common;
    Ok(solution)
}

/// `sum += a * x`
pub fn add_product(sum: &mut RBig, a: &RBig, x: &RBig) {
    if !x.is_zero() {
        *sum += if a.is_one() { x.clone() } else { a * x };
    }
}

/// The least common multiple of the denominators.
pub fn common_denominator<'a>(numbers: impl Iterator<Item = &'a RBig>) -> UBig {
    numbers.fold(UBig::ONE, |common, number| {
        let denominator = number.denominator();
        let shared = (&common).gcd(denominator);
        if shared == *denominator { common } else { common * (denominator / shared) }
    })
}

/// `number * scale`, which is an integer.
pub fn scaled(number: &RBig, scale: &UBig) -> IBig {
    number.numerator() * IBig::from(scale / number.denominator())
}

/// Bits of numerator and denominator.
pub fn size(number: &RBig) -> u64 {
    (number.numerator().bit_len() + number.denominator().bit_len()) as u64
}
