//! The page as text: what is in it, that it asks for nothing, and that no name can break out.

use bench::definition::Curve;
use bench::result::Value;
use bench::stats::Ratio;
use bench::testing::series;
use heapwright_report as report;
use heapwright_report::html;

/// Everything between `before` and the next double quote.
fn attributes<'a>(page: &'a str, before: &str) -> Vec<&'a str> {
    page.split(before).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

fn title(page: &str) -> &str {
    page.split("<h1>").nth(1).and_then(|rest| rest.split("</h1>").next()).unwrap_or_default()
}

#[test]
fn three_rounds_claim_nothing() {
    let mut report = crate::sample::report();
    let of_three = |ratio: &mut Option<Ratio>| {
        if let Some(ratio) = ratio {
            ratio.pairs = 3;
        }
    };
    for overall in &mut report.overall {
        of_three(&mut overall.time);
        of_three(&mut overall.peak_rss);
    }
    for cell in report.workloads.iter_mut().flat_map(|work| &mut work.cells) {
        for figure in [&mut cell.time, &mut cell.peak_rss, &mut cell.ns].into_iter().flatten() {
            of_three(&mut figure.ratio);
        }
    }
    let page = html(&report);
    assert_eq!(title(&page), "No allocator is clearly the fastest");
    assert!(page.contains("cannot be told (3 of 6 rounds that a claim needs)"));
    let cells =
        page.split("<table id=\"t-time\"").nth(1).unwrap().split("</table>").next().unwrap();
    assert!(!cells.contains(" *<") && !cells.contains("class=\"better"));
}

#[test]
fn what_was_left_out_leaves_no_mean() {
    let mut report = crate::sample::report();
    report.left_out = vec!["redis".into(); 5];
    let page = html(&report);
    assert_eq!(title(&page), "20 of 25 workloads were measured: no mean over all of them");
    assert!(!page.contains("id=\"t-overall\"") && !page.contains("id=\"overall-0\""));
    assert!(page.contains("a mean over the others would not be one"));
}

#[test]
fn other_work_is_shown_and_not_compared() {
    let mut report = crate::sample::report();
    let cell = &mut report.workloads[0].cells[2];
    cell.other_work = Some(0.02);
    for figure in [&mut cell.time, &mut cell.peak_rss, &mut cell.ns].into_iter().flatten() {
        figure.ratio = None;
    }
    let page = html(&report);
    assert!(
        page.contains(
            "heapwright (not compared) did of the baseline&#x27;s work: basic 2.0\u{a0}%"
        )
    );
    assert!(page.contains(">2.0\u{a0}% of the work<small>"), "in the table");
}

#[test]
fn sequences_are_a_table_and_no_pictures() {
    let mut report = crate::sample::large(1, 1);
    report.overall.clear();
    let work = &mut report.workloads[0];
    work.alone = true;
    work.about = "in which order objects go out".into();
    work.curve =
        Some(Curve { x: "step".into(), y: "number of the object".into(), ..Curve::default() });
    let points: Vec<_> = (0..30).map(|i| (f64::from(i), f64::from(29 - i))).collect();
    work.cells[2].series = vec![series("A/first", &points), series("apart", &points)];
    let judged = Value { name: "A/first".into(), value: 1.0, unit: "as-expected".into() };
    work.cells[2].values = vec![judged];
    let page = html(&report);
    assert_eq!(title(&page), "1 of 1 sequences are as expected");
    assert!(page.contains("29 28 27 26 25"));
    assert!(page.contains("In which order objects go out."));
    assert!(!page.contains("class=\"plot\"") && !page.contains("href=\"#time\""));
    assert!(report::plots(&report).is_empty());
}

#[test]
fn every_section_is_there_and_linked() {
    let page = crate::sample::page();
    let sections = "overall time memory calls slow sweeps others method workloads data";
    for id in sections.split_whitespace() {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
        assert!(page.contains(&format!("href=\"#{id}\"")), "no link to {id}");
    }
    // bestfit needs less, but did not end all workloads.
    assert_eq!(
        title(page),
        "heapwright is the fastest of the 8 that did all 20 workloads, glibc needs the least memory"
    );
    for said in [
        "crashed (SIGSEGV)",
        "timed out",
        "1,250,000 refused",
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
    let mut report = crate::sample::report();
    assert!(crate::sample::page().contains("Wall-clock time relative to"));
    report.workloads[0].by_cpu = true;
    report.left_out = vec!["redis".into(), "g++".into()];
    let page = html(&report);
    let busy = report.workloads[0].name.clone();
    let busy = format!("(of {busy} processor time, as the machine was too busy)");
    for said in [
        busy.as_str(),
        "(2 more had no place in the time)",
        "so that the rest fits into the time: redis, g++",
        "ended as soon as the intervals were narrow",
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
    let page = crate::sample::page();
    let links = attributes(page, "href=\"").into_iter().chain(attributes(page, "src=\""));
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
    let mut report = crate::sample::report();
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
    let report = crate::sample::large(45, 20);
    let page = html(&report);
    assert!(page.len() < 3_000_000, "{}", page.len());
    assert!(page.contains("To keep it small"));
}

#[test]
fn an_empty_result_is_a_page() {
    let mut report = crate::sample::large(0, 0);
    assert!(html(&report).contains("There is nothing to compare"));
    report.allocators.clear();
    report.overall.clear();
    assert!(html(&report).contains("No time was measured"));
}

#[test]
fn one_program_is_told_once_and_has_no_empty_section() {
    let page = html(&crate::sample::one());
    for absent in ["All workloads together", "Time, by workload", "id=\"workloads\"", "over one"] {
        assert!(!page.contains(absent), "{absent}");
    }
    assert!(page.contains("<figure class=\"wide scroll\"><svg id=\"memory-0\""), "over the page");
    for section in page.split("<section id=\"").skip(2) {
        let is_filled = ["<svg", "<td", "<dd", "<button"].iter().any(|tag| section.contains(tag));
        assert!(is_filled, "{}", section.split('"').next().unwrap_or_default());
    }
}
