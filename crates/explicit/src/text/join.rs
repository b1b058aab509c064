//! Joins the results of reading the pieces of a text.

use super::cursor::Script;
use super::gather::{Gathered, join};
use super::names::Names;
use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::model::{Actions, Numbers};
use volvelle_diagnostics::codes;
use volvelle_space::BitSet;

/// Starts of rows from the number of entries of every row, and the end of the last one.
pub(crate) fn starts(counts: Vec<Vec<u32>>, allowance: &Allowance<'_>) -> Result<Vec<u32>, Finding> {
    let rows: usize = counts.iter().map(Vec::len).sum();
    let entries: u64 = counts.iter().flatten().map(|&count| u64::from(count)).sum();
    if rows >= u32::MAX as usize || entries > u64::from(u32::MAX) {
        return Err(too_large());
    }
    let mut starts = allowance.vec(rows + 1)?;
    let mut start = 0;
    starts.push(0);
    for counts in counts {
        starts.extend(counts.iter().map(|count| {
            start += count;
            start
        }));
    }
    Ok(starts)
}

fn too_large() -> Finding {
    Finding::error(codes::EXPLICIT_TOO_LARGE, "more choices or transitions than 32-bit numbers can count")
}

/// All entries, one vector after the other.
pub(crate) fn concatenate(parts: Vec<Vec<u32>>, allowance: &Allowance<'_>) -> Result<Vec<u32>, Finding> {
    let mut all = allowance.vec(parts.iter().map(Vec::len).sum())?;
    parts.into_iter().for_each(|part| all.extend_from_slice(&part));
    Ok(all)
}

/// The numbers of a column, with a remark if an open interval is among them.
pub(crate) fn column(
    script: Script<'_>,
    parts: Vec<Gathered<'_>>,
    allowance: &Allowance<'_>,
    remarks: &mut Vec<Finding>,
) -> Result<Numbers, Finding> {
    if let Some(at) = parts.iter().find_map(|part| part.open.clone()) {
        remarks.push(script.warn(at, "an open interval is treated as a closed one"));
    }
    join(parts, allowance)
}

/// Whether a text of this length can mention so many states that it does not list: a state takes two bytes. A small number
/// of states costs nothing.
pub(crate) fn can_mention(bytes: usize, states: u64) -> bool {
    const FEW: u64 = 1 << 16;
    states <= FEW.max(bytes as u64)
}

/// An empty set of states, within the allowance.
pub(crate) fn bit_set(states: usize, allowance: &Allowance<'_>) -> Result<BitSet, Finding> {
    // The vector is asked for only to learn whether there is room.
    drop(allowance.vec::<u64>(states.div_ceil(64))?);
    Ok(BitSet::new(states))
}

/// Names of several pieces, each once, and for every piece the new number of each of its names.
pub(crate) fn join_names(pieces: &[Names<'_>]) -> (Vec<String>, Vec<Vec<u32>>) {
    let mut all = Names::default();
    let numbers =
        pieces.iter().map(|piece| piece.list().iter().map(|name| all.number(name)).collect()).collect();
    (all.list().iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect(), numbers)
}

/// The actions of choices or branches; `None` if none of them has a name.
pub(crate) fn join_actions(
    names: &[Names<'_>],
    of: Vec<Vec<u32>>,
    allowance: &Allowance<'_>,
) -> Result<Option<Actions>, Finding> {
    let (names, numbers) = join_names(names);
    if names.iter().all(String::is_empty) {
        return Ok(None);
    }
    let mut all = allowance.vec(of.iter().map(Vec::len).sum())?;
    for (of, numbers) in of.iter().zip(&numbers) {
        all.extend(of.iter().map(|&name| numbers[name as usize]));
    }
    Ok(Some(Actions { names, of: all }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_control::Control;

    #[test]
    fn rows_follow_each_other() {
        let control = Control::unlimited();
        let allowance = Allowance::new(&control);
        assert_eq!(starts(vec![vec![1, 0], vec![], vec![3]], &allowance).unwrap(), [0, 1, 1, 4]);
        let large = starts(vec![vec![u32::MAX, 1]], &allowance);
        assert_eq!(large.unwrap_err().code, codes::EXPLICIT_TOO_LARGE);
    }

    #[test]
    fn names_are_joined_in_order() {
        let control = Control::unlimited();
        let allowance = Allowance::new(&control);
        let mut pieces = [Names::default(), Names::default()];
        let of: Vec<Vec<u32>> = (pieces.iter_mut().zip([["a", "b", "a"], ["c", "b", ""]]))
            .map(|(piece, names)| names.iter().map(|name| piece.number(name.as_bytes())).collect())
            .collect();
        let actions = join_actions(&pieces, of, &allowance).unwrap().unwrap();
        assert_eq!((actions.names.join(","), actions.of), ("a,b,c,".to_owned(), vec![0, 1, 0, 2, 1, 3]));
        let mut unnamed = [Names::default()];
        let of = vec![vec![unnamed[0].number(b"")]];
        assert_eq!(join_actions(&unnamed, of, &allowance).unwrap(), None);
    }
}
