//! "Did you mean": the known name nearest to a misspelt one.
//!
//! Distance: optimal string alignment (Damerau–Levenshtein without overlapping transpositions), the number of
//! insertions, deletions, substitutions and swaps of neighbours. A name of `n` characters may be off by
//! `max(1, n / 3)`, at most 3, and never by all of its characters. A name that differs only in case always counts.

/// Longer names are not compared: the table below is quadratic.
const LONGEST: usize = 128;

/// The candidate nearest to `name`, if one is near enough. Of several equally near ones the one that is
/// nearer when case is ignored wins, then the first.
pub fn suggest<I, S>(name: &str, candidates: I) -> Option<S>
where
    I: IntoIterator<Item = S>,
    S: AsRef<str>,
{
    let wanted: Vec<char> = name.chars().take(LONGEST + 1).collect();
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let limit = (wanted.len() / 3).clamp(1, 3);
    let mut best: Option<((usize, usize), S)> = None;
    for candidate in candidates {
        let text = candidate.as_ref();
        let known: Vec<char> = text.chars().take(LONGEST + 1).collect();
        if known.len().abs_diff(wanted.len()) > limit || known.len() > LONGEST || text == name {
            continue;
        }
        let exact = distance(&wanted, &known);
        let folded = distance(&lowercase(&wanted), &lowercase(&known));
        let near = exact <= limit && exact < wanted.len().max(known.len());
        if (near || folded == 0) && best.as_ref().is_none_or(|(b, _)| (rank(exact, folded)) < *b) {
            best = Some((rank(exact, folded), candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Names that differ only in case come first, then by distance, then by distance without case.
fn rank(exact: usize, folded: usize) -> (usize, usize) {
    (if folded == 0 { 0 } else { exact }, folded)
}

fn lowercase(text: &[char]) -> Vec<char> {
    text.iter().flat_map(|c| c.to_lowercase()).collect()
}

/// Optimal string alignment distance, with three rows of the table.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut two_back = vec![0; b.len() + 1];
    let mut back: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let substituted = back[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substituted.min(back[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(two_back[j - 2] + 1);
            }
        }
        std::mem::swap(&mut two_back, &mut back);
        std::mem::swap(&mut back, &mut row);
    }
    back[b.len()]
}
