//! lua, which asks realloc for everything and frees with the size it knows.

use heapwright_tests::{Program, need, same_on_both};

#[test]
fn tables_strings_and_coroutines() {
    let Some(lua) = need("lua5.4") else { return };
    let script = include_str!("../data/tables.lua");
    let run = same_on_both("lua", || Program::new(&lua).arg("-").input(script));
    assert!(run.stdout.ends_with("\ndone\n"), "{run}");
}
