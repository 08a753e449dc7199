use super::*;
use crate::PageSource;
use crate::os::Os;

#[test]
fn what_is_there_is_copied_and_what_is_not_is_gone() {
    let words = [3, 1, 4, 1, 5];
    let mut copy = [0; 5];
    assert_eq!(peek(words.as_ptr().expose_provenance(), &mut copy), Peek::Copied);
    assert_eq!(copy, words);
    copy = [0; 5];
    assert_eq!(peek_alone(words.as_ptr().expose_provenance(), &mut copy), Peek::Copied);
    assert_eq!(copy, words);
    let at = Os.map(8192, 4096).expect("two pages");
    assert_eq!(peek(at + 4072, &mut copy), Peek::Copied);
    assert_eq!(copy, [0; 5]);
    // SAFETY: the second page, which nobody uses.
    assert!(unsafe { Os.release(at + 4096, 4096) });
    assert_eq!(peek(at + 4072, &mut copy), Peek::Gone, "half of it");
    assert_eq!(peek(at + 4096, &mut copy), Peek::Gone);
    assert_eq!(peek_alone(at + 4072, &mut copy), Peek::Gone, "half of it");
    assert_eq!(peek_alone(at + 4056, &mut copy), Peek::Copied);
    assert_eq!(peek_alone(at + 4096, &mut copy), Peek::Gone);
    // SAFETY: the first page, likewise.
    assert!(unsafe { Os.release(at, 4096) });
}
