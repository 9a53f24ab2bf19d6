//! Damage of the kinds that files suffer, and of the kinds that enemies make.

/// Numbers at which programs break.
const WORDS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "3",
    "4",
    "255",
    "256",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "1e308",
    "nan",
    "-9223372036854775808",
];
const INTEGERS: [u64; 8] =
    [0, 1, 0x7f, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff];

/// A deterministic source of damage (splitmix64).
pub(crate) struct Mutator {
    state: u64,
}

impl Mutator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// One of the seeds with one to eight damages.
    pub(crate) fn mutated(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(8) {
            self.damage(&mut bytes, seeds);
        }
        bytes
    }

    fn damage(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let at = self.below(bytes.len());
        let length = 1 + self.below(16.min(bytes.len().max(1)));
        let end = (at + length).min(bytes.len());
        match self.below(11) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
            1 if !bytes.is_empty() => bytes[at] = self.next() as u8,
            2 => {
                bytes.drain(at.min(end)..end);
            }
            3 => {
                let piece = bytes[at.min(end)..end].to_vec();
                for _ in 0..=self.below(20) {
                    bytes.splice(at..at, piece.iter().copied());
                }
            }
            4 => bytes.truncate(at),
            5 => {
                let random: Vec<u8> = (0..length).map(|_| self.next() as u8).collect();
                bytes.splice(at..at, random);
            }
            6 | 7 => self.replace_number(bytes, at),
            8 => {
                let value = INTEGERS[self.below(INTEGERS.len())].wrapping_add(self.below(3) as u64);
                let width = [1, 2, 4, 8][self.below(4)];
                let raw = if self.below(2) == 0 {
                    value.to_le_bytes()[..width].to_vec()
                } else {
                    value.to_be_bytes()[8 - width..].to_vec()
                };
                let end = (at + width).min(bytes.len());
                bytes.splice(at.min(end)..end, raw);
            }
            9 => {
                let other = &seeds[self.below(seeds.len())];
                let from = self.below(other.len());
                let length = self.below(other.len() - from);
                let piece = other[from..from + length].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                // Swap two lines.
                let line = |from: usize| {
                    let start = bytes[..from].iter().rposition(|&byte| byte == b'\n').map_or(0, |i| i + 1);
                    let end = bytes[from..]
                        .iter()
                        .position(|&byte| byte == b'\n')
                        .map_or(bytes.len(), |i| from + i);
                    start..end
                };
                let (first, second) = (line(at), line(self.state as usize % bytes.len().max(1)));
                if first.end <= second.start {
                    let (a, b) = (bytes[first.clone()].to_vec(), bytes[second.clone()].to_vec());
                    bytes.splice(second, a);
                    bytes.splice(first, b);
                }
            }
        }
    }

    /// A number in text near `at` becomes another one.
    fn replace_number(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let Some(start) = bytes[at.min(bytes.len())..].iter().position(u8::is_ascii_digit).map(|i| at + i)
        else {
            return;
        };
        let end =
            bytes[start..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |i| start + i);
        let word = WORDS[self.below(WORDS.len())];
        bytes.splice(start..end, word.bytes());
    }
}
