//! Kernels that reduce rows to a few numbers, a part of the rows in each lane.

use super::regions::PART;

/// The pieces of a kernel that goes over the rows of a part ([`super::regions::Parts`]) in each lane.
pub struct Reduction<'a> {
    /// Name of the kernel.
    pub name: &'a str,
    /// Parameters after those of [`super::regions::Parts::params`], each with a comma in front.
    pub params: &'a str,
    /// Buffers and locals.
    pub declarations: &'a str,
    /// Statements before the first row.
    pub begin: &'a str,
    /// Statements for the row with number `row`.
    pub each: &'a str,
    /// Statements after the last row.
    pub end: &'a str,
}

impl Reduction<'_> {
    /// The text of the kernel.
    pub fn text(&self) -> String {
        let Reduction { name, params, declarations, begin, each, end } = self;
        format!(
            "kernel {name}(lane: u64, rows: u64, first: u64, distance: u64{params}) {{
                {declarations}
                local at: u64;
                local row: u64;

                {begin}
                for at in 0u64..{PART}u64 {{
                    row = lane * first + at * distance;
                    if row < rows {{
                        {each}
                    }}
                }}
                {end}
            }}"
        )
    }
}
