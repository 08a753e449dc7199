//! A profile from its bytes, whoever wrote it.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use trace::{Module, NumberMap};

use super::message::{Value, fields};
use super::{Line, Location, Pprof, PprofError, Sample};

/// A profile is not longer when it is no longer compressed.
const LONGEST: u64 = 1 << 30;

impl Pprof {
    /// The profile of a file, compressed or not.
    /// Errors: it is none.
    pub fn decode(bytes: &[u8]) -> Result<Self, PprofError> {
        let mut message = Vec::new();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut plain = MultiGzDecoder::new(bytes).take(LONGEST + 1);
            let read = plain.read_to_end(&mut message);
            read.map_err(|error| PprofError(format!("it cannot be decompressed: {error}")))?;
            if message.len() as u64 > LONGEST {
                return Err(PprofError("it is longer than 1 GiB".to_owned()));
            }
        } else {
            message.extend_from_slice(bytes);
        }
        let profile = profile(&message).filter(|profile| !profile.types.is_empty());
        profile.ok_or_else(|| PprofError("it is no profile in pprof's format".to_owned()))
    }
}

/// Fields by their numbers in `profile.proto`.
fn profile(message: &[u8]) -> Option<Pprof> {
    let (mut types, mut samples, mut mappings) = (Vec::new(), Vec::new(), Vec::new());
    let (mut locations, mut functions, mut strings) = (Vec::new(), Vec::new(), Vec::new());
    let (mut out, mut comments, mut default) = (Pprof::default(), Vec::new(), 0);
    for field in fields(message) {
        let (number, value) = field?;
        match number {
            1 => types.push(numbers::<2>(value)?),
            2 => samples.push(sample(value.bytes())?),
            3 => mappings.push(numbers::<6>(value)?),
            4 => locations.push(location(value.bytes())?),
            5 => functions.push(numbers::<4>(value)?),
            6 => strings.push(String::from_utf8_lossy(value.bytes()).into_owned()),
            9 => out.time = value.number().cast_signed(),
            10 => out.duration = value.number().cast_signed(),
            12 => out.period = value.number().cast_signed(),
            13 => comments.extend(value.numbers()?),
            14 => default = value.number(),
            _ => {}
        }
    }
    let string = |number: u64| {
        let text = usize::try_from(number).ok().and_then(|number| strings.get(number));
        text.cloned().unwrap_or_default()
    };
    let mapping_of: NumberMap<u64, usize> =
        mappings.iter().enumerate().map(|(at, mapping)| (mapping[0], at)).collect();
    let function_of: NumberMap<u64, [u64; 4]> =
        functions.into_iter().map(|function| (function[0], function)).collect();
    let location_of: NumberMap<u64, usize> =
        locations.iter().enumerate().map(|(at, raw): (_, &RawLocation)| (raw.id, at)).collect();
    out.types = types.iter().map(|&[name, unit]| (string(name), string(unit))).collect();
    out.mappings = mappings
        .iter()
        .map(|&[_, start, end, offset, file, build_id]| {
            let (path, build_id) = (string(file), string(build_id));
            Module { start, end, offset, base: None, path, build_id }
        })
        .collect();
    let line = |&(function, line): &(u64, u64)| {
        let [_, name, _, file] = function_of.get(&function).copied().unwrap_or_default();
        let line = u32::try_from(line).unwrap_or_default();
        Line { function: string(name), file: string(file), line }
    };
    out.locations = locations
        .iter()
        .map(|raw| Location {
            mapping: mapping_of.get(&raw.mapping).copied(),
            address: raw.address,
            lines: raw.lines.iter().map(line).collect(),
        })
        .collect();
    for (ids, values) in samples {
        // Each has a value of each type.
        if values.len() != out.types.len() {
            return None;
        }
        let locations: Option<Vec<usize>> =
            ids.iter().map(|id| location_of.get(id).copied()).collect();
        let values = values.into_iter().map(u64::cast_signed).collect();
        out.samples.push(Sample { locations: locations?, values });
    }
    out.comments = comments.into_iter().map(string).collect();
    out.default_type = string(default);
    Some(out)
}

/// The first fields of a message of numbers.
fn numbers<const N: usize>(value: Value<'_>) -> Option<[u64; N]> {
    let mut all = [0; N];
    for field in fields(value.bytes()) {
        let (number, value) = field?;
        if let Some(place) =
            usize::try_from(number).ok().and_then(|n| all.get_mut(n.wrapping_sub(1)))
        {
            *place = value.number();
        }
    }
    Some(all)
}

fn sample(message: &[u8]) -> Option<(Vec<u64>, Vec<u64>)> {
    let (mut locations, mut values) = (Vec::new(), Vec::new());
    for field in fields(message) {
        match field? {
            (1, value) => locations.extend(value.numbers()?),
            (2, value) => values.extend(value.numbers()?),
            _ => {}
        }
    }
    Some((locations, values))
}

#[derive(Default)]
struct RawLocation {
    id: u64,
    mapping: u64,
    address: u64,
    lines: Vec<(u64, u64)>,
}

fn location(message: &[u8]) -> Option<RawLocation> {
    let mut raw = RawLocation::default();
    for field in fields(message) {
        match field? {
            (1, value) => raw.id = value.number(),
            (2, value) => raw.mapping = value.number(),
            (3, value) => raw.address = value.number(),
            (4, value) => {
                let [function, line] = numbers::<2>(value)?;
                raw.lines.push((function, line));
            }
            _ => {}
        }
    }
    Some(raw)
}
