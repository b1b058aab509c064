//! Where tasks end.

use std::fmt;

/// Where tasks end, apart from the limit of their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Selection {
    /// At the first transfer of control: the default, rule T1.
    #[default]
    FirstBranch,
    /// Only at the limit of length. A task with transfers is predicted by its last transfer.
    Length,
    /// After this many transfers of control. Transfers within a task are assumed to be predicted correctly by
    /// its core.
    Span(u32),
    /// At taken backward jumps, at calls, returns and jumps to addresses in registers: a task is one
    /// iteration of a loop if that is short enough. After T. N. Vijaykumar, G. S. Sohi, *Task selection for a
    /// multiscalar processor*, MICRO 1998, doi:10.1109/MICRO.1998.742770. Their compiler sees loops; here
    /// loops are seen as they are executed.
    Loop,
    /// As [`Selection::Loop`], and also where the paths of all transfers in the task meet again: at the
    /// nearest instruction on every path from them to the end of the function (Vijaykumar and Sohi's control
    /// flow heuristic; M. Agarwal, K. Malik, K. M. Woley, S. S. Stone, M. I. Frank, *Exploiting postdominance
    /// for speculative parallelization*, HPCA 2007, doi:10.1109/HPCA.2007.346207). A task that ends there has
    /// one successor and is not predicted. Needs [`Joins`](super::Joins).
    Postdominator,
}

impl Selection {
    /// Most transfers of a task.
    const MOST_SPANNED: u32 = 64;

    /// The selection of a name: `first-branch`, `length`, `loop`, `span-2`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "first-branch" => Some(Selection::FirstBranch),
            "length" => Some(Selection::Length),
            "loop" => Some(Selection::Loop),
            "postdominator" => Some(Selection::Postdominator),
            _ => {
                let count = name.strip_prefix("span-")?.parse().ok()?;
                (1..=Self::MOST_SPANNED).contains(&count).then_some(Selection::Span(count))
            }
        }
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selection::FirstBranch => f.write_str("first-branch"),
            Selection::Length => f.write_str("length"),
            Selection::Span(count) => write!(f, "span-{count}"),
            Selection::Loop => f.write_str("loop"),
            Selection::Postdominator => f.write_str("postdominator"),
        }
    }
}
