//! "Did you mean": the known name nearest to a misspelt one.
//!
//! Distance: optimal string alignment (Damerau–Levenshtein without overlapping transpositions), the number of
//! insertions, deletions, substitutions and swaps of neighbours. A name of `n` characters may be off by
//! `max(1, n / 3)`, at most 3, and never by all of its characters. A name that differs only in case always counts.

/// Longer names are not compared: the table below is quadratic.
const LONGEST: usize = 128;

/// A known name that a misspelt one is near to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near<S> {
    /// The name.
    pub name: S,
    /// Whether nothing else comes into question: a slip of one letter, and no other name is as near. Names with other digits are other
    /// names, and of two letters one is half of the name.
    pub is_certain: bool,
}

/// The candidate nearest to `name`, if one is near enough. Of several equally near ones the one that is
/// nearer when case is ignored wins, then the first.
pub fn suggest<I, S>(name: &str, candidates: I) -> Option<S>
where
    I: IntoIterator<Item = S>,
    S: AsRef<str>,
{
    nearest(name, candidates).map(|near| near.name)
}

/// The same, with whether it is certain.
pub fn nearest<I, S>(name: &str, candidates: I) -> Option<Near<S>>
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
    let mut is_only = true;
    for candidate in candidates {
        let text = candidate.as_ref();
        let known: Vec<char> = text.chars().take(LONGEST + 1).collect();
        if known.len().abs_diff(wanted.len()) > limit || known.len() > LONGEST || text == name {
            continue;
        }
        let exact = distance(&wanted, &known);
        let folded = distance(&lowercase(&wanted), &lowercase(&known));
        let near = exact <= limit && exact < wanted.len().max(known.len());
        if !near && folded != 0 {
            continue;
        }
        let is_close = exact <= 1 || folded == 0;
        let rank = rank(exact, folded);
        match &best {
            Some((_, known)) if known.as_ref() == text => {}
            Some((least, _)) if rank >= *least => is_only &= !is_close,
            Some((least, _)) => {
                is_only = least.0 > 1;
                best = Some((rank, candidate));
            }
            None => best = Some((rank, candidate)),
        }
    }
    best.map(|(rank, near)| {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let is_same_number = digits(name) == digits(near.as_ref());
        Near { is_certain: is_only && rank.0 <= 1 && wanted.len() > 2 && is_same_number, name: near }
    })
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
