//! The paths a markdown text names: link targets and code spans. Fenced blocks are commands and pictures, and skipped.

use pulldown_cmark::{Event, Parser, Tag};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) line: usize,
    pub(super) path: String,
    pub(super) is_link: bool,
}

/// Every path named in `text`, in order. Addresses on the web and anchors of the same page are left out.
pub(super) fn mentions(text: &str) -> Vec<Mention> {
    let mention = |(event, at): (Event<'_>, core::ops::Range<usize>)| {
        let (path, is_link) = match &event {
            Event::Code(span) => (span_path(span)?, false),
            Event::Start(Tag::Link { dest_url: to, .. } | Tag::Image { dest_url: to, .. }) => {
                (link_path(to)?, true)
            }
            _ => return None,
        };
        let line = 1 + text[..at.start].matches('\n').count();
        Some(Mention { line, path: path.to_owned(), is_link })
    };
    Parser::new(text).into_offset_iter().filter_map(mention).collect()
}

/// The file a link points to; `None` for other hosts and for anchors of the same page.
fn link_path(target: &str) -> Option<&str> {
    let path = target.split('#').next().unwrap_or_default();
    (!path.is_empty() && !target.contains("://") && !target.starts_with("mailto:")).then_some(path)
}

/// The path in a code span; `None` for commands, placeholders and code.
fn span_path(span: &str) -> Option<&str> {
    let path = match span.rsplit_once(':') {
        Some((path, line)) if line.bytes().all(|b| b.is_ascii_digit()) => path,
        _ => span,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/{},*+".contains(c);
    (path.contains('/') && path.chars().all(plain)).then_some(path)
}
