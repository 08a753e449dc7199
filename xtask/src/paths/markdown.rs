//! The paths a markdown text names: link targets and code spans. Fenced blocks are commands and pictures, and skipped.

/// One path, and where it is named.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) line: usize,
    pub(super) path: String,
    pub(super) is_link: bool,
}

/// Every path named in `text`, in order. Addresses on the web and anchors of the same page are left out.
pub(super) fn mentions(text: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let (prose, spans) = split_spans(line);
            let links = link_targets(&prose)
                .filter_map(|target| link_path(&target))
                .map(|path| (path, true));
            let spans = spans.iter().filter_map(|span| span_path(span)).map(|path| (path, false));
            found.extend(links.chain(spans).map(|(path, is_link)| Mention {
                line: index + 1,
                path,
                is_link,
            }));
        }
    }
    found
}

/// A line without its code spans, and the spans.
fn split_spans(line: &str) -> (String, Vec<String>) {
    let (mut prose, mut spans) = (String::new(), Vec::new());
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let ticks = rest[start..].bytes().take_while(|&b| b == b'`').count();
        let (before, inner) = (&rest[..start], &rest[start + ticks..]);
        prose.push_str(before);
        let Some(end) = inner.find(&"`".repeat(ticks)) else { return (prose + inner, spans) };
        spans.push(inner[..end].trim().to_owned());
        rest = &inner[end + ticks..];
    }
    (prose + rest, spans)
}

/// The targets of `[text](target)` and of `[label]: target`.
fn link_targets(prose: &str) -> impl Iterator<Item = String> + '_ {
    let inline = prose.match_indices("](").filter_map(|(at, _)| {
        let rest = &prose[at + 2..];
        rest.find(')').map(|end| rest[..end].to_owned())
    });
    let definition = prose
        .starts_with('[')
        .then(|| prose.split_once("]: "))
        .flatten()
        .map(|(_, target)| target.to_owned());
    inline.chain(definition)
}

/// The file a link points to; `None` for other hosts and for anchors of the same page.
fn link_path(target: &str) -> Option<String> {
    let target = target.split_whitespace().next()?.trim_matches(['<', '>']);
    let path = target.split('#').next().unwrap_or_default();
    (!path.is_empty() && !target.contains("://") && !target.starts_with("mailto:"))
        .then(|| path.to_owned())
}

/// The path in a code span; `None` for commands, placeholders and code.
fn span_path(span: &str) -> Option<String> {
    let path = match span.rsplit_once(':') {
        Some((path, line)) if line.bytes().all(|b| b.is_ascii_digit()) => path,
        _ => span,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/{},*+".contains(c);
    (path.contains('/') && path.chars().all(plain)).then(|| path.to_owned())
}
