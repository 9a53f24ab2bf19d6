//! Base64 with padding (RFC 4648, section 4).

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as text.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word =
            group.iter().fold(0u32, |word, &byte| (word << 8) | u32::from(byte)) << (8 * (3 - group.len()));
        for i in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= group.len() { letter as char } else { '=' });
        }
    }
    text
}

/// Decodes up to the first padding or the end; white space is skipped. Returns the bytes and how much of the text was
/// used, or `None` for a letter that is none.
pub(crate) fn decode(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut word, mut letters, mut used) = (0u32, 0, text.len());
    for (i, &letter) in text.iter().enumerate() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                // One or two signs fill up the group.
                used = (i + 4 - letters % 4).min(text.len());
                break;
            }
            _ if letter.is_ascii_whitespace() => continue,
            _ => return None,
        };
        word = (word << 6) | u32::from(value);
        letters += 1;
        if letters % 4 == 0 {
            bytes.extend_from_slice(&word.to_be_bytes()[1..]);
            word = 0;
        }
    }
    match letters % 4 {
        2 => bytes.push((word >> 4) as u8),
        3 => bytes.extend_from_slice(&((word >> 2) as u16).to_be_bytes()),
        _ => {}
    }
    Some((bytes, used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_rfc() {
        for (plain, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ] {
            assert_eq!(encode(plain.as_bytes()), text);
            assert_eq!(decode(text.as_bytes()), Some((plain.as_bytes().to_vec(), text.len())));
        }
        assert_eq!(decode(b"Zg==Zm9v"), Some((b"f".to_vec(), 4)));
        assert_eq!(decode(b"Z*"), None);
    }
}
