//! Numbers for the page, quantized to 16 bits between the minimum and the maximum of a list and encoded as text. That is finer
//! than a screen, and a tenth of the size of decimal digits.

use serde_json::{Value, json};

/// Steps between the lowest and the highest value.
const STEPS: f64 = 65_535.0;
/// Code of a number that is not finite, just above the steps.
const HOLE: u16 = u16::MAX;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A list of numbers as minimum, step and codes; or a single number if all are equal.
pub fn packed(values: &[f64]) -> Value {
    let finite = || values.iter().copied().filter(|x| x.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    if low > high {
        return json!({ "all": Value::Null });
    }
    let is_whole = values.iter().all(|x| x.is_finite());
    let step = (high - low) / (STEPS - 1.0);
    if is_whole && (step == 0.0 || !step.is_finite()) {
        return json!({ "all": low });
    }
    let steps = values.iter().map(|x| {
        if x.is_finite() && step > 0.0 {
            ((x - low) / step).round() as u16
        } else if x.is_finite() {
            0
        } else {
            HOLE
        }
    });
    let bytes: Vec<u8> = steps.flat_map(u16::to_le_bytes).collect();
    json!({ "low": low, "step": step, "data": text(&bytes) })
}

/// Times with 32 bits each.
pub fn times(times: &[f64]) -> String {
    let bytes: Vec<u8> = times
        .iter()
        .flat_map(|t| (*t as f32).to_le_bytes())
        .collect();
    text(&bytes)
}

/// Base 64.
fn text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            if i > chunk.len() {
                text.push('=');
            } else {
                let letter = bits >> (18 - 6 * i) & 63;
                text.push(char::from(LETTERS[letter as usize]));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_base_64() {
        for (bytes, expected) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(text(bytes), expected);
        }
    }

    #[test]
    fn a_list_of_one_number_is_that_number() {
        assert_eq!(packed(&[0.25; 9]), json!({ "all": 0.25 }));
        assert_eq!(packed(&[f64::NAN]), json!({ "all": null }));
        let packed = packed(&[-1.0, 1.0, f64::INFINITY]);
        assert_eq!(packed["low"], json!(-1.0));
        assert_eq!(packed["data"], json!(text(&[0, 0, 0xfe, 0xff, 0xff, 0xff])));
    }
}
