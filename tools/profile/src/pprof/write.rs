//! A profile as compressed bytes.

use std::collections::HashMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::message::Out;
use super::{Line, Pprof};

impl Pprof {
    pub fn encode(&self) -> Vec<u8> {
        let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
        // A vector takes all that is written to it.
        let _ = compressed.write_all(&self.message());
        compressed.finish().unwrap_or_default()
    }

    fn message(&self) -> Vec<u8> {
        let mut strings = Strings::default();
        strings.number("");
        let mut functions: HashMap<(&str, &str), u64> = HashMap::new();
        let mut out = Out::default();
        for (name, unit) in &self.types {
            out.bytes(1, &value_type(&mut strings, name, unit));
        }
        for sample in &self.samples {
            let mut message = Out::default();
            message.packed(1, sample.locations.iter().map(|&at| at as u64 + 1));
            message.packed(2, sample.values.iter().map(|value| value.cast_unsigned()));
            out.bytes(2, &message.0);
        }
        for (at, mapping) in self.mappings.iter().enumerate() {
            let of_this = || self.locations.iter().filter(|location| location.mapping == Some(at));
            let any =
                |is: fn(&Line) -> bool| of_this().any(|location| location.lines.iter().any(is));
            let mut message = Out::default();
            message.number(1, at as u64 + 1);
            message.number(2, mapping.start);
            message.number(3, mapping.end);
            message.number(4, mapping.offset);
            message.number(5, strings.number(&mapping.path));
            message.number(6, strings.number(&mapping.build_id));
            message.number(7, any(|line| !line.function.is_empty()).into());
            message.number(8, any(|line| !line.file.is_empty()).into());
            message.number(9, any(|line| line.line != 0).into());
            message.number(10, of_this().any(|location| location.lines.len() > 1).into());
            out.bytes(3, &message.0);
        }
        for (at, location) in self.locations.iter().enumerate() {
            let mut message = Out::default();
            message.number(1, at as u64 + 1);
            message.number(2, location.mapping.map_or(0, |mapping| mapping as u64 + 1));
            message.number(3, location.address);
            for line in &location.lines {
                let next = functions.len() as u64 + 1;
                let function = *functions.entry((&line.function, &line.file)).or_insert(next);
                let mut lines = Out::default();
                lines.number(1, function);
                lines.number(2, line.line.into());
                message.bytes(4, &lines.0);
            }
            out.bytes(4, &message.0);
        }
        let mut functions: Vec<_> = functions.into_iter().collect();
        functions.sort_unstable_by_key(|(_, number)| *number);
        for ((function, file), number) in functions {
            let name = strings.number(function);
            let mut message = Out::default();
            message.number(1, number);
            message.number(2, name);
            message.number(3, name);
            message.number(4, strings.number(file));
            out.bytes(5, &message.0);
        }
        out.number(9, self.time.cast_unsigned());
        out.number(10, self.duration.cast_unsigned());
        out.bytes(11, &value_type(&mut strings, "space", "bytes"));
        out.number(12, self.period.cast_unsigned());
        let comments: Vec<u64> = self.comments.iter().map(|text| strings.number(text)).collect();
        out.packed(13, comments.into_iter());
        out.number(14, strings.number(&self.default_type));
        for string in &strings.list {
            out.bytes(6, string.as_bytes());
        }
        out.0
    }
}

pub(super) fn value_type(strings: &mut Strings, name: &str, unit: &str) -> Vec<u8> {
    let mut message = Out::default();
    message.number(1, strings.number(name));
    message.number(2, strings.number(unit));
    message.0
}

/// Strings by their numbers, each once.
#[derive(Default)]
pub(super) struct Strings {
    pub(super) list: Vec<String>,
    numbers: HashMap<String, u64>,
}

impl Strings {
    pub(super) fn number(&mut self, text: &str) -> u64 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.list.len() as u64;
        self.list.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}
