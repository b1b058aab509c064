//! The list of all configurations, and the neighbours of one.

use super::{ConfigurationId, Space};

/// One row for each configuration, one column of positions of values for each parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// One column for each parameter.
    pub columns: Vec<Vec<u16>>,
}

/// Which configurations are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbourhood {
    /// Those that differ in the value of one parameter.
    Hamming,
    /// Those that differ in one parameter, by the next smaller or larger value with which the conditions are met.
    Adjacent,
}

impl Space {
    /// Writes all configurations down.
    pub fn table(&self) -> Table {
        let mut columns = Vec::with_capacity(self.parameters.len());
        for (part, column) in &self.places {
            let part = &self.parts[*part as usize];
            let stride = part.stride as usize;
            let mut whole: Vec<u16> = Vec::with_capacity(self.len as usize);
            let values = &part.columns[*column as usize];
            if stride == 1 {
                whole.extend(values);
            } else {
                for value in values {
                    whole.resize(whole.len() + stride, *value);
                }
            }
            // Doubled until it is full.
            while (whole.len() as u64) < self.len {
                let more = whole.len().min(self.len as usize - whole.len());
                whole.extend_from_within(..more);
            }
            columns.push(whole);
        }
        Table { columns }
    }

    /// The neighbours of a configuration, by parameters and then by values.
    pub fn neighbours(&self, of: ConfigurationId, which: Neighbourhood) -> Vec<ConfigurationId> {
        let here = self.indices(of);
        let mut other = here.clone();
        let mut found = Vec::new();
        for (parameter, declared) in self.parameters.iter().enumerate() {
            let own = here[parameter];
            let mut try_value = |value: u16| {
                other[parameter] = value;
                self.find(&other)
            };
            let all = (declared.values.len() - 1) as u16;
            match which {
                Neighbourhood::Hamming => {
                    found.extend((0..=all).filter(|value| *value != own).filter_map(try_value));
                }
                Neighbourhood::Adjacent => {
                    found.extend((0..own).rev().find_map(&mut try_value));
                    found.extend((own..all).find_map(|value| try_value(value + 1)));
                }
            }
            other[parameter] = own;
        }
        found
    }
}
