//! The page: the verdict, the tables, the pictures, the machine, and the result itself, in one file.

use bench::result::{Report, Work};
use bench::session::SubjectIndex;
use bench::stats::ENOUGH_PAIRS;
use bench::words::shell;
use minijinja::value::Serde;
use minijinja::{Environment, Value};
use serde::Serialize;

use crate::embed::{self, DETAILS, Detail};
use crate::format::{bytes, escape, percent, seconds};
use crate::sections::{self, Section};
use crate::view::View;
use crate::{style, verdict};

/// No page is larger than this many bytes, if leaving out detail can help it.
const LARGEST: usize = 2_500_000;

const TEMPLATE: &str = include_str!("../assets/page.html");
const RULES: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/page.js");

/// What the template is filled with. Strings are escaped by the template unless it says `safe`.
#[derive(Debug, Serialize)]
struct Page {
    title: String,
    rules: String,
    script: &'static str,
    headline: String,
    subtitle: String,
    verdict: Vec<String>,
    warnings: Vec<String>,
    left_out: String,
    starved: String,
    key: Vec<Key>,
    sections: Vec<Section>,
    facts: Vec<(String, String)>,
    allocators: Vec<Library>,
    prepared: Vec<[String; 4]>,
    workloads: Vec<About>,
    json: String,
}

/// An allocator as the key at the top has it.
#[derive(Debug, Serialize)]
struct Key {
    who: SubjectIndex,
    name: String,
    swatch: String,
    is_ours: bool,
}

#[derive(Debug, Serialize)]
struct Library {
    name: String,
    role: &'static str,
    version: String,
    library: String,
}

#[derive(Debug, Serialize)]
struct About {
    name: String,
    about: String,
    source: String,
    command: String,
}

/// The page alone: a whole HTML file that needs nothing else, at most 2.5 MB where leaving out detail helps.
///
/// Cost: some 0.1 s, up to 1 s where detail has to be left out. Never panics.
#[must_use]
pub fn html(report: &Report) -> String {
    let view = View::of(report);
    let mut page = String::new();
    for detail in DETAILS {
        page = render(&view, detail);
        if page.len() <= LARGEST {
            break;
        }
    }
    page
}

fn render(view: &View<'_>, detail: Detail) -> String {
    let page = fill(view, detail);
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    let rendered = environment.render_named_str("page.html", TEMPLATE, Value::from(Serde(&page)));
    rendered.unwrap_or_else(|e| {
        // Only a fault in the template itself gets here, and the tests render it.
        format!("<!doctype html><title>heapwright</title><p>{}</p>", escape(&e.to_string()))
    })
}

fn fill(view: &View<'_>, detail: Detail) -> Page {
    let report = view.report;
    Page {
        title: format!("heapwright bench, {}", report.started),
        rules: rules(),
        script: SCRIPT,
        headline: verdict::headline(view),
        subtitle: subtitle(view),
        verdict: verdict::sentences(view),
        warnings: out_of_time(report)
            .into_iter()
            .chain(report.warnings.iter().cloned())
            .chain(few(report))
            .chain(early(report))
            .collect(),
        left_out: embed::left_out(report, detail),
        starved: starved(report),
        key: view.shown.iter().map(|&a| key(view, a)).collect(),
        sections: sections::all(view, detail.drawn),
        facts: facts(report),
        allocators: libraries(report),
        prepared: report.prepared.iter().map(prepared).collect(),
        workloads: report.workloads.iter().map(about).collect(),
        json: embed::json(report, detail),
    }
}

fn subtitle(view: &View<'_>) -> String {
    let report = view.report;
    let many = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let out = match report.left_out.len() {
        0 => String::new(),
        n => format!(" ({n} more had no place in the time)"),
    };
    format!(
        "{} on {}{out}, measured {} on {}, {}",
        many(view.shown.len(), "memory allocator"),
        many(report.workloads.len(), "workload"),
        report.started.get(..10).unwrap_or(&report.started),
        report.machine.cpu,
        many(report.machine.cores, "processor"),
    )
}

/// How many runs do not count, in words; none: empty.
fn starved(report: &Report) -> String {
    let cells = || report.workloads.iter().flat_map(|w| &w.cells);
    let flagged: usize = cells().map(|c| c.flagged).sum();
    let counted: usize = cells().map(|c| c.runs).sum();
    if flagged == 0 {
        return String::new();
    }
    format!(
        "{flagged} of {} timed runs did not get their processors for long enough (starved), so they do not count.",
        flagged + counted
    )
}

/// Where there are too few rounds for an interval.
fn few(report: &Report) -> Option<String> {
    let pairs = |w: &Work| w.cells.iter().filter_map(|c| c.time?.ratio).map(|r| r.pairs).min();
    let works = || report.workloads.iter().filter(|work| !work.alone);
    let count = |most: usize| works().filter_map(pairs).filter(|p| *p < most).count();
    let (few, one, all) = (count(ENOUGH_PAIRS), count(2), works().count());
    if few == 0 {
        return None;
    }
    let unknown =
        if one > 0 { "; after one round there is none, and ±? stands there" } else { "" };
    Some(format!(
        "{few} of {all} workloads have fewer than {ENOUGH_PAIRS} rounds: their ± is the range seen, not a 95\u{a0}% interval{unknown}, and nothing is \
         claimed of them."
    ))
}

/// Where the time had no place for what was asked for.
fn out_of_time(report: &Report) -> Option<String> {
    let (out, all) = (&report.left_out, report.left_out.len() + report.workloads.len());
    (!out.is_empty()).then(|| {
        format!(
            "{} of {all} workloads are left out, so that the rest fits into the time: {}.",
            out.len(),
            out.join(", ")
        )
    })
}

/// Where a measurement ended because its intervals were narrow: one that ends on a lucky round is not as sure as it
/// looks.
fn early(report: &Report) -> Option<String> {
    let (early, all) =
        (report.workloads.iter().filter(|w| w.precise).count(), report.workloads.len());
    (early > 0).then(|| {
        format!(
            "{early} of {all} workloads ended as soon as their intervals were narrow, so these are somewhat too \
             narrow. A number of rounds decided before (--rounds) has no such fault."
        )
    })
}

fn key(view: &View<'_>, a: SubjectIndex) -> Key {
    let style = view.style(a);
    Key {
        who: a,
        name: view.name(a).to_owned(),
        swatch: style::swatch(style),
        is_ours: style.is_ours,
    }
}

fn rules() -> String {
    let mut rules = RULES
        .replace("/*light*/", &style::variables(false))
        .replace("/*dark*/", &style::variables(true));
    rules.push_str(&style::classes());
    rules
}

fn facts(report: &Report) -> Vec<(String, String)> {
    let machine = &report.machine;
    let yes = |yes| if yes { "yes" } else { "no" };
    let unknown = || "unknown".to_owned();
    let mib = |n: u64| bytes(u32::try_from(n >> 20).map_or(f64::INFINITY, f64::from) * 1_048_576.0);
    let virtual_machine = match (&machine.hypervisor, machine.virtual_machine) {
        (Some(name), true) => format!("yes, {name}"),
        (_, is_virtual) => yes(is_virtual).to_owned(),
    };
    let fact = |what: &str, value: String| (what.to_owned(), value);
    vec![
        fact("heapwright", report.heapwright.clone()),
        fact("started", report.started.clone()),
        fact("took", seconds(report.elapsed)),
        fact("command line", shell(&report.command_line)),
        fact("seed", report.seed.to_string()),
        fact("scale", report.scale.to_string()),
        fact("kernel", format!("{} {}", machine.kernel, machine.arch)),
        fact("processor", machine.cpu.clone()),
        fact("processors", machine.cores.to_string()),
        fact("virtual machine", virtual_machine),
        fact("memory", mib(machine.memory_bytes)),
        fact("transparent huge pages", machine.huge_pages.clone().unwrap_or_else(unknown)),
        fact(
            "swap",
            if machine.swap_bytes == 0 { "none".to_owned() } else { mib(machine.swap_bytes) },
        ),
        fact(
            "memory nodes (NUMA)",
            if machine.numa_nodes == 0 { unknown() } else { machine.numa_nodes.to_string() },
        ),
        fact("frequency governor", machine.governor.clone().unwrap_or_else(unknown)),
        fact("turbo", machine.turbo.clone().unwrap_or_else(unknown)),
        fact("two threads a core (SMT)", machine.smt.clone().unwrap_or_else(unknown)),
        fact("random addresses (ASLR)", machine.aslr.clone().unwrap_or_else(unknown)),
        fact("glibc", machine.glibc.clone().unwrap_or_else(unknown)),
        fact("stolen processor time", percent(report.steal)),
        fact("programs pinned", yes(report.pinned).to_owned()),
        fact("memory warmed before runs", yes(report.warm).to_owned()),
        fact("schema", format!("{} {}", report.schema, report.version)),
    ]
}

fn libraries(report: &Report) -> Vec<Library> {
    use bench::session::Role;
    let role = |role| match role {
        Role::Baseline => "baseline",
        Role::Control => "the baseline once more, for the noise",
        Role::Contender => "",
        Role::Floor => "null allocator: the cost of the harness",
    };
    let entry = |e: &bench::result::Entry| Library {
        name: e.name.clone(),
        role: role(e.role),
        version: e.version.clone().unwrap_or_default(),
        library: e.library.as_ref().map_or(String::new(), |l| l.display().to_string()),
    };
    report.allocators.iter().map(entry).collect()
}

fn prepared(p: &bench::result::Prepared) -> [String; 4] {
    let or = |text: &Option<String>, other: &str| text.clone().unwrap_or_else(|| other.to_owned());
    [
        p.what.clone(),
        or(&p.before, "unknown"),
        or(&p.after, "not set"),
        p.problem.clone().unwrap_or_default(),
    ]
}

fn about(w: &bench::result::Work) -> About {
    About {
        name: w.name.clone(),
        about: w.about.clone(),
        source: w.source.clone(),
        command: shell(&w.command),
    }
}
