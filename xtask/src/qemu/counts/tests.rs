use super::*;

const PRINTED: &str = "\
hello
count tlsf exact malloc 50 51 52 400
count tlsf random malloc 40 60 90 10000
count tlsf apart free 30 31 32 400
fill tlsf 1-256 887
count rlsf exact malloc 64 64 64 400
";

#[test]
fn every_count_is_in_its_cell() {
    let counts = Counts::read(PRINTED).unwrap();
    let table = counts.table().to_string();
    let rows: Vec<Vec<&str>> =
        table.lines().map(|line| line.split('|').map(str::trim).collect()).collect();
    let cell = |row: &str, column: &str| {
        let at = rows[0].iter().position(|cell| *cell == column).unwrap();
        rows.iter().find(|cells| cells[1] == row).unwrap()[at]
    };
    assert_eq!(cell("tlsf", "exact hit"), "50/51/52");
    assert_eq!(cell("tlsf", "malloc, most"), "90");
    assert_eq!(cell("tlsf", "free, most"), "32");
    assert_eq!(cell("tlsf", "fill 1-256"), "88.7 %");
    assert_eq!(cell("rlsf", "free, most"), "");
}

#[test]
fn a_line_that_is_no_count_is_named() {
    assert!(Counts::read("count tlsf exact malloc fifty 51 52 400").unwrap_err().contains("fifty"));
    assert!(Counts::read("fill tlsf").is_err());
}

#[test]
fn the_file_complains_of_more_instructions_and_of_less_payload() {
    let mut golden = Golden::default();
    golden.set("riscv64gc", "rustc 1", &Counts::read(PRINTED).unwrap());
    let same = Counts::read(PRINTED).unwrap();
    assert!(golden.complaints("riscv64gc", "rustc 1", &same).is_empty());
    let worse = PRINTED.replace("50 51 52", "50 51 53").replace("887", "886");
    let worse = Counts::read(&worse).unwrap();
    assert_eq!(golden.complaints("riscv64gc", "rustc 1", &worse).len(), 2);
    assert!(golden.complaints("riscv64gc", "rustc 2", &worse).is_empty());
    assert!(golden.complaints("thumbv7m", "rustc 1", &worse).is_empty());
}

#[test]
fn what_is_written_is_read_again() {
    let mut golden = Golden::default();
    golden.set("riscv64gc+zbb", "rustc 1 (\"x\")", &Counts::read(PRINTED).unwrap());
    let text = golden.to_string();
    assert!(text.contains("malloc = { exact = 52, max = 90, random = 90 }"), "{text}");
    let read: Golden = toml::from_str(&text).unwrap();
    assert_eq!(read.to_string(), text);
    assert!(!read.complaints("riscv64gc+zbb", "rustc 1 (\"x\")", &worse()).is_empty());
}

fn worse() -> Counts {
    Counts::read("count tlsf exact malloc 50 51 53 400").unwrap()
}
