use super::*;
use source::Failing;
use source::os::Os;

#[test]
fn mappings_come_and_go_and_the_table_grows() {
    let huge = Huge::<Os>::new();
    let mut live = [0usize; 300];
    for at in &mut live {
        *at = huge.allocate(&Os, 5000, 1).expect("memory");
        assert_eq!(huge.len_of(*at), Some(8192));
    }
    huge.check().expect("intact");
    for at in live.iter().step_by(2) {
        assert!(huge.deallocate(&Os, *at));
        assert!(!huge.deallocate(&Os, *at), "only once");
    }
    huge.check().expect("intact");
    for at in live.iter().skip(1).step_by(2) {
        let moved = huge.resize(&Os, *at, 3 << 20).expect("memory");
        assert_eq!(moved % BLOCK, 0);
        assert!(huge.deallocate(&Os, moved));
    }
    huge.check().expect("intact");
    assert_eq!((huge.count(), huge.bytes()), (0, 0));
    assert_eq!(huge.len_of(0), None);
}

#[test]
fn absurd_sizes_are_refused() {
    let huge = Huge::<Os>::new();
    assert_eq!(huge.allocate(&Os, usize::MAX, 1), None);
    assert_eq!(huge.allocate(&Os, 1 << 60, 1), None);
}

#[test]
fn the_end_goes_back_and_stays_where_the_system_refuses() {
    let source = Failing::new(Os);
    let huge = Huge::new();
    let at = huge.allocate(&source, 3 << 20, 1).expect("memory");
    assert_eq!(huge.resize(&source, at, 2 << 20), Some(at));
    assert_eq!((huge.len_of(at), huge.bytes()), (Some(2 << 20), 2 << 20));
    assert_eq!(huge.resize(&source, at, 2 << 20), Some(at), "nothing to do");
    source.fail_nth(1);
    assert_eq!(huge.resize(&source, at, 1 << 20), None);
    assert_eq!((huge.len_of(at), huge.bytes()), (Some(2 << 20), 2 << 20));
    huge.check().expect("intact");
}
