//! Places and distances: a tree of modules, nodes and processors, or a matrix.

/// Where processors are, and how far they are from one another.
#[derive(Clone, Debug, PartialEq)]
pub enum Topology {
    /// A tree in which all nodes of a level have equally many children; a place is a path such as `0.1.0`. The distance of two places
    /// is 0 below one node of the last level but one, and one more for each level above.
    Tree(Vec<u32>),
    /// Named places with the distances from each (row) to each (column).
    Matrix {
        /// Names of places.
        places: Vec<String>,
        /// Distances.
        distances: Vec<Vec<u32>>,
    },
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Of a tree; a home need not name a processor.
    Path(Vec<u32>),
    /// Of a matrix.
    Number(usize),
}

impl Topology {
    /// A place by its name; `is_processor`: a process is to run there.
    pub fn place(&self, name: &str, is_processor: bool) -> Option<Place> {
        match self {
            Topology::Tree(shape) => {
                let path: Option<Vec<u32>> = name.split('.').map(|part| part.trim().parse().ok()).collect();
                let path = path?;
                let fits = path.len() == shape.len()
                    || !is_processor && path.len() + 1 == shape.len() && !path.is_empty();
                (fits && path.iter().zip(shape).all(|(at, size)| at < size)).then_some(Place::Path(path))
            }
            Topology::Matrix { places, .. } => {
                places.iter().position(|place| place == name).map(Place::Number)
            }
        }
    }

    /// Distance between two places.
    pub fn distance(&self, from: &Place, to: &Place) -> u32 {
        match (self, from, to) {
            (Topology::Tree(shape), Place::Path(a), Place::Path(b)) => {
                let levels = shape.len() - 1;
                let common = a.iter().zip(b).take_while(|(a, b)| a == b).count().min(levels);
                (levels - common) as u32
            }
            (Topology::Matrix { distances, .. }, Place::Number(a), Place::Number(b)) => distances[*a][*b],
            _ => unreachable!("places belong to their topology"),
        }
    }

    /// All places of processors, in order.
    pub fn processors(&self) -> Vec<Place> {
        match self {
            Topology::Tree(shape) => {
                let mut all = vec![Vec::new()];
                for &size in shape {
                    let with = |path: Vec<u32>| {
                        (0..size).map(move |at| path.iter().copied().chain([at]).collect::<Vec<u32>>())
                    };
                    all = all.into_iter().flat_map(with).collect();
                }
                all.into_iter().map(Place::Path).collect()
            }
            Topology::Matrix { places, .. } => (0..places.len()).map(Place::Number).collect(),
        }
    }

    /// The name of a place.
    pub fn name(&self, place: &Place) -> String {
        match (self, place) {
            (_, Place::Path(path)) => path.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
            (Topology::Matrix { places, .. }, Place::Number(number)) => places[*number].clone(),
            (Topology::Tree(_), Place::Number(number)) => number.to_string(),
        }
    }

    /// The node whose memory a place is at: the place without its processor.
    pub fn node(&self, place: &Place) -> Place {
        match (self, place) {
            (Topology::Tree(shape), Place::Path(path)) => Place::Path(path[..shape.len() - 1].to_vec()),
            _ => place.clone(),
        }
    }

    /// The links between two places: those from a node up to the one above, by the path of the lower end.
    pub fn links(&self, from: &Place, to: &Place) -> Vec<String> {
        let (Topology::Tree(shape), Place::Path(a), Place::Path(b)) = (self, from, to) else {
            return Vec::new();
        };
        let levels = shape.len() - 1;
        let common = a.iter().zip(b).take_while(|(a, b)| a == b).count().min(levels);
        let name = |path: &[u32]| path.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        let up = (common..levels).rev().map(|level| name(&a[..=level]));
        let down = (common..levels).map(|level| name(&b[..=level]));
        up.chain(down).collect()
    }

    /// The greatest distance.
    pub fn farthest(&self) -> u32 {
        match self {
            Topology::Tree(shape) => shape.len() as u32 - 1,
            Topology::Matrix { distances, .. } => distances.iter().flatten().copied().max().unwrap_or(0),
        }
    }
}
