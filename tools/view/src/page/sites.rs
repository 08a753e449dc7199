//! What is live by site, at the moment that the slider is at.

use core::fmt::Write as _;

use show::Section;
use show::text::escape;

use crate::draw::{site_rows, sites_title};
use crate::pictures::Pictures;

const RULES: &str = "\
#sites td:not(:last-child), #sites th:not(:last-child) { text-align: right; white-space: nowrap; width: 6rem; }
#sites td:last-child { overflow-wrap: anywhere; text-align: left; white-space: normal; min-width: 9rem; }
#sites th:last-child { text-align: left; }
";

pub(super) fn section(pictures: &Pictures) -> Section {
    let mut markup = format!(
        "<style>\n{RULES}</style>\n<div class=\"scroll\"><table><thead><tr><th>bytes</th><th>share</th><th>blocks</th>\
         <th>allocated in</th></tr></thead><tbody id=\"by-site\">"
    );
    for row in site_rows(pictures, pictures.asked) {
        let cells: String = row.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
        let _ = write!(markup, "<tr>{cells}</tr>");
    }
    markup += "</tbody></table></div>\n";
    Section {
        id: "sites",
        title: sites_title(pictures),
        about:
            "What was live at the moment that is shown above, by the function that allocated it."
                .to_owned(),
        markup,
        ..Section::default()
    }
}
