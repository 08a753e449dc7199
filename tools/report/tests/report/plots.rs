//! The pictures as files: SVG that parses, a folder with all of them.

use std::fs;

use heapwright_report as report;

#[test]
fn a_folder_has_the_page_and_every_picture() {
    let folder = tempfile::tempdir().unwrap();
    let report = crate::sample::report();
    let written = report::write(&report, folder.path()).unwrap();
    assert!(written.iter().all(|path| path.is_file()));
    assert_eq!(written[0], folder.path().join("report.html"));
    let plots = report::plots(&report);
    assert_eq!(written.len(), 1 + plots.len());
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
        let file = folder.path().join("plots").join(format!("{}.svg", plot.name));
        assert_eq!(fs::read_to_string(file).unwrap(), plot.svg);
        let picture = roxmltree::Document::parse(&plot.svg).unwrap();
        let root = picture.root_element();
        assert_eq!(root.tag_name().name(), "svg", "{}", plot.name);
        for side in ["width", "height"] {
            let pixels: f64 = root.attribute(side).unwrap().parse().unwrap();
            assert!(pixels > 0.0, "{}: {side} {pixels}", plot.name);
        }
    }
}

#[test]
fn a_folder_that_is_not_there_is_said() {
    let gone = std::path::Path::new("/nonexistent/folder");
    let error = report::write(&crate::sample::large(2, 2), gone).unwrap_err();
    assert!(error.to_string().contains("report.html"), "{error}");
}
