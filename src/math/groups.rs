//! Union-find; a group is represented by its smallest member.

/// Disjoint groups of the numbers 0, 1, 2, ...
#[derive(Debug, Default)]
pub struct Groups {
    parent: Vec<u32>,
}

impl Groups {
    /// Each of `n` numbers in its own group.
    pub fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
    }

    /// The smallest member of the group of `i`.
    #[inline]
    pub fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] as usize != i {
            let up = self.parent[i] as usize;
            self.parent[i] = self.parent[up];
            i = up;
        }
        i
    }

    /// Merges the groups of `i` and `j`.
    pub fn join(&mut self, i: usize, j: usize) {
        let (a, b) = (self.root(i), self.root(j));
        self.parent[a.max(b)] = a.min(b) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_go_by_their_smallest_member() {
        let mut groups = Groups::default();
        groups.reset(8);
        for (i, j) in [(7, 3), (5, 6), (3, 5), (1, 2)] {
            groups.join(i, j);
        }
        let roots: Vec<usize> = (0..8).map(|i| groups.root(i)).collect();
        assert_eq!(roots, [0, 1, 1, 3, 4, 3, 3, 3]);
    }
}
