use super::*;

#[test]
fn where_a_profile_begins_again_only_what_is_watched_stays() {
    let block = |at: usize| core::ptr::without_provenance_mut::<u8>(at);
    // One beside it, whose count is in the same page, and one far away.
    let (watched, beside, far) = (block(0x1_2000), block(0x1_5010), block(0x5000_0010));
    assert!(begin(false));
    watch(watched);
    assert!(insert(beside) && insert(far));
    assert!(begin(false));
    assert!(may_have(watched) && !may_have(beside) && !may_have(far));
    assert!(!has(beside) && !has(far));
}
