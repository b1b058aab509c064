//! Which sorts have finitely many values, and how these are numbered.

use super::{Data, OperationId, Ranges, SortId, SortKind};

/// Values of a sort beyond which they are treated as terms.
const MOST_VALUES: i64 = 1 << 16;

impl Data {
    /// Smallest and largest number of a value; `None` for recursive sorts.
    pub fn bounds(&self, sort: SortId) -> Option<(i64, i64)> {
        match self.sorts[sort].kind {
            SortKind::Bool => Some((0, 1)),
            SortKind::Number { lo, hi } => Some((lo, hi)),
            SortKind::Numeral { hi, .. } => Some((0, hi)),
            SortKind::Finite { count } => Some((0, (count - 1).max(0))),
            SortKind::Recursive => None,
        }
    }

    /// Whether values are numbers themselves.
    pub fn is_number(&self, sort: SortId) -> bool {
        matches!(self.sorts[sort].kind, SortKind::Number { .. } | SortKind::Numeral { .. })
    }

    /// How many values the constructors before one of a sort make; `None` where they are not numbered.
    pub(crate) fn values_before(&self, constructor: OperationId) -> Option<i64> {
        let sort = &self.sorts[self.operations[constructor].result];
        if matches!(sort.kind, SortKind::Finite { .. }) {
            return Some(sort.firsts[*sort.places.get(&constructor)?]);
        }
        let before = sort.constructors.iter().take_while(|&&other| other != constructor);
        before.map(|&other| self.constructor_count(other)).sum()
    }

    /// How many values a constructor of a finite sort makes.
    pub(crate) fn constructor_count(&self, constructor: OperationId) -> Option<i64> {
        let mut count: i64 = 1;
        for &sort in &self.operations[constructor].arguments {
            let (lo, hi) = self.bounds(sort)?;
            count = count.checked_mul(hi - lo + 1)?;
        }
        Some(count)
    }

    /// Sets the kind of every sort with constructors: smallest sorts first, as long as there are any whose parts are known.
    pub(crate) fn classify_sorts(&mut self, ranges: Ranges) {
        for sort in 0..self.sorts.len() {
            if let [a, b] = self.sorts[sort].constructors[..]
                && self.sorts[sort].kind == SortKind::Recursive
            {
                for (zero, successor) in [(a, b), (b, a)] {
                    if self.operations[zero].arguments.is_empty()
                        && self.operations[successor].arguments == [sort]
                    {
                        self.sorts[sort].kind = SortKind::Numeral { zero, successor, hi: ranges.nat };
                    }
                }
            }
        }
        loop {
            let mut changed = false;
            for sort in 0..self.sorts.len() {
                if self.sorts[sort].kind != SortKind::Recursive || self.sorts[sort].constructors.is_empty() {
                    continue;
                }
                let constructors = &self.sorts[sort].constructors;
                let mut firsts = Vec::new();
                let total: Option<i64> = constructors.iter().try_fold(0i64, |sum, &op| {
                    firsts.push(sum);
                    sum.checked_add(self.constructor_count(op)?)
                });
                if let Some(count) = total.filter(|&count| count <= MOST_VALUES) {
                    let places = constructors.iter().enumerate().map(|(place, &op)| (op, place)).collect();
                    let sort = &mut self.sorts[sort];
                    (sort.kind, sort.firsts, sort.places) = (SortKind::Finite { count }, firsts, places);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }
}
