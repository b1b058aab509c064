//! CPU time.

/// Seconds of CPU time of the processes that this one has waited for, as Linux tells them (`proc(5)`, fields `cutime` and `cstime` of
/// `/proc/self/stat`); 0 elsewhere.
pub fn of_children() -> f64 {
    /// Ticks of a second: what every Linux answers.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name of the program, which may have spaces: state is the first field, children's times are the 14th and 15th.
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    (ticks(13) + ticks(14)) / TICKS
}
