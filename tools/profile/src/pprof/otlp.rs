//! OTLP's `ProfilesData`, as OpenTelemetry's collector takes it: development state of 2026, which may change.
//!
//! ```text
//! ProfilesData [ resource: the process [ scope: heapwright [ a profile for each type of value ]]]
//!              [ dictionary: mappings, locations, functions, strings, attributes, stacks; the first of each is none ]
//! ```

use std::collections::HashMap;

use super::message::Out;
use super::write::{Strings, value_type};
use super::{Pprof, Sample};

/// The attribute of a mapping with its build id.
const BUILD_ID: &str = "process.executable.build_id.gnu";

impl Pprof {
    /// The whole message, not compressed. `process` is its number, and `command` the program with its arguments.
    pub fn otlp(&self, process: u32, command: &str) -> Vec<u8> {
        let mut strings = Strings::default();
        strings.number("");
        let mut resource = Out::default();
        resource.bytes(
            1,
            &attribute("process.command_line", |value| {
                value.bytes(1, command.as_bytes());
            }),
        );
        resource.bytes(1, &attribute("process.pid", |value| value.number(3, process.into())));
        let mut scope = Out::default();
        scope.bytes(1, b"heapwright");
        scope.bytes(2, env!("CARGO_PKG_VERSION").as_bytes());
        let mut profiles = Out::default();
        profiles.bytes(1, &scope.0);
        // A profile without samples is refused by those who read it.
        let has_any = |at: &usize| self.samples.iter().any(|sample| sample.value(*at) != 0);
        for at in (0..self.types.len()).filter(has_any) {
            profiles.bytes(2, &self.profile(at, &mut strings));
        }
        let mut process = Out::default();
        process.bytes(1, &resource.0);
        process.bytes(2, &profiles.0);
        let mut out = Out::default();
        out.bytes(1, &process.0);
        out.bytes(2, &self.dictionary(&mut strings));
        out.0
    }

    /// The samples with their values of one type.
    fn profile(&self, at: usize, strings: &mut Strings) -> Vec<u8> {
        let mut out = Out::default();
        let (name, unit) = &self.types[at];
        out.bytes(1, &value_type(strings, name, unit));
        for (stack, sample) in (1..).zip(&self.samples) {
            let value = sample.value(at);
            if value == 0 {
                continue;
            }
            let mut message = Out::default();
            message.number(1, stack);
            message.packed(4, [value.cast_unsigned()].into_iter());
            out.bytes(2, &message.0);
        }
        out.fixed(3, self.time.cast_unsigned());
        out.number(4, self.duration.cast_unsigned());
        out.bytes(5, &value_type(strings, "space", "bytes"));
        out.number(6, self.period.cast_unsigned());
        out.0
    }

    fn dictionary(&self, strings: &mut Strings) -> Vec<u8> {
        let mut out = Out::default();
        // The first of each table is none.
        (1..=4).chain(6..=7).for_each(|table| out.bytes(table, &[]));
        // Build ids are the attributes, in the order of their mappings.
        let mut attributes = 0;
        for mapping in &self.mappings {
            let mut message = Out::default();
            message.number(1, mapping.start);
            message.number(2, mapping.end);
            message.number(3, mapping.offset);
            message.number(4, strings.number(&mapping.path));
            if !mapping.build_id.is_empty() {
                attributes += 1;
                message.packed(5, [attributes].into_iter());
            }
            out.bytes(1, &message.0);
        }
        let mut functions: HashMap<(&str, &str), u64> = HashMap::new();
        for location in &self.locations {
            let mut message = Out::default();
            message.number(1, location.mapping.map_or(0, |mapping| mapping as u64 + 1));
            message.number(2, location.address);
            for line in &location.lines {
                let next = functions.len() as u64 + 1;
                let number = *functions.entry((&line.function, &line.file)).or_insert(next);
                if number == next {
                    let name = strings.number(&line.function);
                    let mut function = Out::default();
                    function.number(1, name);
                    function.number(2, name);
                    function.number(3, strings.number(&line.file));
                    out.bytes(3, &function.0);
                }
                let mut lines = Out::default();
                lines.number(1, number);
                lines.number(2, line.line.into());
                message.bytes(3, &lines.0);
            }
            out.bytes(2, &message.0);
        }
        for mapping in self.mappings.iter().filter(|mapping| !mapping.build_id.is_empty()) {
            let mut value = Out::default();
            value.bytes(1, mapping.build_id.as_bytes());
            let mut message = Out::default();
            message.number(1, strings.number(BUILD_ID));
            message.bytes(2, &value.0);
            out.bytes(6, &message.0);
        }
        for sample in &self.samples {
            let mut message = Out::default();
            message.packed(1, sample.locations.iter().map(|&at| at as u64 + 1));
            out.bytes(7, &message.0);
        }
        for string in &strings.list {
            out.bytes(5, string.as_bytes());
        }
        out.0
    }
}

impl Sample {
    fn value(&self, at: usize) -> i64 {
        self.values.get(at).copied().unwrap_or_default()
    }
}

/// An attribute by its own name.
fn attribute(key: &str, value: impl FnOnce(&mut Out)) -> Vec<u8> {
    let (mut any, mut out) = (Out::default(), Out::default());
    value(&mut any);
    out.bytes(1, key.as_bytes());
    out.bytes(2, &any.0);
    out.0
}
