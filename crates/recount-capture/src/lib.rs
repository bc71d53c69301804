//! The capture log (`.rcap`).
