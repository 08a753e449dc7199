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
    assert_eq!((both.file, both.stats), (Some("/tmp/%p"), Some(Stats::Now)));
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
