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
        mappings: vec![Mapping {
            start: 0x1000,
            end: 0x9000,
            offset: 0x1000,
            file: "/bin/a".to_owned(),
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
