//! The page as text: what is in it, that it asks for nothing, and that no name can break out.

mod sample;

use heapwright_report as report;
use heapwright_report::html;

/// Everything between `before` and the next double quote.
fn attributes<'a>(page: &'a str, before: &str) -> Vec<&'a str> {
    page.split(before).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_section_is_there_and_linked() {
    let page = html(&sample::report());
    let sections = [
        "overall",
        "time",
        "memory",
        "calls",
        "slow",
        "sweeps",
        "others",
        "method",
        "workloads",
        "data",
    ];
    for id in sections {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
        assert!(page.contains(&format!("href=\"#{id}\"")), "no link to {id}");
    }
    // bestfit needs less, but did not end all workloads.
    let headline = "<h1>heapwright is the fastest, glibc needs the least memory</h1>";
    assert!(page.contains(headline));
    for said in [
        "crashed (SIGSEGV)",
        "timed out",
        "1\u{202f}250\u{202f}000 refused",
        "no run counts",
        "the load was 1.3",
        "did not get their processors",
        "missed deadlines",
        "permission denied",
    ] {
        assert!(page.contains(said), "{said}");
    }
}

#[test]
fn the_page_says_which_time_it_is_and_what_it_lacks() {
    let mut report = sample::report();
    assert!(html(&report).contains("Wall-clock time relative to"));
    report.workloads[0].by_cpu = true;
    report.left_out = vec!["redis".into(), "g++".into()];
    let page = html(&report);
    let busy = report.workloads[0].name.clone();
    let busy = format!("(of {busy} processor time, as the machine was too busy)");
    for said in [
        busy.as_str(),
        "(2 more had no place in the time)",
        "so that the rest fits into the time: redis, g++",
        "ended as soon as their intervals were narrow",
    ] {
        assert!(page.contains(said), "{said}");
    }
    for work in &mut report.workloads {
        work.by_cpu = true;
    }
    assert!(html(&report).contains("Processor time (the machine was too busy"));
}

#[test]
fn nothing_is_fetched() {
    let page = html(&sample::report());
    let links = attributes(&page, "href=\"").into_iter().chain(attributes(&page, "src=\""));
    for link in links {
        let is_near = ["#", "data:,", "result.json", "runs.csv", "plots/"];
        assert!(is_near.iter().any(|near| link.starts_with(near)), "{link}");
    }
    // The only addresses are names: of the SVG namespace.
    let addresses = page.matches("http").count();
    assert_eq!(addresses, page.matches("http://www.w3.org/2000/svg").count());
    assert!(!page.contains("url(") && !page.contains("@import"));
}

#[test]
fn names_cannot_break_out() {
    let hostile = "</script><img src=x onerror=alert(1)>\"'&<!--\u{1}";
    let mut report = sample::report();
    report.allocators[3].name = hostile.into();
    report.allocators[0].name = hostile.into();
    report.workloads[0].name = hostile.into();
    report.workloads[1].about = hostile.into();
    report.workloads[12].cells[2].values[0].name = hostile.into();
    report.workloads[5].cells[2].series[0].name = hostile.into();
    report.workloads[0].cells[2].tails[0].call = hostile.into();
    report.warnings.push(hostile.into());
    report.machine.cpu = hostile.into();
    report.command_line.push(hostile.into());
    let page = html(&report);
    assert!(!page.contains("<img") && !page.contains("<!--"));
    assert_eq!(page.matches("</script").count(), 2, "the data's and the script's own");
    for plot in report::plots(&report) {
        assert!(!plot.svg.contains("<img"), "{}", plot.name);
        assert!(roxmltree::Document::parse(&plot.svg).is_ok(), "{}", plot.name);
        assert!(plot.name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)));
    }
}

#[test]
fn a_large_result_is_still_a_page_of_reasonable_size() {
    let report = sample::large(45, 20);
    let page = html(&report);
    assert!(page.len() < 3_000_000, "{}", page.len());
    assert!(page.contains("To keep it small"));
}

#[test]
fn an_empty_result_is_a_page() {
    let mut report = sample::large(0, 0);
    assert!(html(&report).contains("There is nothing to compare"));
    report.allocators.clear();
    report.overall.clear();
    assert!(html(&report).contains("No time was measured"));
}
