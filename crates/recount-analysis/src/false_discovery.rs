//! Probabilities corrected for their number, so that of those below q at most a share q is due to chance.

/// The step-up procedure (Benjamini and Hochberg, 1995): each probability times `factor` over its rank, and at most that of the next.
/// The factor is the number of tests, and under any dependence more (Benjamini and Yekutieli, 2001).
pub(crate) fn stepped_up(probabilities: &[f64], factor: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]));
    let mut corrected = vec![1.0; probabilities.len()];
    let mut least = 1.0_f64;
    for (rank, at) in order.into_iter().enumerate().rev() {
        least = least.min(probabilities[at] * factor / (rank + 1) as f64);
        corrected[at] = least;
    }
    corrected
}
