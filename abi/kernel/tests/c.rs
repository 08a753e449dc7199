//! Runs every program of `tests/c` on `libheapwright_kernel`, linked statically and as a shared library, and the examples.
//!
//! Each program checks one rule of `heapwright/kernel.h`; its first line names it. Marks may follow:
//!
//! | mark | meaning |
//! |---|---|
//! | `// build: FLAGS` | compiled with these as well |
//! | `// expect: LINE` | must abort with SIGABRT, and this is all that is on standard error |
//!
//! In it `{it}` is the last line of the program's output, and `{first}` the first.
#![expect(
    clippy::disallowed_macros,
    reason = "the runner is no part of the allocator: it may format and print"
)]

#[path = "../../tests/runner/build.rs"]
mod build;
#[macro_use]
#[path = "../../tests/runner/of_own.rs"]
mod of_own;

use core::time::Duration;
use std::env;
use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Instant;

use of_own::{compiler, home, object, read, run};

/// How long a program may run: far longer than any needs.
const LIMIT: Duration = Duration::from_secs(120);
const SIGABRT: i32 = 6;

mod c {
    programs! { "c":
        destroy_many everything_threads fork_everything fork_kmem fork_vmalloc fork_vmalloc_freed fork_zs
        kfree_any_cache kmalloc_cleared kmalloc_fortified kmalloc_large kmalloc_sizes kmalloc_threads
        kmalloc_zero kmem_alloc kmem_bulk kmem_bulk_exhausted kmem_create kmem_ctor kmem_ctor_elsewhere
        kmem_exhausted kmem_order kmem_sheaf kmem_sheaf_most kmem_shrink kmem_slabinfo kmem_threads krealloc
        kstrdup kvmalloc
        misuse_free_page misuse_free_page_mapped misuse_kfree_foreign misuse_kfree_inside misuse_kfree_large
        misuse_kfree_twice misuse_kmem_block misuse_kmem_bulk_twice misuse_kmem_ctor_self
        misuse_kmem_ctor_self_threads misuse_kmem_destroy_live misuse_kmem_destroy_twice misuse_kmem_destroyed
        misuse_kmem_foreign misuse_kmem_free_later misuse_kmem_free_twice misuse_kmem_inside misuse_kmem_null
        misuse_kmem_null_cache misuse_kmem_panic misuse_kmem_poison misuse_kmem_pool misuse_kmem_red_zone
        misuse_kmem_sheaf misuse_kmem_sheaf_twice misuse_kmem_users misuse_kmem_wrong_cache
        misuse_kmem_zeroed_ctor misuse_krealloc misuse_ksize misuse_kvfree_twice misuse_page_address
        misuse_vfree_foreign misuse_vfree_inside misuse_vfree_twice misuse_vmap misuse_vrealloc
        misuse_vunmap_vmalloc misuse_xv_destroy_live misuse_xv_destroy_twice misuse_xv_destroyed
        misuse_xv_foreign misuse_xv_free_twice misuse_zs_destroy_live misuse_zs_destroy_twice
        misuse_zs_destroyed misuse_zs_foreign misuse_zs_free_read misuse_zs_free_twice misuse_zs_nofail
        misuse_zs_null misuse_zs_read_end misuse_zs_stale misuse_zs_write_beyond variants vmalloc_basic
        vmalloc_closed vmalloc_exhausted vmalloc_guard vmalloc_info vmalloc_page_far vmalloc_scattered
        vmalloc_stdout vmalloc_threads vmalloc_to_page vmalloc_written_freed vmap_frames vrealloc xv_basic
        xv_exhausted xv_sizes xv_threads zs_basic zs_classes zs_compact zs_destroy_memory zs_exhausted zs_sizes
        zs_threads
    }
}

mod cxx {
    programs! { "cc": header }
}

examples! { costs driver ring zram }

/// Builds the libraries, once, and gives their folder.
fn libraries() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| build::build(env!("CARGO_PKG_NAME"), ""))
}

fn programs() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernel");
    fs::create_dir_all(&folder).expect("the folder for programs can be made");
    folder
}

/// Waits for a program, or ends it where it takes longer than any may.
fn wait(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        if begun.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            panic!("it hangs");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Runs a program to its end: how it ended, its output and what is on standard error, each shorter than a pipe.
fn end(binary: &Path) -> (ExitStatus, String, String) {
    let mut child = Command::new(binary)
        // Where cargo looks for libraries there may be an older one.
        .env_remove("LD_LIBRARY_PATH")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{} cannot be started: {error}", binary.display()));
    let status = wait(&mut child);
    let text = |pipe: &mut dyn Read| {
        let mut text = String::new();
        pipe.read_to_string(&mut text).expect("text");
        text
    };
    let said = text(&mut child.stdout.take().expect("piped"));
    (status, said, text(&mut child.stderr.take().expect("piped")))
}

/// Compiles and runs `tests/c/NAME.EXTENSION` on both libraries.
fn program(name: &str, extension: &str) {
    let source = home().join("tests/c").join(name).with_extension(extension);
    let (text, rule) = read(&source);
    let marks = || text.lines().skip(1).map_while(|line| line.strip_prefix("// "));
    let mark = |mark: &str| marks().find_map(|line| line.strip_prefix(mark));
    let (expected, flags) = (mark("expect: "), mark("build: ").unwrap_or_default());
    let object = compile(&source, flags);
    for shared in [false, true] {
        let binary = link(&object, shared);
        println!("{rule}: {}", binary.display());
        let (status, said, wrong) = end(&binary);
        let Some(expected) = expected else {
            assert!(status.success(), "{status}\n{said}{wrong}");
            continue;
        };
        let lines = || said.lines();
        let (first, it) = (lines().next().unwrap_or_default(), lines().last().unwrap_or_default());
        assert_eq!(status.signal(), Some(SIGABRT), "{status}\n{said}{wrong}");
        assert_eq!(wrong, expected.replace("{first}", first).replace("{it}", it) + "\n");
    }
}

fn example(name: &str) {
    let source = home().join("examples").join(name).with_extension("c");
    let binary = link(&compile(&source, ""), false);
    println!("{}", String::from_utf8_lossy(&run(&mut Command::new(&binary)).stdout));
}

/// Compiles a program with the system's compiler, strict.
fn compile(source: &Path, flags: &str) -> PathBuf {
    let is_cxx = source.extension().is_some_and(|extension| extension == "cc");
    let mut compiler = compiler(is_cxx, "-std=c99");
    compiler.args(["-D_GNU_SOURCE", "-pthread"]).args(flags.split_whitespace());
    object(compiler, source, &programs())
}

/// Links a program of C or C++ to a library.
fn link(object: &Path, shared: bool) -> PathBuf {
    let is_cxx =
        object.file_stem().is_some_and(|stem| Path::new(stem).extension() == Some("cc".as_ref()));
    let folder = libraries();
    let binary = object.with_extension(if shared { "shared" } else { "static" });
    let mut compiler = compiler(is_cxx, "-std=c99");
    compiler.arg("-pthread").arg(object).arg("-o").arg(&binary);
    if shared {
        compiler.arg(folder.join("libheapwright_kernel.so"));
        compiler.arg(format!("-Wl,-rpath,{}", folder.display()));
    } else {
        compiler.arg(folder.join("libheapwright_kernel.a"));
    }
    run(&mut compiler);
    binary
}
