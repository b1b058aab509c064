//! Numbers of several systems as one table.

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
