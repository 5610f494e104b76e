//! Structured names: `a.b[1,2].c`, `der(a.x,2)`, `'any text'.y`.

/// Does a name follow the convention?
pub fn is_structured(name: &str) -> bool {
    let derivative = name
        .strip_prefix("der(")
        .and_then(|inside| inside.strip_suffix(')'));
    match derivative {
        None => is_path(name),
        Some(inside) => match inside.rsplit_once(',') {
            Some((path, order)) if is_number(order) => is_path(path),
            _ => is_path(inside),
        },
    }
}

fn is_path(text: &str) -> bool {
    let mut rest = text;
    loop {
        let Some(behind) = after_name(rest).and_then(after_indices) else {
            return false;
        };
        match behind.strip_prefix('.') {
            Some(next) => rest = next,
            None => return behind.is_empty(),
        }
    }
}

/// The rest after a name, plain or quoted.
fn after_name(text: &str) -> Option<&str> {
    if let Some(quoted) = text.strip_prefix('\'') {
        let mut escaped = false;
        for (at, c) in quoted.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '\'' => return (at > 0).then(|| &quoted[at + 1..]),
                _ => {}
            }
        }
        return None;
    }
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.find(|c| !is_inside(c)).unwrap_or(text.len());
    let starts_normally = text.starts_with(|c: char| is_inside(c) && !c.is_ascii_digit());
    starts_normally.then(|| &text[end..])
}

/// The rest after optional indices in brackets.
fn after_indices(text: &str) -> Option<&str> {
    let Some(inside) = text.strip_prefix('[') else {
        return Some(text);
    };
    let (indices, behind) = inside.split_once(']')?;
    let are_good = indices.split(',').all(|index| is_number(index.trim()));
    are_good.then_some(behind)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structured_names_are_recognized() {
        for good in [
            "a",
            "_a1.b",
            "a[1]",
            "a[1,2].b[3]",
            "a[1, 2]",
            "der(x)",
            "der(a.b[1])",
            "der(x,2)",
            "'any text!'",
            "a.'#1'.b",
            "'it\\'s'",
            "der('x')",
        ] {
            assert!(is_structured(good), "{good}");
        }
        for bad in [
            "",
            "1a",
            "a b",
            "a.",
            ".a",
            "a..b",
            "a[",
            "a[]",
            "a[x]",
            "a[1]b",
            "der(",
            "der()",
            "der(x",
            "'",
            "''",
            "'a",
            "a-b",
            "der(der(x))",
            "a\u{fc}",
        ] {
            assert!(!is_structured(bad), "{bad}");
        }
    }
}
