//! The table of `docs/how-it-works.md` is the table in the code.

use heapwright_tests::top;
use object::size_class::{CLASSES, class_of, info};

const GRANULE: u32 = 16 << 10;
/// Up to this size there are eight classes for each doubling.
const MAX_FINE: usize = 32 << 10;

fn table() -> String {
    let mut text = String::from(
        "| class | bytes | step | slab, KiB | objects | tail, bytes | most waste, % | magazine |\n\
         |--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for class in 1..CLASSES {
        let (of, below) = (info(class), info(class - 1));
        let step = of.size - below.size;
        let slab = of.granules * GRANULE;
        let tail = slab - of.objects * of.size;
        let waste = f64::from(step - 1) * 100.0 / f64::from(of.size);
        text.push_str(&format!(
            "| {class} | {} | {step} | {} | {} | {tail} | {waste:.1} | {} |\n",
            of.size,
            slab >> 10,
            of.objects,
            of.capacity,
        ));
    }
    text
}

#[test]
fn the_document_has_the_table() {
    let file = top().join("docs/how-it-works.md");
    let document = std::fs::read_to_string(&file).expect("the document is there");
    let table = table();
    assert!(document.contains(&table), "{} needs this table:\n{table}", file.display());
}

/// What the document says about all sizes at once.
#[test]
fn the_document_s_sums_hold() {
    let waste = |size: usize| {
        let of = info(class_of(size));
        (f64::from(of.size) - size as f64) / f64::from(of.size)
    };
    let mean =
        |from: usize, to: usize| (from..=to).map(waste).sum::<f64>() / (to - from + 1) as f64;
    assert!((mean(129, 1024) - 0.040).abs() < 0.001);
    assert!((mean(1025, MAX_FINE) - 0.042).abs() < 0.001, "{}", mean(1025, MAX_FINE));
    let most = (257..=MAX_FINE).map(waste).fold(0.0, f64::max);
    assert!(most < 1.0 / 9.0, "{most}");
    for class in 1..CLASSES {
        let of = info(class);
        let slab = of.granules * GRANULE;
        let least = match of.size as usize {
            0..=1024 => 32,
            1025..=4096 => 16,
            4097..=MAX_FINE => 8,
            _ => 4,
        };
        assert!(slab - of.objects * of.size <= slab / 32 && of.objects >= least, "class {class}");
    }
}
