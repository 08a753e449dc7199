//! Time against memory for the front page: the same plot of several results side by side, as one file that follows the
//! reader's light or dark page.

use core::fmt::Write;

use bench::result::Report;

use super::pareto;
use crate::tables::once_each;
use crate::view::{View, others};
use show::style::{classes, variables};
use show::svg::{Anchor, Svg};

/// Between two plots.
const GAP: f64 = 20.0;

/// The height of the two lines in which a plot says what it is; they are cut off, and plainer ones put there.
const TITLE: f64 = 40.0;

const ABOUT: &str = "peak memory (less is better); ringed: nobody is better in both";

/// The grounds and greys of the two themes; the page has the same.
const LIGHT: &str = "--bg:#ffffff;--ink:#1c1c1c;--mute:#5c5c5c;--grid:#e4e4e4;--axis:#8a8a8a;";
const DARK: &str = "--bg:#15171a;--ink:#ececec;--mute:#a8a8a8;--grid:#2c3034;--axis:#6c7278;";

const RULES: &str = ".bg{fill:var(--bg)}.ink{fill:var(--ink)}.mute{fill:var(--mute)}.grid{stroke:var(--grid)}\
                     .axis{stroke:var(--axis)}.halo{stroke:var(--bg)}\n";

/// Time and memory over all workloads of each of `results`, which come with their titles.
///
/// `None` when none of them has such a plot. Cost: some milliseconds. Never panics.
pub fn front(results: &[(&str, &Report)]) -> Option<String> {
    let names = names(results);
    let drawn = |report| Some(pareto::plot(&View::beside(report, &names))?.plot.svg);
    let plots: Vec<(&str, String)> =
        results.iter().filter_map(|(title, report)| Some((*title, drawn(report)?))).collect();
    let (wide, high) = pareto::SIZE;
    let count = f64::from(u8::try_from(plots.len()).ok().filter(|n| *n > 0)?);
    let mut svg = Svg::new(count * (wide + GAP) - GAP, high);
    svg.put(format_args!("<style>{}</style>", style()));
    let mut x = 0.0;
    for (title, plot) in &plots {
        let rest = high - TITLE;
        let place = format!("<svg x=\"{x}\" y=\"{TITLE}\" ");
        let view =
            format!("viewBox=\"0 {TITLE} {wide} {rest}\" width=\"{wide}\" height=\"{rest}\"");
        let own = format!("viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\"");
        svg.raw(&plot.replacen("<svg ", &place, 1).replacen(&own, &view, 1));
        svg.text((x + 8.0, 17.0), Anchor::Start, 13.0, "ink", title);
        svg.text((x + 8.0, 36.0), Anchor::Start, 11.5, "mute", ABOUT);
        x += wide + GAP;
    }
    Some(svg.finish("Time and memory of every allocator", ""))
}

/// The others of all results, each once.
fn names<'a>(results: &[(&str, &'a Report)]) -> Vec<&'a str> {
    once_each(results.iter().flat_map(|(_, report)| others(report)))
}

fn style() -> String {
    let mut style = format!("svg{{{LIGHT}{}}}\n", variables(false));
    // Writing to a string does not fail.
    let _ =
        writeln!(style, "@media (prefers-color-scheme:dark){{svg{{{DARK}{}}}}}", variables(true));
    style + RULES + &classes()
}

#[cfg(test)]
mod tests {
    use bench::result::Overall;
    use bench::session::{Role, SubjectIndex};
    use bench::stats::Ratio;
    use bench::testing::{entry, report};

    use super::*;

    fn result() -> Report {
        let mut report = bench::testing::rounds(&["larson"], 3, |_, _| 0.01);
        let ratio = Some(Ratio { estimate: 0.5, low: 0.4, high: 0.6, pairs: 3 });
        let of = Overall { workloads: 1, time: ratio, peak_rss: ratio, ..Overall::default() };
        report.overall = vec![of; report.allocators.len()];
        report
    }

    #[test]
    fn both_are_in_one_picture_under_their_own_titles() {
        let report = result();
        let svg =
            front(&[("All 44 workloads", &report), ("The 8 real programs", &report)]).unwrap();
        assert!(svg.contains("All 44 workloads<") && svg.contains("The 8 real programs<"), "{svg}");
        assert!(svg.contains("prefers-color-scheme:dark") && svg.contains("width=\"820\""));
        assert_eq!(svg.matches("viewBox=\"0 40 400 350\"").count(), 2, "{svg}");
        assert_eq!(svg.matches(">heapwright</text>").count(), 2);
    }

    #[test]
    fn one_malloc_looks_the_same_in_both() {
        let of = |mallocs: &[&str]| {
            let contenders = mallocs.iter().map(|name| entry(name, Role::Contender));
            let baseline = entry("glibc", Role::Baseline);
            report(contenders.chain([baseline]).collect(), Vec::new(), Vec::new())
        };
        let (few, all) = (of(&["label", "mimalloc"]), of(&["jemalloc", "mimalloc"]));
        let names = names(&[("", &few), ("", &all)]);
        assert_eq!(names, ["label", "mimalloc", "jemalloc"]);
        let [one, other] = [&few, &all].map(|report| {
            let style = *View::beside(report, &names).style(SubjectIndex(1));
            (style.colour, style.marker)
        });
        assert_eq!(one, other);
    }

    #[test]
    fn nothing_measured_is_no_picture() {
        let empty = bench::testing::report(Vec::new(), Vec::new(), Vec::new());
        assert_eq!(front(&[]), None);
        assert_eq!(front(&[("nothing", &empty)]), None);
    }
}
