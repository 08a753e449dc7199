//! Fewer points of the same curve.

/// At most `most` of `points` (8 at least): of each group the lowest and the highest stay, so that peaks do.
pub fn thin(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    let most = most.max(8);
    if points.len() <= most {
        return points.to_vec();
    }
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return Vec::new() };
    let inner = &points[1..points.len() - 1];
    let mut kept = vec![first];
    for group in inner.chunks(inner.len().div_ceil((most - 2) / 2)) {
        let by_height =
            |a: &(usize, &(f64, f64)), b: &(usize, &(f64, f64))| a.1.1.total_cmp(&b.1.1);
        let low = group.iter().enumerate().min_by(by_height).map_or(0, |p| p.0);
        let high = group.iter().enumerate().max_by(by_height).map_or(0, |p| p.0);
        kept.push(group[low.min(high)]);
        if low != high {
            kept.push(group[low.max(high)]);
        }
    }
    kept.push(last);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_and_ends_stay() {
        let mut points: Vec<(f64, f64)> = (0..1000).map(|i| (f64::from(i), 1.0)).collect();
        points[500].1 = 9.0;
        let few = thin(&points, 50);
        assert!(few.len() <= 50 && few.contains(&(500.0, 9.0)), "{}", few.len());
        assert_eq!((few[0], few[few.len() - 1]), (points[0], points[999]));
        assert_eq!(thin(&points[..5], 0).len(), 5);
        assert!(thin(&[], 10).is_empty());
    }
}
