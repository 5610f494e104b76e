//! Numbers and counts for people.

/// Six significant digits, without an exponent where that is readable.
pub fn short(x: f64) -> String {
    const DIGITS: i32 = 6;
    if x == 0.0 {
        return "0".to_owned();
    }
    if !x.is_finite() {
        return format!("{x}");
    }
    // rounding first: 9.9999999 has the exponent of 10
    let rounded = format!("{x:.*e}", DIGITS as usize - 1);
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..DIGITS).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent).max(0) as usize;
        trimmed(&format!("{x:.decimals$}")).to_owned()
    } else {
        format!("{}e{exponent}", trimmed(mantissa))
    }
}

fn trimmed(number: &str) -> &str {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
}

/// With three significant digits.
pub fn rounded(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// Text and spaces after it, up to a width of any size.
pub fn padded(text: &str, width: usize) -> String {
    let spaces = width.saturating_sub(text.chars().count());
    let mut padded = text.to_owned();
    padded.extend(std::iter::repeat_n(' ', spaces));
    padded
}

/// `1 step`, `2 steps`.
pub fn count(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_readable() {
        for (x, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (10.0, "10"),
            (100_000.0, "100000"),
            (-0.5, "-0.5"),
            (1.0 / 3.0, "0.333333"),
            (9.999_999_99, "10"),
            (1234.56789, "1234.57"),
            (1e-3, "0.001"),
            (2.5e-13, "2.5e-13"),
            (1e6, "1e6"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(short(x), text);
        }
    }
}
