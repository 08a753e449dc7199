use super::*;
use crate::os::Os;

#[test]
fn only_whole_pages_are_passed_on() {
    let source = Paged::<Os, 65_536>::new(Os);
    let at = source.map(1 << 17, 4096).expect("memory");
    assert!(at.is_multiple_of(65_536), "placed by its own page");
    // SAFETY: mapped above, nobody needs the contents.
    assert!(unsafe { source.purge(at, 65_536) });
    assert_eq!(source.strays(), 0);
    // SAFETY: as above.
    assert!(!unsafe { source.purge(at, 16_384) });
    // SAFETY: as above.
    assert!(!unsafe { source.purge(at + 16_384, 65_536) });
    assert_eq!(source.strays(), 2);
    // SAFETY: nobody uses the range.
    assert!(unsafe { source.release(at, 1 << 17) });
}
