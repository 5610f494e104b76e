//! Corners and faces from the bytes of an STL or OBJ file. The shape is the hull of the corners; the faces show whether that is
//! the shape of the mesh.

mod concave;

pub use concave::dent;

use std::collections::BTreeMap;

use super::spec::space::Triple;

/// Maximum number of corners in a file; larger hulls are impractical for contacts.
const MOST_CORNERS: usize = 100_000;

/// Bytes of a binary STL before its triangles: a header and their number.
const STL_START: usize = 84;

/// Bytes of one triangle: a normal, three corners, two spare bytes.
const STL_TRIANGLE: usize = 50;

/// File format.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `.stl`, as text or binary.
    Stl,
    /// `.obj`.
    Obj,
}

impl Kind {
    /// From the file name extension.
    pub fn of(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "stl" => Some(Self::Stl),
            "obj" => Some(Self::Obj),
            _ => None,
        }
    }
}

/// Contents of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Distinct corners, in file order.
    pub corners: Vec<Triple>,
    /// Triangles, by their corners.
    pub faces: Vec<[usize; 3]>,
}

/// The mesh of a file, or an error message and a hint.
pub fn read(kind: Kind, bytes: &[u8]) -> Result<Mesh, (String, &'static str)> {
    let mut corners = Corners::default();
    match kind {
        Kind::Stl => read_stl(bytes, &mut corners)?,
        Kind::Obj => read_obj(bytes, &mut corners)?,
    }
    if corners.mesh.corners.is_empty() {
        let message = "the file has no corners".to_owned();
        return Err((message, "export the part as a mesh of triangles"));
    }
    Ok(corners.mesh)
}

type Fault = (String, &'static str);

const BROKEN: &str = "export the part again: the file is damaged";

/// Distinct corners.
#[derive(Default)]
struct Corners {
    mesh: Mesh,
    seen: BTreeMap<[u64; 3], usize>,
}

impl Corners {
    /// Adds a corner and returns its index; `place` describes its location for messages.
    fn add(&mut self, corner: Triple, place: impl Fn() -> String) -> Result<usize, Fault> {
        if corner.iter().any(|x| !x.is_finite()) {
            let message = format!("a corner in {} is not finite", place());
            return Err((message, BROKEN));
        }
        // normalize -0 to 0
        let corner = corner.map(|x| x + 0.0);
        let list = &mut self.mesh.corners;
        let next = list.len();
        let index = *self.seen.entry(corner.map(f64::to_bits)).or_insert(next);
        if index == next {
            list.push(corner);
        }
        if list.len() > MOST_CORNERS {
            let message = format!("the file has more than {MOST_CORNERS} corners");
            return Err((message, "reduce the mesh: only its hull matters"));
        }
        Ok(index)
    }

    /// Adds a planar face as a triangle fan around its first corner.
    fn add_face(&mut self, outline: &[usize]) {
        for k in 2..outline.len() {
            let triangle = [outline[0], outline[k - 1], outline[k]];
            self.mesh.faces.push(triangle);
        }
    }
}

/// A binary file may start like a text file, so the length decides.
fn read_stl(bytes: &[u8], corners: &mut Corners) -> Result<(), Fault> {
    let count = bytes.get(STL_START - 4..STL_START);
    let count = count.and_then(|four| <[u8; 4]>::try_from(four).ok());
    let n_triangles = count.map(u32::from_le_bytes);
    let length = n_triangles.map(|n| STL_START as u64 + u64::from(n) * STL_TRIANGLE as u64);
    if length == Some(bytes.len() as u64) {
        return read_binary(bytes, corners);
    }
    let start = bytes.trim_ascii_start().get(..5);
    if start.is_some_and(|start| start.eq_ignore_ascii_case(b"solid")) {
        return read_text(bytes, corners);
    }
    let message = match (n_triangles, length) {
        (Some(n), Some(length)) => format!(
            "the file should have {length} bytes for {n} triangles, but has {}",
            bytes.len()
        ),
        _ => format!("the file has {} bytes, too few for an STL", bytes.len()),
    };
    Err((message, BROKEN))
}

fn read_binary(bytes: &[u8], corners: &mut Corners) -> Result<(), Fault> {
    for (i, triangle) in bytes[STL_START..].chunks_exact(STL_TRIANGLE).enumerate() {
        // Three numbers of the normal, then three of each corner.
        let numbers: Vec<f64> = triangle
            .chunks_exact(4)
            .filter_map(|four| <[u8; 4]>::try_from(four).ok())
            .map(|four| f64::from(f32::from_le_bytes(four)))
            .collect();
        let mut outline = [0; 3];
        for (corner, index) in numbers[3..].chunks_exact(3).zip(&mut outline) {
            let corner = [corner[0], corner[1], corner[2]];
            *index = corners.add(corner, || format!("triangle {}", i + 1))?;
        }
        corners.add_face(&outline);
    }
    Ok(())
}

fn read_text(bytes: &[u8], corners: &mut Corners) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(bytes);
    let (mut n_corners, mut ended) = (0_usize, false);
    let mut outline = [0; 3];
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        let Some(word) = words.next() else { continue };
        if word.eq_ignore_ascii_case("vertex") {
            let corner = corners.add(numbers(words, i)?, || format!("line {}", i + 1))?;
            outline[n_corners % 3] = corner;
            n_corners += 1;
            if n_corners.is_multiple_of(3) {
                corners.add_face(&outline);
            }
        }
        ended |= word.eq_ignore_ascii_case("endsolid");
    }
    if !ended || n_corners % 3 != 0 {
        return Err((
            "the file ends before its last triangle does".to_owned(),
            BROKEN,
        ));
    }
    Ok(())
}

fn read_obj(bytes: &[u8], corners: &mut Corners) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(bytes);
    // in the numbering of the file
    let mut listed = Vec::new();
    let mut faces: Vec<(usize, Vec<Option<usize>>)> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                listed.push(corners.add(numbers(words, i)?, || format!("line {}", i + 1))?)
            }
            Some("f") => {
                let outline = words.map(|word| named_corner(word, listed.len()));
                faces.push((i, outline.collect()));
            }
            _ => {}
        }
    }
    for (line, outline) in faces {
        let outline = outline
            .into_iter()
            .map(|named| named.and_then(|i| listed.get(i)).copied());
        let Some(outline) = outline.collect::<Option<Vec<usize>>>() else {
            let message = format!(
                "the face in line {} refers to a corner that does not exist",
                line + 1
            );
            return Err((message, BROKEN));
        };
        corners.add_face(&outline);
    }
    Ok(())
}

/// `7`, `7/1/2` or `7//2`, counted from one; negative numbers count backwards from the last corner.
fn named_corner(word: &str, n_listed: usize) -> Option<usize> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let index = match number {
        1.. => number - 1,
        0 => return None,
        _ => i64::try_from(n_listed).ok()?.checked_add(number)?,
    };
    usize::try_from(index).ok()
}

/// The first three numbers of a line.
fn numbers<'w>(words: impl Iterator<Item = &'w str>, line: usize) -> Result<Triple, Fault> {
    let found: Vec<f64> = words.take(3).map_while(|word| word.parse().ok()).collect();
    match found[..] {
        [x, y, z] => Ok([x, y, z]),
        _ => {
            let message = format!("line {} does not have three numbers", line + 1);
            Err((message, BROKEN))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(kind: Kind, bytes: &[u8]) -> Result<Vec<Triple>, Fault> {
        read(kind, bytes).map(|mesh| mesh.corners)
    }

    const TEXT: &str = "solid tetrahedron\nfacet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\nfacet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1e0\nendloop\nendfacet\nendsolid tetrahedron\n";

    fn binary(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = b"solid, and yet binary".to_vec();
        bytes.resize(80, b' ');
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            for x in triangle.iter().flatten() {
                bytes.extend(x.to_le_bytes());
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn tetrahedron() -> Vec<u8> {
        let [o, x, y, z] = [[0.0; 3], [1.0, 0.0, 0.0], [-0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        binary(&[[o, y, x], [o, x, z], [o, z, y], [x, y, z]])
    }

    #[test]
    fn text_binary_and_obj_give_the_same_corners() {
        let obj = "# a part\nv 0 0 0 1.0\nvn 0 0 1\nv 0 1 0\n  v 1 0 0\nv 0 0 1\nf 1 2 3\n";
        let expected = [[0.0; 3], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!(corners(Kind::Stl, TEXT.as_bytes()).unwrap(), expected);
        let upper = TEXT.to_ascii_uppercase();
        assert_eq!(corners(Kind::Stl, upper.as_bytes()).unwrap(), expected);
        assert_eq!(corners(Kind::Stl, &tetrahedron()).unwrap(), expected);
        assert_eq!(corners(Kind::Obj, obj.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn a_file_that_was_cut_is_refused_wherever_the_cut_is() {
        let whole = tetrahedron();
        for end in 0..whole.len() {
            assert!(corners(Kind::Stl, &whole[..end]).is_err(), "{end}");
        }
        let ended = TEXT.find("endsolid").unwrap() + "endsolid".len();
        for end in 0..ended {
            assert!(
                corners(Kind::Stl, &TEXT.as_bytes()[..end]).is_err(),
                "{end}"
            );
        }
    }

    #[test]
    fn what_is_no_number_or_too_much_is_told() {
        let told = |kind, bytes: &[u8]| corners(kind, bytes).unwrap_err().0;
        assert_eq!(
            told(Kind::Obj, b"v 0 0 nan\n"),
            "a corner in line 1 is not finite"
        );
        assert_eq!(
            told(Kind::Obj, b"\nv 0 x 1\n"),
            "line 2 does not have three numbers"
        );
        for face in ["1 2 4", "1 2 0", "1 2 -4", "1 2 x"] {
            let file = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf {face}\n");
            assert_eq!(
                told(Kind::Obj, file.as_bytes()),
                "the face in line 4 refers to a corner that does not exist"
            );
        }
        assert_eq!(
            told(Kind::Stl, &binary(&[[[0.0, 1.0, f32::INFINITY]; 3]])),
            "a corner in triangle 1 is not finite"
        );
        let mut huge = tetrahedron();
        huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        huge[0] = b'x';
        assert!(told(Kind::Stl, &huge).contains("4294967295 triangles"));
        let many: String = (0..=MOST_CORNERS).map(|i| format!("v {i} 0 0\n")).collect();
        assert!(told(Kind::Obj, many.as_bytes()).contains("more than 100000"));
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move |n: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % n.max(1) as u64) as usize
        };
        let obj = b"v 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n".to_vec();
        let files = [TEXT.as_bytes().to_vec(), tetrahedron(), obj];
        let (mut n_read, mut n_refused) = (0, 0);
        for _ in 0..20_000 {
            let mut bytes = files[random(3)].clone();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                match random(4) {
                    0 if !bytes.is_empty() => bytes[at] = random(256) as u8,
                    1 => bytes.truncate(at),
                    2 => bytes.insert(at, random(256) as u8),
                    _ => drop(bytes.drain(at..(at + random(9)).min(bytes.len()))),
                }
            }
            let kind = if random(2) == 0 { Kind::Stl } else { Kind::Obj };
            match corners(kind, &bytes) {
                Ok(list) => {
                    n_read += 1;
                    assert!(list.iter().flatten().all(|x| x.is_finite()));
                }
                Err((message, hint)) => {
                    n_refused += 1;
                    assert!(!message.is_empty() && !hint.is_empty());
                }
            }
        }
        println!("{n_read} read, {n_refused} refused");
        assert!(n_read > 1000 && n_refused > 1000);
    }
}
