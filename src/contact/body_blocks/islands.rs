//! Islands: groups of bodies that are connected by contacts or joints. The ground connects nothing.

use super::{GROUND, Problem};
use crate::math::Groups;

/// One island: indices into the problem, each list in increasing order.
#[derive(Clone, Copy, Debug)]
pub struct Island<'a> {
    /// Its bodies.
    pub bodies: &'a [u32],
    /// Its contacts.
    pub contacts: &'a [u32],
    /// Its joints.
    pub joints: &'a [u32],
    /// Its rows: those of its contacts, then those of its joints.
    pub rows: &'a [u32],
}

impl Island<'_> {
    /// Copies its part of the impulses of the whole problem.
    pub fn gather(&self, all: &[f64], own: &mut [f64]) {
        for (x, &row) in own.iter_mut().zip(self.rows) {
            *x = all[row as usize];
        }
    }

    /// The inverse of [`gather`](Self::gather).
    pub fn scatter(&self, own: &[f64], all: &mut [f64]) {
        for (x, &row) in own.iter().zip(self.rows) {
            all[row as usize] = *x;
        }
    }
}

/// The islands of a problem; bodies without contacts and joints belong to none. Buffers grow to the largest problem met.
#[derive(Debug, Default)]
pub struct Islands {
    connected: Groups,
    /// Island of each body.
    number: Vec<u32>,
    /// Island of each row.
    owners: Vec<u32>,
    bodies: Lists,
    contacts: Lists,
    joints: Lists,
    rows: Lists,
}

/// Concatenated lists.
#[derive(Debug, Default)]
struct Lists {
    /// Start of each list, and the end of the last one.
    begin: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn list(&self, k: usize) -> &[u32] {
        &self.items[self.begin[k] as usize..self.begin[k + 1] as usize]
    }

    /// Sorts items `0..count` into their lists, in increasing order; `u32::MAX` stands for no list.
    fn fill(&mut self, lists: usize, count: usize, list_of: impl Fn(usize) -> u32) {
        self.begin.clear();
        self.begin.resize(lists + 2, 0);
        for list in (0..count).map(&list_of).filter(|k| *k != u32::MAX) {
            self.begin[list as usize + 2] += 1;
        }
        for k in 2..lists + 2 {
            self.begin[k] += self.begin[k - 1];
        }
        self.items.clear();
        self.items.resize(self.begin[lists + 1] as usize, 0);
        for i in 0..count {
            let list = list_of(i);
            if list != u32::MAX {
                let place = &mut self.begin[list as usize + 1];
                self.items[*place as usize] = i as u32;
                *place += 1;
            }
        }
    }
}

impl Islands {
    /// Finds the islands. Returns `false`, with none, if the indices or lengths of the problem do not match.
    pub fn find(&mut self, problem: &Problem) -> bool {
        let n = problem.bodies.len();
        let valid = problem.has_matching_indices();
        let pairs = || {
            let of_contacts = problem.contacts.iter().map(|c| c.bodies);
            of_contacts.chain(problem.joints.iter().map(|j| j.bodies))
        };
        self.connected.reset(n);
        self.number.clear();
        self.number.resize(n, u32::MAX);
        let mut count = 0;
        if valid {
            for [a, b] in pairs() {
                if a != GROUND && b != GROUND {
                    self.connected.join(a as usize, b as usize);
                }
            }
            // bodies with constraints mark their island; islands are numbered by their first bodies
            for [a, b] in pairs() {
                let body = if a == GROUND { b } else { a };
                self.number[self.connected.root(body as usize)] = 0;
            }
            for k in &mut self.number {
                if *k == 0 {
                    *k = count;
                    count += 1;
                }
            }
            for body in 0..n {
                self.number[body] = self.number[self.connected.root(body)];
            }
        }
        let number = &self.number;
        let of_pair = |[a, b]: [u32; 2]| number[if a == GROUND { b } else { a } as usize];
        let (contacts, joints, rows) = if valid {
            (problem.contacts, problem.joints, problem.rows.len())
        } else {
            (&[][..], &[][..], 0)
        };
        let lists = count as usize;
        self.bodies.fill(lists, n, |i| number[i]);
        self.contacts
            .fill(lists, contacts.len(), |i| of_pair(contacts[i].bodies));
        self.joints
            .fill(lists, joints.len(), |i| of_pair(joints[i].bodies));
        self.fill_rows(problem, lists, rows);
        valid
    }

    fn fill_rows(&mut self, problem: &Problem, lists: usize, rows: usize) {
        let number = &self.number;
        let of_pair = |[a, b]: [u32; 2]| number[if a == GROUND { b } else { a } as usize];
        let owners = &mut self.owners;
        owners.clear();
        if rows > 0 {
            for constraint in problem.contacts {
                let island = of_pair(constraint.bodies);
                owners.extend((0..constraint.contact.rows()).map(|_| island));
            }
            for joint in problem.joints {
                let island = of_pair(joint.bodies);
                owners.extend((0..joint.rows).map(|_| island));
            }
        }
        self.rows.fill(lists, rows, |i| owners[i]);
    }

    /// Number of islands.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bodies.begin.len().saturating_sub(2)
    }

    /// Island `k`, below [`Islands::count`].
    #[must_use]
    pub fn island(&self, k: usize) -> Island<'_> {
        Island {
            bodies: self.bodies.list(k),
            contacts: self.contacts.list(k),
            joints: self.joints.list(k),
            rows: self.rows.list(k),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Body, ContactConstraint, Joint, Row};
    use super::*;
    use crate::contact::dense::Contact;

    fn constraint(a: u32, b: u32) -> ContactConstraint {
        ContactConstraint {
            bodies: [a, b],
            contact: Contact::new(&[]),
        }
    }

    #[test]
    fn the_ground_joins_nothing_and_joints_join() {
        let bodies = [Body::diagonal([1.0; 6], [0.0; 6]); 6];
        let row = Row {
            entries: [[1.0; 6]; 2],
            bias: 0.0,
            compliance: 0.0,
        };
        let problem = Problem {
            bodies: &bodies,
            contacts: &[
                constraint(4, GROUND),
                constraint(GROUND, 1),
                constraint(5, 1),
            ],
            joints: &[Joint {
                bodies: [4, 0],
                rows: 2,
            }],
            rows: &[row; 5],
        };
        let mut islands = Islands::default();
        assert!(islands.find(&problem));
        assert_eq!(islands.count(), 2);
        let (one, other) = (islands.island(0), islands.island(1));
        assert_eq!((one.bodies, other.bodies), (&[0, 4][..], &[1, 5][..]));
        assert_eq!((one.contacts, other.contacts), (&[0][..], &[1, 2][..]));
        assert_eq!((one.joints, other.joints), (&[0][..], &[][..]));
        assert_eq!((one.rows, other.rows), (&[0, 3, 4][..], &[1, 2][..]));
    }

    #[test]
    fn wrong_indices_give_no_islands() {
        let bodies = [Body::diagonal([1.0; 6], [0.0; 6]); 2];
        let row = Row {
            entries: [[1.0; 6]; 2],
            bias: 0.0,
            compliance: 0.0,
        };
        for pair in [[0, 2], [1, 1], [GROUND, GROUND]] {
            let problem = Problem {
                bodies: &bodies,
                contacts: &[constraint(pair[0], pair[1])],
                joints: &[],
                rows: &[row],
            };
            let mut islands = Islands::default();
            assert!(!islands.find(&problem));
            assert_eq!(islands.count(), 0);
        }
    }
}
