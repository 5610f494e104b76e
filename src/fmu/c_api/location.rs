//! Converts the resource location of an FMU from a URI to a path.

use std::path::PathBuf;

/// The resources folder. The importer passes a URI (`file:///a%20b/resources`) or, contrary to the standard, a path.
pub fn folder(location: &str) -> Result<PathBuf, String> {
    path(location, cfg!(windows)).map(PathBuf::from)
}

fn path(location: &str, windows: bool) -> Result<String, String> {
    let location = location.trim();
    if location.is_empty() {
        return Err(
            "the resource location is empty; it must be a URI such as file:///x/resources".into(),
        );
    }
    let path = match scheme(location) {
        None => location.to_owned(),
        Some("file") => decoded(of_uri(&location["file:".len()..], windows)?)?,
        Some(other) => {
            return Err(format!(
                "the resource location `{location}` has the scheme `{other}`; only `file` can be read"
            ));
        }
    };
    let path = if windows {
        without_slash_before_drive(&path)
    } else {
        path
    };
    if path.contains('\0') {
        return Err(format!(
            "the resource location `{location}` contains a null byte"
        ));
    }
    let is_absolute = if windows {
        has_drive(&path) || path.starts_with("\\\\") || path.starts_with("//")
    } else {
        path.starts_with('/')
    };
    if !is_absolute {
        return Err(format!(
            "the resource location `{location}` is not absolute; relative paths are not supported"
        ));
    }
    Ok(path)
}

// `C:` is a drive, not a scheme
fn scheme(location: &str) -> Option<&str> {
    let (scheme, _) = location.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if !is_scheme {
        return None;
    }
    Some(if scheme.eq_ignore_ascii_case("file") {
        "file"
    } else {
        scheme
    })
}

// the part after `file:`: `/path`, `//host/path`, or `//C:/path`, which is wrong but common
fn of_uri(rest: &str, windows: bool) -> Result<String, String> {
    let Some(behind) = rest.strip_prefix("//") else {
        return Ok(rest.to_owned());
    };
    let (host, path) = match behind.find(['/', '\\']) {
        Some(at) => behind.split_at(at),
        None => (behind, ""),
    };
    if host.is_empty() || host.eq_ignore_ascii_case("localhost") {
        Ok(path.to_owned())
    } else if has_drive(behind) {
        Ok(format!("/{behind}"))
    } else if windows {
        Ok(format!("//{host}{path}"))
    } else {
        Err(format!(
            "the resources are on another machine, `{host}`; they must be on this one"
        ))
    }
}

/// Decodes percent-encoding; a percent sign without two hex digits is kept.
fn decoded(text: String) -> Result<String, String> {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let digits = bytes.get(i + 1..i + 3).filter(|_| bytes[i] == b'%');
        match digits.and_then(hexadecimal) {
            Some(byte) => {
                plain.push(byte);
                i += 3;
            }
            None => {
                plain.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8(plain)
        .map_err(|_| format!("the resource location `{text}` is not UTF-8 when decoded"))
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    match digits {
        [high, low] => u8::try_from(16 * digit(*high)? + digit(*low)?).ok(),
        _ => None,
    }
}

fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes.get(2), None | Some(b'/' | b'\\'))
}

fn without_slash_before_drive(path: &str) -> String {
    match path.strip_prefix('/') {
        Some(rest) if has_drive(rest) => rest.to_owned(),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_become_paths() {
        let on_unix = |location| path(location, false).unwrap();
        let on_windows = |location| path(location, true).unwrap();
        for location in [
            "file:///a/b",
            "file:/a/b",
            "file://localhost/a/b",
            "FILE:///a/b",
            "/a/b",
        ] {
            assert_eq!(on_unix(location), "/a/b", "{location}");
        }
        assert_eq!(on_unix("file:///a%20b/%C3%BC%2B+"), "/a b/ü++");
        assert_eq!(on_unix("file:///100%/%zz/a b/ü"), "/100%/%zz/a b/ü");
        assert_eq!(
            on_unix("/100%25"),
            "/100%25",
            "a path is not percent-encoded"
        );
        for location in [
            "file:///C:/a/b",
            "file:/C:/a/b",
            "file://C:/a/b",
            "file:///C%3A/a/b",
            "C:/a/b",
        ] {
            assert_eq!(on_windows(location), "C:/a/b", "{location}");
        }
        assert_eq!(on_windows("C:\\a\\b"), "C:\\a\\b");
        assert_eq!(on_windows("file://server/share/x"), "//server/share/x");
        assert_eq!(on_windows("\\\\server\\share"), "\\\\server\\share");
    }

    #[test]
    fn what_is_no_folder_of_this_machine_is_refused() {
        for location in [
            "",
            " ",
            "a/b",
            "./a",
            "file:",
            "file://",
            "file:a",
            "http://x/y",
            "fmi2:///x",
            "file://server/x",
            "file:///a%00b",
            "file:///%ff",
            "%",
            "file:///a%0",
        ] {
            let found = path(location, false);
            assert!(
                found.is_err() || location == "file:///a%0",
                "{location}: {found:?}"
            );
        }
        assert!(path("\\a", true).is_err());
    }
}
