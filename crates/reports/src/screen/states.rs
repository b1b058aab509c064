//! The values of a property in all states: the table of `--states`.

use super::answer::value_of_state;
use super::format::count;
use super::{Style, flow};
use volvelle_logic::gate;
use volvelle_session::report::PropertyReport;

/// States that are shown without `-v`.
const SHOWN: usize = 20;

/// A line for each state: value, how far it can be off, what the state is.
pub fn table(report: &PropertyReport, verbose: bool, style: Style) -> String {
    let Some(values) = &report.values else { return String::new() };
    let shown = if verbose { values.len() } else { SHOWN.min(values.len()) };
    let guarantee = report.outcome.as_ref().map_or(gate::exact(), |answer| answer.guarantee.clone());
    let cells: Vec<[String; 2]> =
        (values.iter().take(shown)).map(|entry| value_of_state(entry, &guarantee, style)).collect();
    let width = |i: usize| cells.iter().map(|c| c[i].chars().count()).max().unwrap_or(0);
    let (value_width, trust_width) = (width(0), width(1));
    let title = report.name.as_deref().unwrap_or(&report.text);
    let mut out = format!("\n{}", flow::text("  ", &style.bold(&format!("{title} in each state")), 4, style));
    for (entry, [value, trust]) in values.iter().zip(&cells) {
        let trust = if trust_width > 0 { format!("   {trust:<trust_width$}") } else { String::new() };
        let start = format!("    {value:<value_width$}{}   ", style.dim(&trust));
        out.push_str(&flow::text(&start, &entry.state, flow::columns(&start), style));
    }
    if shown < values.len() {
        let more = count((values.len() - shown) as u64);
        let more = format!("and {more} more (-v shows all, --csv and --json list all)");
        out.push_str(&flow::text("    ", &style.dim(&more), 6, style));
    }
    out
}
