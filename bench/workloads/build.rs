//! Compiles the workloads that are in C, with their calls of malloc going to `heap`.

fn main() {
    println!("cargo::rerun-if-changed=c");
    let mut build = cc::Build::new();
    for (name, to) in [
        ("malloc", "work_malloc"),
        ("free", "work_free"),
        ("calloc", "work_calloc"),
        ("realloc", "work_realloc"),
        ("aligned_alloc", "work_aligned_alloc"),
    ] {
        // After the system's headers, which `work.h` includes first.
        build.define(&format!("WORK_{}", name.to_uppercase()), to);
    }
    build.include("c").flag("-std=c11").flag("-pthread").warnings(true).extra_warnings(true);
    build.flag("-fno-builtin-malloc").flag("-fno-builtin-free").flag("-fno-builtin-calloc");
    build.flag("-fno-builtin-realloc").opt_level(2);
    build.files(["c/mitest.c", "c/multi_thread.c"]).compile("work");
}
