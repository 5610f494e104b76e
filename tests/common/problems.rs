//! The contact problems in `tests/data/lcp`.

use serde::Deserialize;
use stiction::contact::dense::{Block, Contact};

/// A problem with pyramids of friction: rows of normals, then `n_directions` rows of each contact, then those of its pyramid.
#[derive(Clone, Deserialize)]
pub struct StoredProblem {
    pub name: String,
    pub n: usize,
    #[serde(rename = "nc")]
    pub n_contacts: usize,
    #[serde(rename = "nd")]
    pub n_directions: usize,
    #[serde(rename = "mu")]
    pub friction: f64,
    rows: Vec<usize>,
    #[serde(rename = "cols")]
    columns: Vec<usize>,
    #[serde(rename = "vals")]
    values: Vec<f64>,
    #[serde(rename = "q")]
    pub vector: Vec<f64>,
}

/// All of them, by name.
pub fn stored_problems() -> Vec<StoredProblem> {
    let folder = super::root().join("tests/data/lcp");
    let entries = std::fs::read_dir(folder).expect("the stored problems are there");
    let mut problems: Vec<StoredProblem> = entries
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .map(|text| serde_json::from_str(&text).unwrap())
        .collect();
    problems.sort_by(|a, b| a.name.cmp(&b.name));
    problems
}

impl StoredProblem {
    /// Row by row.
    pub fn matrix(&self) -> Vec<f64> {
        let mut matrix = vec![0.0; self.n * self.n];
        for ((row, column), value) in self.rows.iter().zip(&self.columns).zip(&self.values) {
            matrix[row * self.n + column] = *value;
        }
        matrix
    }

    /// The contact of a row.
    pub fn contact(&self, row: usize) -> usize {
        match row.checked_sub(self.n_contacts) {
            None => row,
            Some(row) => row / self.n_directions % self.n_contacts,
        }
    }

    /// With cones in place of the pyramids: the matrix, the vector and the contacts.
    pub fn with_cones(&self) -> (Vec<f64>, Vec<f64>, Vec<Contact>) {
        let (nc, nd, matrix) = (self.n_contacts, self.n_directions, self.matrix());
        let rows = (0..nc).flat_map(|c| [c, nc + c * nd, nc + c * nd + nd / 4]);
        let rows: Vec<usize> = rows.collect();
        let row = |&i: &usize| rows.iter().map(move |&j| (i, j));
        let pairs = rows.iter().flat_map(row);
        let friction = self.friction;
        (
            pairs.map(|(i, j)| matrix[i * self.n + j]).collect(),
            rows.iter().map(|&i| self.vector[i]).collect(),
            vec![Contact::new(&[Block::Disc { friction }]); nc],
        )
    }
}
