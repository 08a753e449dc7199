//! gdb, which allocates inside the program it looks at, and so has to know what malloc returns.

use heapwright_tests::{Malloc, Program, need};

#[test]
fn strings_are_made_inside_the_program() {
    let Some(gdb) = need("gdb") else { return };
    let said = |malloc| {
        let commands = [
            "set startup-with-shell off",
            "catch syscall exit_group",
            "run",
            "print (char*)strdup(\"abc\")",
        ];
        let arguments = commands.iter().flat_map(|command| ["-ex", command]);
        Program::new(&gdb).args(["-batch", "-nx"]).args(arguments).arg("/bin/true").run(malloc)
    };
    let plain = said(Malloc::Plain);
    if !plain.stdout.contains("\"abc\"") {
        println!("skipped: gdb may start no program here: {plain}");
        return;
    }
    let ours = said(Malloc::Ours);
    assert!(ours.stdout.contains("\"abc\""), "{ours}");
}
