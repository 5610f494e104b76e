//! Scenes that must be refused, with their messages.

use stiction::scene::error::SceneError;
use stiction::scene::load::parse;

/// The problems of a scene that must have some, printed.
pub fn problems(text: &str) -> SceneError {
    match parse("scene.toml", text) {
        Ok(_) => panic!("this scene should be refused:\n{text}"),
        Err(error) => {
            println!("{error}");
            error
        }
    }
}

/// The scene must be refused for one reason only, on the line with the mark `#!`, with this key, and with the fragments in
/// the sentence or the hint.
pub fn check(text: &str, key: &str, fragments: &[&str]) {
    let error = problems(text);
    let line = text.lines().position(|l| l.contains("#!")).expect("a mark") + 1;
    assert_eq!(error.problems.len(), 1, "one problem only");
    let (found_line, column, problem) = &error.problems[0];
    assert_eq!(
        (*found_line, problem.key.as_str()),
        (line, key),
        "line and key"
    );
    assert!(
        *column >= 1 && problem.place.start <= problem.place.end && problem.place.end <= text.len()
    );
    assert!(!problem.hint.is_empty(), "a hint");
    let told = format!("{} | {}", problem.message, problem.hint);
    for fragment in fragments {
        assert!(told.contains(fragment), "`{fragment}` in `{told}`");
    }
}

/// Is a scene read? If not, it has problems with messages.
pub fn is_read(text: &str) -> bool {
    let Err(error) = parse("scene.toml", text) else {
        return true;
    };
    assert!(!error.problems.is_empty() && !error.to_string().is_empty());
    false
}

/// The text with up to `most` cuts and insertions, by random numbers below a bound.
pub fn mangled(
    text: &str,
    pieces: &[&str],
    most: usize,
    random: &mut impl FnMut(usize) -> usize,
) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random(most) {
        let at = random(bytes.len());
        let piece = pieces[random(pieces.len())].bytes();
        match random(3) {
            0 => drop(bytes.splice(at..at, piece)),
            1 => drop(bytes.splice(at..(at + random(20)).min(bytes.len()), piece)),
            _ => drop(bytes.drain(at..(at + random(60)).min(bytes.len()))),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
