//! Coarser systems: unknowns in groups of up to four, by twice pairing each with what it depends on most.

use super::Matrix;
use crate::krylov::Triangles;

/// A dependence counts as strong from this part of the strongest on.
const STRONG: f64 = 0.25;

/// The group of an unknown that is in none.
const NONE: u32 = u32::MAX;

/// The group of each unknown, and the system of the groups.
pub(super) fn coarsen(fine: &Matrix) -> (Vec<u32>, Matrix) {
    let (mut groups, count) = pairs(fine);
    let middle = merged(fine, &groups, count);
    let (pairs, count) = pairs(&middle);
    let coarse = merged(&middle, &pairs, count);
    groups.iter_mut().for_each(|group| *group = pairs[*group as usize]);
    (groups, coarse)
}

/// Pairs of unknowns, and some that stay alone; numbered in the order of their first members.
fn pairs(matrix: &Matrix) -> (Vec<u32>, usize) {
    let n = matrix.rows();
    let mut groups = vec![NONE; n];
    let mut count = 0;
    for i in 0..n {
        if groups[i] != NONE {
            continue;
        }
        let (mut strongest, mut best, mut found) = (0.0f64, 0.0f64, None);
        for (j, v) in matrix.entries.row(i) {
            strongest = strongest.max(v);
            if groups[j] == NONE && v > best {
                (best, found) = (v, Some(j));
            }
        }
        groups[i] = count;
        if let Some(j) = found.filter(|_| best >= STRONG * strongest) {
            groups[j] = count;
        }
        count += 1;
    }
    (groups, count as usize)
}

/// The sums of entries between groups.
fn merged(matrix: &Matrix, groups: &[u32], count: usize) -> Matrix {
    let mut members = vec![[NONE; 2]; count];
    for (i, &group) in (0u32..).zip(groups) {
        let slots = &mut members[group as usize];
        slots[usize::from(slots[0] != NONE)] = i;
    }
    let mut place = vec![NONE; count];
    let mut row: Vec<(u32, f64)> = Vec::new();
    let mut entries = Triangles::with_capacity(count, matrix.entries.entries());
    let mut diagonal = vec![0.0f64; count];
    for (group, slots) in (0u32..).zip(&members) {
        row.clear();
        for &i in slots.iter().filter(|&&i| i != NONE) {
            for (j, v) in matrix.entries.row(i as usize) {
                let from = groups[j];
                if from == group {
                    continue;
                }
                // What leaves a group is summed up without subtraction: a group may be nearly closed.
                diagonal[from as usize] += v;
                match row.get_mut(place[from as usize] as usize).filter(|entry| entry.0 == from) {
                    Some(entry) => entry.1 += v,
                    None => {
                        place[from as usize] = row.len() as u32;
                        row.push((from, v));
                    }
                }
            }
        }
        entries.push_row(row.iter().copied());
    }
    Matrix { entries, diagonal }
}
