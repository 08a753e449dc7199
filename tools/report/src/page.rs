//! The page of a result: the verdict, the tables, the pictures, the machine, and the result itself, in one file.

use bench::definition::Group;
use bench::result::{Prepared, Report, Work};
use bench::session::Role;
use bench::words::shell;
use show::number::{bytes, percent, seconds};
use show::text::many;
use show::{Key, Page, Section, Table};

use crate::embed::{self, DETAILS, Detail};
use crate::view::View;
use crate::{notes, sections, verdict};

/// No page is larger than this many bytes, if leaving out detail can help it.
const LARGEST: usize = 2_500_000;

const SCRIPT: &str = include_str!("../assets/result.js");

/// The page alone: a whole HTML file that needs nothing else, at most 2.5 MB where leaving out detail helps.
///
/// Cost: some 0.1 s, up to 1 s where detail has to be left out. Never panics.
pub fn html(report: &Report) -> String {
    let view = View::of(report);
    let mut page = String::new();
    for (left, detail) in (0..DETAILS.len()).rev().zip(DETAILS) {
        let data = embed::json(report, detail);
        // To draw the rest is in vain where the data alone is too much.
        if left > 0 && data.len() > LARGEST {
            continue;
        }
        page = show::render(&fill(&view, detail, data));
        if page.len() <= LARGEST {
            break;
        }
    }
    page
}

/// Every table of the page in Markdown, under the titles of their sections.
pub fn tables(report: &Report) -> String {
    let mut sections = sections::all(&View::of(report), DETAILS[DETAILS.len() - 1].drawn());
    sections.push(method(report));
    let mut parts = Vec::new();
    for Section { title, about, mut tables, facts, .. } in sections {
        tables.retain(|table| !table.is_empty());
        if tables.is_empty() {
            continue;
        }
        if !facts.is_empty() {
            let mut table = Table::new(["what", "value"]);
            table.has_text = true;
            facts.iter().for_each(|(what, value)| table.row([what.as_str(), value]));
            tables.insert(0, table);
        }
        parts.push(format!("## {title}\n\n{about}\n"));
        parts.extend(tables.iter().map(Table::markdown));
    }
    parts.join("\n")
}

fn fill(view: &View<'_>, detail: Detail, data: String) -> Page {
    let report = view.report;
    let mut sections = sections::all(view, detail.drawn());
    sections.push(method(report));
    // Of the user's own program there is nothing to say that was not said.
    sections.extend(workloads(report));
    sections.push(data_section(report, detail));
    let recorded = report.workloads.iter().filter_map(|work| notes::recorded(report, work));
    let recorded = recorded.map(|text| verdict::sentence(&text));
    let doubts = notes::doubts(view).into_iter().chain(notes::by_time(view));
    // What failed is in the table.
    let doubts = doubts.filter(|note| ["note", "flagged", "work", "time"].contains(&note.word));
    Page {
        title: format!("heapwright bench, {}", report.started),
        kicker: subtitle(view),
        headline: verdict::headline(view),
        said: verdict::sentences(view).into_iter().chain(recorded).collect(),
        warnings: report.warnings.iter().cloned().chain(doubts.map(|note| note.text)).collect(),
        key: view.shown.iter().map(|&a| Key::new(view.style(a), view.name(a))).collect(),
        sections,
        data,
        script: SCRIPT,
    }
}

fn subtitle(view: &View<'_>) -> String {
    let report = view.report;
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

fn method(report: &Report) -> Section {
    Section {
        id: "method",
        title: "Machine and method",
        about: METHOD.to_owned(),
        facts: facts(report),
        tables: vec![prepared(&report.prepared), libraries(report)],
        ..Section::default()
    }
}

const METHOD: &str = "In each round every allocator runs once, in random order, one right after the other; runs of one round are \
                      compared in pairs. A ratio is the median of these pairs, its 95 % interval comes from resampling the \
                      rounds. The baseline takes part twice: what it differs by from itself is the noise floor. Runs that did \
                      not get their processors do not count (where most did not, a warning above names the workload), nor do \
                      runs in which memory was refused. Memory over time and single calls are looked at in passes of their own.";

fn prepared(settings: &[Prepared]) -> Table {
    let mut table = Table::new(["setting", "before", "while measuring", "problem"]);
    (table.title, table.has_text) = ("Set before measuring".to_owned(), true);
    let or = |text: &Option<String>, other: &str| text.clone().unwrap_or_else(|| other.to_owned());
    for set in settings {
        let problem = set.problem.clone().unwrap_or_default();
        let values = [or(&set.before, "unknown"), or(&set.after, "not set"), problem];
        table.row([set.what.clone()].into_iter().chain(values));
    }
    table
}

fn libraries(report: &Report) -> Table {
    let mut table = Table::new(["name", "version", "part", "library", "is"]);
    (table.title, table.has_text) = ("Allocators".to_owned(), true);
    for entry in &report.allocators {
        let part = match entry.role {
            Role::Baseline => "baseline",
            Role::Control => "the baseline once more, for the noise",
            Role::Contender => "",
            Role::Floor => "null allocator: the cost of the harness",
        };
        let version = entry.version.clone().unwrap_or_default();
        let library = entry.library.as_ref().map_or(String::new(), |l| l.display().to_string());
        let is = entry.is().unwrap_or_default();
        table.row([entry.name.clone(), version, part.to_owned(), library, is]);
    }
    table
}

/// What the workloads are; nothing, if that is the user's own program.
fn workloads(report: &Report) -> Option<Section> {
    let works = report.workloads.iter().filter(|work| work.group != Group::Own);
    let detail = |w: &Work| {
        let lines = vec![format!("Described in: {}", w.source), shell(&w.command)];
        (w.name.clone(), w.about.clone(), lines)
    };
    let details: Vec<_> = works.map(detail).collect();
    let section = Section { id: "workloads", title: "Workloads", details, ..Section::default() };
    (!section.details.is_empty()).then_some(section)
}

fn data_section(report: &Report, detail: Detail) -> Section {
    let markup = format!(
        "<p>Beside this page are <a href=\"result.json\">result.json</a> (everything), <a href=\"runs.csv\">runs.csv</a> \
         (every single run) and <a href=\"plots/\">plots</a> (the pictures as SVG). {}</p>\n\
         <p class=\"save\" hidden><button type=\"button\" id=\"json\">the result in this page as JSON</button></p>",
        embed::left_out(report, detail)
    );
    Section { id: "data", title: "Data", markup, ..Section::default() }
}
