use super::*;

fn parse(text: &str) -> (Options<'_>, usize) {
    let mut mistakes = 0;
    let options = Options::parse(text, |_| mistakes += 1);
    (options, mistakes)
}

#[test]
fn options_are_read() {
    let (options, mistakes) =
        parse("stats=1, keep=64m,hugepages=off,safe,deepbind=on,background=1");
    assert_eq!(mistakes, 0);
    assert_eq!(options.stats, Some(Stats::Now));
    assert_eq!(options.keep, Some(64 << 20));
    assert_eq!(options.huge_from, Some(usize::MAX));
    assert_eq!(options.safe, Some(true));
    assert_eq!(options.deepbind, Some(true));
    assert_eq!(options.background, Some(true));
    assert_eq!(options.check, None);
    assert_eq!(parse("stats=peak").0.stats, Some(Stats::Peak));
    assert_eq!(parse("stats=off").0.stats, Some(Stats::Off));
    assert_eq!(parse("stats=largest").1, 1);
    let both = parse("stats=/tmp/%p,stats=1").0;
    assert_eq!((both.file, both.stats, both.every), (Some("/tmp/%p"), Some(Stats::Now), None));
    let timed = |text| parse(text).0.file.zip(parse(text).0.every);
    assert_eq!(timed("stats=60s:/a/%p.json"), Some(("/a/%p.json", 60)));
    assert_eq!(timed("stats=5m:/a:b"), Some(("/a:b", 300)));
    assert_eq!(timed("stats=7:/a"), Some(("/a", 7)));
    for wrong in ["stats=0s:/a", "stats=5x:/a", "stats=60s:a", "stats=:/a", "stats=99999999999:/a"]
    {
        assert_eq!((parse(wrong).0.file, parse(wrong).1), (None, 1), "{wrong}");
    }
}

#[test]
fn mistakes_are_named_and_the_rest_counts() {
    let mut seen = [None; 2];
    let mut count = 0;
    let options = Options::parse("colour=red,keep=much,check=on", |mistake| {
        seen[count] = Some(mistake);
        count += 1;
    });
    assert_eq!(seen, [Some(Mistake::Key("colour")), Some(Mistake::Value("keep", "much"))]);
    assert_eq!(options.check, Some(true));
}

#[test]
fn sizes_have_units() {
    assert_eq!(bytes("4096"), Some(4096));
    assert_eq!(bytes("4KiB"), Some(4096));
    assert_eq!(bytes("2g"), Some(2 << 30));
    assert_eq!(bytes("2x"), None);
    assert_eq!(bytes(""), None);
    assert_eq!(bytes("99999999999999999999"), None);
}
