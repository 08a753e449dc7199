use super::*;

fn sample() -> Pprof {
    let line = |function: &str, line| Line {
        function: function.to_owned(),
        file: "/src/a.c".to_owned(),
        line,
    };
    Pprof {
        types: TYPES.map(|(name, unit)| (name.to_owned(), unit.to_owned())).to_vec(),
        samples: vec![
            Sample { locations: vec![0, 1], values: vec![3, 300, 1, i64::MAX] },
            Sample { locations: vec![1], values: vec![1, 7, 0, -1] },
            Sample { locations: vec![], values: vec![0, 0, 0, 1] },
        ],
        mappings: vec![Module {
            start: 0x1000,
            end: 0x9000,
            offset: 0x1000,
            base: None,
            path: "/bin/a".to_owned(),
            build_id: "abcd".to_owned(),
        }],
        locations: vec![
            Location {
                mapping: Some(0),
                address: 0x1234,
                lines: vec![line("inner", 7), line("outer", 0)],
            },
            Location { mapping: None, address: u64::MAX, lines: vec![] },
        ],
        time: 1_700_000_000_000_000_000,
        duration: 12,
        period: 524_288,
        comments: vec!["a program".to_owned()],
        default_type: "inuse_space".to_owned(),
    }
}

#[test]
fn what_is_written_is_read() {
    let profile = sample();
    let bytes = profile.encode();
    assert!(bytes.starts_with(&[0x1f, 0x8b]));
    assert_eq!(Pprof::decode(&bytes), Ok(profile));
}

/// What was allocated later was in the profile of a moment, too.
#[test]
fn the_profile_of_a_moment_is_of_what_was_by_then() {
    let profile = crate::testing::profile();
    let sums = |inuse: Inuse<'_>| {
        let samples = Pprof::of(&profile, inuse).samples;
        [1, 3].map(|at| samples.iter().map(|sample| sample.values[at]).sum::<i64>())
    };
    assert_eq!(sums(Inuse::End), [3570, 2500]);
    assert_eq!(sums(Inuse::At(&profile.moments[0])), [3000, 2000]);
}

#[test]
fn what_is_no_profile_is_refused_and_never_a_panic() {
    let bytes = sample().encode();
    for len in 0..bytes.len() {
        assert!(Pprof::decode(&bytes[..len]).is_err(), "{len}");
    }
    let plain = {
        use std::io::Read as _;
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
        plain
    };
    assert_eq!(Pprof::decode(&plain), Ok(sample()));
    let mut random = 1_u64;
    for _ in 0..20_000 {
        let mut damaged = plain.clone();
        for _ in 0..3 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (random >> 33) as usize % damaged.len();
            damaged[at] = (random >> 20).to_le_bytes()[0];
        }
        let _ = Pprof::decode(&damaged);
    }
    assert!(Pprof::decode(b"hello").is_err());
    assert!(Pprof::decode(&[]).is_err());
}

/// The same message as OpenTelemetry's own library reads it is in `docs/profiling.md`; here is its shape.
#[test]
fn otlp_has_a_profile_for_each_type_and_one_dictionary() {
    use super::message::{Value, fields};

    let bytes = sample().otlp(12, "a program");
    let all = |bytes: &[u8], field: u64| -> Vec<Vec<u8>> {
        let of = fields(bytes).map(|found| found.expect("it is whole"));
        of.filter(|(number, _)| *number == field).map(|(_, value)| value.bytes().to_vec()).collect()
    };
    let scope = &all(&all(&bytes, 1)[0], 2)[0];
    let profiles = all(scope, 2);
    // A sample without a value of a type is not in its profile.
    assert_eq!(profiles.iter().map(|p| all(p, 2).len()).collect::<Vec<_>>(), [2, 2, 1, 3]);
    let dictionary = &all(&bytes, 2)[0];
    // The first of each table is none: mappings, locations, functions, links, attributes, stacks.
    let tables = [1, 2, 3, 4, 6, 7].map(|table| all(dictionary, table));
    assert_eq!(tables.each_ref().map(Vec::len), [2, 3, 3, 1, 2, 4]);
    assert!(tables.iter().all(|table| table[0].is_empty()));
    let strings = all(dictionary, 5);
    assert!(strings[0].is_empty() && strings.contains(&b"outer".to_vec()));
    let stacks: Vec<_> = tables[5][1..]
        .iter()
        .map(|stack| {
            fields(stack)
                .flatten()
                .flat_map(|(_, at)| Value::numbers(at).unwrap())
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(stacks, [vec![1, 2], vec![2], vec![]]);
}
