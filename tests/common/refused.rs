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
