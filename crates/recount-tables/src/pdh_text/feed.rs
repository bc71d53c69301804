//! PDH text as a source of cooked values for the pipeline.

use recount_compute::{Cooked, CookedSource};
use recount_model::{CaptureInfo, Health, SampleTime, Selection};

use super::PdhText;

impl CookedSource for PdhText {
    fn info(&self) -> &CaptureInfo {
        PdhText::info(self)
    }

    fn health(&self) -> &Health {
        PdhText::health(self)
    }

    fn times(&self) -> &[SampleTime] {
        PdhText::times(self)
    }

    fn len_sample(&self, sample: usize) -> usize {
        // A blank cell takes four bytes of text and as much memory as a value.
        self.len_row(sample).max(4 * self.num_columns())
    }

    fn read(&self, samples: &[u32], selection: &Selection) -> (Vec<Cooked>, Health) {
        let mut cooked = Vec::new();
        let mut health = Health::default();
        for stretch in samples.chunk_by(|one, next| one + 1 == *next) {
            let rows = stretch[0] as usize..stretch[0] as usize + stretch.len();
            let decoded = self.decode(rows, selection);
            cooked.extend(decoded.cooked);
            health.absorb(decoded.health);
        }
        (cooked, health)
    }
}
