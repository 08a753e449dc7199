use super::*;

/// State for `count` numbers, as words.
fn zeros(count: usize) -> Vec<usize> {
    vec![0; Marked::bytes(count).div_ceil(size_of::<usize>())]
}

fn over(memory: &mut [usize], count: usize) -> Marked {
    // SAFETY: the tests keep the memory as long as the row.
    unsafe { Marked::new(memory.as_mut_ptr().expose_provenance(), count) }
}

#[test]
fn only_what_lies_below_the_mark_is_found() {
    let mut memory = zeros(1000);
    let mut row = over(&mut memory, 1000);
    assert_eq!((row.find(1, Some), row.longest(), row.tail()), (None, 0, 0));
    row.check().unwrap();
    row.raise(130);
    row.check().unwrap();
    assert_eq!((row.find(130, Some), row.find(131, Some), row.free()), (Some(0), None, 130));
    row.take(10, 100);
    assert_eq!((row.find(11, Some), row.tail(), row.longest()), (Some(110), 110, 20));
    assert!(row.is_taken(10, 100) && !row.is_taken(10, 101) && !row.is_taken(9, 2));
    row.raise(1000);
    row.check().unwrap();
    assert_eq!(row.find(11, |from| Some(from.next_multiple_of(64))), Some(128));
    assert_eq!(row.find(900, Some), None);
    row.give(10, 100);
    assert_eq!((row.stretch(0), row.longest()), ((1000, true), 1000));
    row.check().unwrap();
}

#[test]
fn nothing_is_touched_above_the_mark() {
    let count = 1 << 20;
    let mut memory = zeros(count);
    let mut row = over(&mut memory, count);
    row.raise(64);
    assert!(memory.iter().filter(|word| **word != 0).count() < 60);
}

#[test]
fn without_state_there_is_nothing() {
    let row = Marked::EMPTY;
    row.check().unwrap();
    assert!(row.find(1, Some).is_none() && !row.is_taken(0, 1));
    assert_eq!((row.tail(), row.longest(), row.free(), row.count(), row.mark()), (0, 0, 0, 0, 0));
}
