//! Base64 as VTU files use it (RFC 4648, section 4): several padded pieces may follow each other, with white space between.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD};

/// Accepts pieces that were cut before their padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Bytes as text.
pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Decodes up to the first padding or the end; white space is skipped. Returns the bytes and how much of the text was
/// used, or `None` for a character outside the alphabet.
pub(crate) fn decode(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let end = text.iter().position(|&letter| letter == b'=').unwrap_or(text.len());
    let mut letters: Vec<u8> =
        text[..end].iter().copied().filter(|letter| !letter.is_ascii_whitespace()).collect();
    // One or two signs fill up the last group of four.
    let used = if end < text.len() { (end + 4 - letters.len() % 4).min(text.len()) } else { end };
    // A single letter holds less than a byte.
    if letters.len() % 4 == 1 {
        letters.pop();
    }
    LENIENT.decode(letters).ok().map(|bytes| (bytes, used))
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
        assert_eq!(decode(b"Zm9v\n Zg"), Some((b"foof".to_vec(), 8)));
        assert_eq!(decode(b"Z*"), None);
    }
}
