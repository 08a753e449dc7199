//! The pictures as files: SVG that parses, PNG of twice its size, a folder with all of them.

mod sample;

use std::fs;

use heapwright_report as report;

/// Width and height out of a PNG file's first chunk.
fn size_of(png: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
    assert_eq!(&png[1..4], b"PNG");
    (number(16), number(20))
}

/// What the first tag says.
fn attribute(svg: &str, name: &str) -> f64 {
    let rest = svg.split(&format!(" {name}=\"")).nth(1).unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

#[test]
fn a_folder_has_the_page_and_every_picture_twice() {
    let folder = tempfile::tempdir().unwrap();
    let report = sample::report();
    let written = report::write(&report, folder.path()).unwrap();
    assert!(written.iter().all(|path| path.is_file()));
    assert_eq!(written[0], folder.path().join("report.html"));
    let plots = report::plots(&report);
    assert_eq!(written.len(), 1 + 2 * plots.len());
    for part in [
        "pareto",
        "time",
        "memory-fragmentation",
        "latency-basic-malloc",
        "curve-tlsf-sweep-one-size",
    ] {
        assert!(plots.iter().any(|p| p.name == part), "{part}");
    }
    for plot in &plots {
        let file =
            |ending: &str| folder.path().join("plots").join(format!("{}.{ending}", plot.name));
        assert_eq!(fs::read_to_string(file("svg")).unwrap(), plot.svg);
        let (width, height) = (attribute(&plot.svg, "width"), attribute(&plot.svg, "height"));
        let (wide, high) = size_of(&fs::read(file("png")).unwrap());
        assert!((f64::from(wide) - 2.0 * width).abs() <= 2.0, "{}", plot.name);
        assert!((f64::from(high) - 2.0 * height).abs() <= 2.0, "{}", plot.name);
    }
}

#[test]
fn a_folder_that_is_not_there_is_said() {
    let gone = std::path::Path::new("/nonexistent/folder");
    let error = report::write(&sample::large(2, 2), gone).unwrap_err();
    assert!(error.to_string().contains("report.html"), "{error}");
}
