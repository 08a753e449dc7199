use std::io;
use std::sync::{Arc, Mutex};

use super::*;
use crate::testing::script;

/// Takes what is written, for looking at it later.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<u8>>>);

impl Write for Seen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const SCRIPT: &str = "
frame 1 0 0x5000
malloc a 100 at 0x1000 from 1
aligned b 4096 64 at 0x2000
t1 free a
t0 realloc b c 8192
memory 10M 2M 0
";

fn blocks(form: Form) -> String {
    let seen = Seen::default();
    export_blocks(&script(SCRIPT), form, Box::new(seen.clone())).unwrap();
    let bytes = seen.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_row_for_each_block_in_the_order_in_which_they_are_freed() {
    let text = blocks(Form::Csv);
    let head = "trace,block,how,size,align,allocated_by,freed_by,born,freed,address,frame\n";
    assert!(text.starts_with(head), "{text}");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').skip(1).collect()).collect();
    assert_eq!(rows[1][..6], ["0", "malloc", "100", "", "0", "1"]);
    assert_eq!(rows[1][8..], ["4096", "1"]);
    assert_eq!(rows[2][..6], ["1", "aligned", "4096", "64", "0", "0"]);
    assert_eq!(rows[3][..3], ["2", "malloc", "8192"]);
    assert_eq!((rows[3][5], rows[3][7]), ("", ""), "it was never freed");
    assert_eq!(rows.len(), 4);
}

#[test]
fn a_line_of_json_is_an_object() {
    let text = blocks(Form::Jsonl);
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((rows.len(), &rows[0]["size"], &rows[0]["freed_by"]), (3, &100.into(), &1.into()));
    assert!(rows[2]["freed"].is_null());
}

#[test]
fn a_folder_has_all_tables_and_nothing_that_is_not_whole() {
    let folder = tempfile::tempdir().unwrap();
    let trace = script(SCRIPT);
    let files = export(&trace, Form::Csv, folder.path(), "release 1,4", false).unwrap();
    assert_eq!(files.len(), 4);
    let read = |at: usize| fs::read_to_string(&files[at]).unwrap();
    assert!(read(3).contains("\"release 1,4\"") && read(3).contains("glibc"), "{}", read(3));
    let frame = ",1,,20480,,,,,,,?+0x5000";
    assert!(read(2).lines().nth(1).is_some_and(|line| line.contains(frame)), "{}", read(2));
    assert!(read(1).trim_end().ends_with(",8192,1,12582912"), "{}", read(1));
    let left = fs::read_dir(folder.path().join("blocks")).unwrap().count();
    assert_eq!(left, 1);
    // Once more is the same.
    let again = export(&trace, Form::Csv, folder.path(), "", false);
    assert!(matches!(again, Err(TraceError::Exists { .. })), "{again:?}");
    assert_eq!(export(&trace, Form::Csv, folder.path(), "", true).unwrap(), files);
}

#[test]
fn a_frame_has_its_function_and_its_stacks_site() {
    use crate::testing::{about, packed};
    use symbols::Symbol;
    let trace = packed(&about(), |packer| {
        let caller = packer.frame(0, 0x5000).unwrap();
        packer.frame(caller, 0x6000).unwrap();
        packer.name(
            0x5000,
            "/bin/app",
            [Symbol { function: "insert", file: "/src/cache.c", line: 88 }],
        );
        packer.name(0x6000, "/lib/libc.so.6", [Symbol { function: "malloc", ..Symbol::default() }]);
    });
    let folder = tempfile::tempdir().unwrap();
    let files = export(&trace, Form::Csv, folder.path(), "", false).unwrap();
    let text = fs::read_to_string(&files[2]).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows[0], "trace,frame,caller,ip,module,build_id,place,function,file,line,site");
    assert!(rows[1].ends_with(",insert,/src/cache.c,88,insert (cache.c:88)"), "{text}");
    assert!(rows[2].ends_with(",malloc,,,insert (cache.c:88)"), "{text}");
}

#[test]
fn a_full_disk_is_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let failed = export_blocks(&script(SCRIPT), Form::Csv, Box::new(full));
    assert!(matches!(failed, Err(TraceError::Io { .. })), "{failed:?}");
}
