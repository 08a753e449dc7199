use super::*;
use crate::gather::testing::{beside, gathered};

#[test]
fn the_page_needs_nothing_else_and_no_name_ends_a_tag() {
    let mut pictures = gathered(&[(0x1000, 64), (0x2000, 4096), (0x7f00_0000_0000, 1 << 20)]);
    pictures.title = "</script><b>evil".to_owned();
    pictures.groups.names = vec!["</script><i>worse".to_owned()];
    let page = html(&pictures, By::Thread);
    for never in ["http://", "https://", "<b>evil", "<i>worse", "src="] {
        let page = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!page.contains(never), "{never}");
    }
    assert!(page.contains("id=\"moment\"") && page.contains("data-class=\"7\""));
    assert!(page.contains("value=\"thread\" checked"));
}

#[test]
fn heaps_beside_each_other_have_a_picture_each() {
    let pictures = beside(&[(0x1000, 64), (0x2000, 4096)], 2);
    let page = html(&pictures, By::Size);
    for part in ["data-cells=\"0\"", "data-cells=\"2\"", "id=\"side2\"", "grey: live"] {
        assert_eq!(page.matches(part).count(), 1, "{part}");
    }
    let json = page.split("id=\"data-json\"").nth(1).unwrap();
    assert_eq!(json.matches("\"addresses\"").count(), 3);
}

#[test]
fn a_recording_of_nothing_has_a_page() {
    assert!(html(&gathered(&[]), By::Size).contains("Nothing was allocated"));
}

#[test]
fn a_page_of_many_changing_cells_stays_small() {
    use crate::gather::testing::{allocate, free};
    use crate::gather::{Gather, Plan};
    let mut gather = Gather::new(Plan { duration: 400_000, ..Plan::default() });
    let mut random = 1u64;
    for n in 0..400_000u64 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(n | 1);
        gather.push(&allocate(n, n, (random >> 40) << 4, random >> 54));
        if n >= 50_000 {
            gather.push(&free(n, 0, n - 50_000));
        }
    }
    let page = html(&gather.finish(), By::Size);
    assert!(page.len() < 2_600_000, "{}", page.len());
}

#[test]
fn sites_are_a_table_and_a_colour_where_stacks_were_recorded() {
    let page = html(&crate::gather::testing::with_stacks(), By::Site);
    assert!(page.contains("id=\"sites\"") && page.contains("value=\"site\" checked"));
    assert!(page.contains("<td>copy &lt; parse (app.cpp:11)</td>"));
    let without = html(&gathered(&[(0x1000, 64)]), By::Size);
    assert!(!without.contains("id=\"sites\"") && !without.contains("value=\"site\""));
}
