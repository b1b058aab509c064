//! An order of rows in which runs with the same stencil are long.
//!
//! In: a sparse matrix. Out: a permutation of its rows. States of a grid come in lines where each row is followed by the target of one
//! kind of entry, such as "one more customer": an entry of another kind then leads from a line to a parallel one, at the same
//! distance all along. Which kind is not known here, so that some are tried: entries with one of the most frequent numbers,
//! and the first, the last, the nearest and the farthest entry of each row. The best order is taken, if it is better than that of the
//! matrix.

use rustc_hash::FxHashMap;

use super::stencils::Matrix;

/// Numbers that are tried.
const NUMBERS: usize = 4;

/// Different numbers beyond which the rest is not counted.
const MOST_NUMBERS: usize = 4096;

/// Rows by which kinds are compared: the first ones, which lead to few others but those of the last level.
const SAMPLE: usize = 1 << 16;

/// What a run costs, in rows.
const RUN: usize = 8;

/// A way from each row to the one that is to follow it.
#[derive(Clone, Copy)]
enum Kind {
    /// Along the first entry with this number.
    Number(f64),
    First,
    Last,
    /// To the next column behind the row.
    Nearest,
    /// To the last column.
    Farthest,
}

/// The rows in a better order than that of the matrix, whose entries `number` gives; `None` where none was found.
pub fn find(matrix: Matrix<'_>, number: impl Fn(usize) -> f64) -> Option<Vec<u32>> {
    let n = matrix.rows();
    let sample = n.min(SAMPLE);
    let mut place: Vec<u32> = (0..n as u32).collect();
    let known = gain(matrix, &place[..sample], &place);
    if known > sample - sample / 16 {
        return None;
    }
    // Rows outside the first ones stay where they are.
    let mut order_of = |kind: Kind, rows: usize| {
        let order = lines(rows, |row| next(matrix, &number, kind, row).filter(|&to| (to as usize) < rows));
        put(&order, &mut place);
        (gain(matrix, &order, &place), order)
    };
    let frequent = frequent(matrix, &number, sample).into_iter().map(Kind::Number);
    let kinds = frequent.chain([Kind::First, Kind::Last, Kind::Nearest, Kind::Farthest]);
    let tried = kinds.map(|kind| (order_of(kind, sample).0, kind));
    let (most, kind) = tried.reduce(|best, other| if other.0 > best.0 { other } else { best })?;
    if most <= known.max(sample / 4) {
        return None;
    }
    let (gain, order) = order_of(kind, n);
    (gain > n / 4).then_some(order)
}

/// The place of each row in an order of all rows.
pub fn places(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    put(order, &mut place);
    place
}

/// Sets the places of these rows.
fn put(order: &[u32], place: &mut [u32]) {
    order.iter().enumerate().for_each(|(at, &row)| place[row as usize] = at as u32);
}

/// The most frequent numbers in the first rows.
fn frequent(matrix: Matrix<'_>, number: &impl Fn(usize) -> f64, rows: usize) -> Vec<f64> {
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    for at in 0..matrix.row_start[rows] as usize {
        let bits = number(at).to_bits();
        if counts.len() < MOST_NUMBERS || counts.contains_key(&bits) {
            *counts.entry(bits).or_default() += 1;
        }
    }
    let mut counts: Vec<(usize, u64)> = counts.into_iter().map(|(bits, count)| (count, bits)).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.into_iter().take(NUMBERS).map(|(_, bits)| f64::from_bits(bits)).collect()
}

/// The row that is to follow another one.
fn next(matrix: Matrix<'_>, number: &impl Fn(usize) -> f64, kind: Kind, row: usize) -> Option<u32> {
    let entries = matrix.entries(row);
    let columns = &matrix.columns[entries.clone()];
    let behind = columns.iter().copied().filter(|&column| column as usize > row);
    let found = match kind {
        Kind::Number(wanted) => {
            let mut entries = entries;
            entries.find(|&at| number(at) == wanted).map(|at| matrix.columns[at])
        }
        Kind::First => columns.first().copied(),
        Kind::Last => columns.last().copied(),
        Kind::Nearest => behind.min(),
        Kind::Farthest => behind.max(),
    };
    found.filter(|&column| column as usize != row)
}

/// The first n rows in lines: each is followed by its next one, if that is in no line yet. A line begins with a row that
/// follows none.
fn lines(n: usize, next: impl Fn(usize) -> Option<u32>) -> Vec<u32> {
    let (mut follows, mut after) = (vec![false; n], vec![u32::MAX; n]);
    for (row, after) in after.iter_mut().enumerate() {
        if let Some(column) = next(row)
            && !follows[column as usize]
        {
            follows[column as usize] = true;
            *after = column;
        }
    }
    let mut order = Vec::with_capacity(n);
    let mut is_placed = vec![false; n];
    // The rest lies on cycles.
    let starts = (0..n).filter(|&row| !follows[row]).chain(0..n);
    for start in starts {
        let mut row = start as u32;
        while row != u32::MAX && !is_placed[row as usize] {
            is_placed[row as usize] = true;
            order.push(row);
            row = after[row as usize];
        }
    }
    order
}

/// Rows in runs, less what the runs cost, for rows in this order and at these places.
fn gain(matrix: Matrix<'_>, order: &[u32], place: &[u32]) -> usize {
    let (mut gain, mut length) = (0, 0usize);
    let distances = |row: u32| {
        let own = i64::from(place[row as usize]);
        matrix.columns[matrix.entries(row as usize)]
            .iter()
            .map(move |&column| i64::from(place[column as usize]) - own)
    };
    for pair in order.windows(2) {
        length += 1;
        if !distances(pair[0]).eq(distances(pair[1])) {
            gain += length.saturating_sub(RUN);
            length = 0;
        }
    }
    gain + (length + 1).saturating_sub(RUN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue before another one: customers come to the first, go over to the second, and leave.
    #[test]
    fn grids_come_in_lines() {
        let side = 40usize;
        // States in the order in which a breadth-first search finds them.
        let mut states: Vec<(usize, usize)> = (0..side * side).map(|s| (s / side, s % side)).collect();
        states.sort_by_key(|&(x, y)| (x + 2 * y, y));
        let place = |x: usize, y: usize| states.iter().position(|&s| s == (x, y)).unwrap() as u32;
        let (mut row_start, mut columns, mut numbers) = (vec![0], Vec::new(), Vec::new());
        for &(x, y) in &states {
            let mut add = |column, number| {
                columns.push(column);
                numbers.push(number);
            };
            if x + 1 < side {
                add(place(x + 1, y), 0.3);
            }
            if x > 0 && y + 1 < side {
                add(place(x - 1, y + 1), 0.2);
            }
            if y > 0 {
                add(place(x, y - 1), 0.4);
            }
            row_start.push(columns.len() as u32);
        }
        let matrix = Matrix { row_start: &row_start, columns: &columns, stay: &[] };
        let order = find(matrix, |at| numbers[at]).expect("lines");
        let place = places(&order);
        let mut rows = order.clone();
        rows.sort_unstable();
        assert_eq!(rows, (0..order.len() as u32).collect::<Vec<_>>());
        assert!(gain(matrix, &order, &place) > order.len() / 2);
    }

    #[test]
    fn rows_on_cycles_come_once() {
        let columns = [1, 2, 0, 4, 3];
        let mut order = lines(5, |row| Some(columns[row]));
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4]);
    }
}
