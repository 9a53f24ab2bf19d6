//! A ZIP archive of stored members (APPNOTE.TXT 6.3.10, PKWARE): what an `.npz` file is.

use std::io::{Error, ErrorKind, Write};

/// An archive while it is written. Sizes are counted with 32 bits, as every reader understands.
pub(super) struct Zip<W> {
    out: W,
    written: u64,
    directory: Vec<u8>,
    members: u16,
}

impl<W: Write> Zip<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, written: 0, directory: vec![], members: 0 }
    }

    /// Appends a member from pieces, which are traversed twice: for the checksum, and for writing.
    pub(super) fn member<'a, I>(&mut self, name: &str, pieces: impl Fn() -> I) -> std::io::Result<()>
    where
        I: Iterator<Item = std::borrow::Cow<'a, [u8]>>,
    {
        let (mut crc, mut size) = (Crc::new(), 0u64);
        for piece in pieces() {
            crc.add(&piece);
            size += piece.len() as u64;
        }
        let too_long = || Error::new(ErrorKind::InvalidInput, "an archive over 4 GiB; write fewer frames");
        let offset = u32::try_from(self.written).map_err(|_| too_long())?;
        let size = u32::try_from(size).map_err(|_| too_long())?;
        // Version needed, flags, method, time and date (1 January 1980: the same run makes the same file).
        let mut common = vec![];
        for word in [20u16, 0, 0, 0, 0x0021] {
            common.extend(word.to_le_bytes());
        }
        for word in [crc.finish(), size, size] {
            common.extend(word.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend(0u16.to_le_bytes());
        self.write(b"PK\x03\x04")?;
        self.write(&common)?;
        self.write(name.as_bytes())?;
        for piece in pieces() {
            self.write(&piece)?;
        }
        self.directory.extend(b"PK\x01\x02\x14\x00");
        self.directory.extend(&common);
        // No comment, first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.members += 1;
        Ok(())
    }

    pub(super) fn finish(mut self) -> std::io::Result<()> {
        let too_long = |_| Error::new(ErrorKind::InvalidInput, "an archive over 4 GiB; write fewer frames");
        let start = u32::try_from(self.written).map_err(too_long)?;
        let directory = std::mem::take(&mut self.directory);
        self.write(&directory)?;
        self.write(b"PK\x05\x06\0\0\0\0")?;
        for word in [self.members; 2] {
            self.write(&word.to_le_bytes())?;
        }
        for word in [directory.len() as u32, start] {
            self.write(&word.to_le_bytes())?;
        }
        self.write(&[0, 0])?;
        self.out.flush()
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

/// CRC-32 of ISO 3309, reflected, four bits at a time.
struct Crc(u32);

const NIBBLES: [u32; 16] = {
    let mut table = [0; 16];
    let mut n = 0;
    while n < 16 {
        let mut c = n as u32;
        let mut k = 0;
        while k < 4 {
            c = if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
            k += 1;
        }
        table[n] = c;
        n += 1;
    }
    table
};

impl Crc {
    fn new() -> Self {
        Self(!0)
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let c = self.0 ^ u32::from(byte);
            let c = (c >> 4) ^ NIBBLES[(c & 15) as usize];
            self.0 = (c >> 4) ^ NIBBLES[(c & 15) as usize];
        }
    }

    fn finish(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_standard() {
        let mut crc = Crc::new();
        crc.add(b"12345");
        crc.add(b"6789");
        assert_eq!(crc.finish(), 0xcbf4_3926);
    }
}
