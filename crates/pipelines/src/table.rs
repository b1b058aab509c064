//! Numbers of several systems as one table, and the steps of a run as one.

use crate::{PointReport, StepReport};
use volvelle_session::csv::line;

/// A table whose rows need not have the same columns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Adds rows below a head of their own, each behind the values of these constants. Columns are told by their names; what a row
    /// does not have stays empty.
    pub fn add(&mut self, constants: &[(String, String)], rows: &[Vec<String>]) {
        let Some((head, rows)) = rows.split_first() else { return };
        let names = constants.iter().map(|(name, _)| name).chain(head);
        let mut places = Vec::new();
        for name in names {
            let place = self.head.iter().position(|known| known == name).unwrap_or_else(|| {
                self.head.push(name.clone());
                self.head.len() - 1
            });
            places.push(place);
        }
        for row in rows {
            let mut cells = vec![String::new(); self.head.len()];
            let values = constants.iter().map(|(_, value)| value).chain(row);
            values.zip(&places).for_each(|(value, &place)| cells[place].clone_from(value));
            self.rows.push(cells);
        }
    }

    /// As comma-separated values.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        line(&mut out, &self.head);
        for row in &self.rows {
            let mut row = row.clone();
            row.resize(self.head.len(), String::new());
            line(&mut out, &row);
        }
        out
    }
}

/// A line for each step at each point, with the constants that its system depends on.
pub fn of_run(reports: &[StepReport]) -> Table {
    let mut table = Table::default();
    let head = ["step", "what", "states", "transitions", "system", "answer", "expected"].map(str::to_owned);
    for report in reports {
        for point in &report.points {
            let constants = point.constants.iter();
            let constants: Vec<(String, String)> =
                constants.map(|constant| (constant.name.clone(), constant.value.to_string())).collect();
            let [states, transitions] = match point.size {
                Some(sizes) => sizes.map(|size| size.to_string()),
                None => [String::new(), String::new()],
            };
            let expected = report.expect.map(|verdict| verdict.to_string()).unwrap_or_default();
            let row = [
                report.name.clone(),
                report.what.clone(),
                states,
                transitions,
                point.made.name().to_owned(),
                answer(point),
                expected,
            ];
            table.add(&constants, &[head.to_vec(), row.to_vec()]);
        }
    }
    table
}

/// The verdict at a point, or how many points of a sweep over rates were computed.
fn answer(point: &PointReport) -> String {
    match point.answer.as_ref() {
        None => String::new(),
        Some(answer) => match (answer.verdict(), answer.points()) {
            (Some(verdict), _) => verdict.to_string(),
            (None, 0) => String::new(),
            (None, points) => format!("{points} computed"),
        },
    }
}
