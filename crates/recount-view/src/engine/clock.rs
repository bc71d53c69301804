//! The clock by which the time of requests is limited.

#[cfg(not(target_family = "wasm"))]
pub(crate) use std::time::Instant;

#[cfg(target_family = "wasm")]
pub(crate) use given::Instant;
#[cfg(target_family = "wasm")]
pub use given::give_clock;

/// In a browser the standard library has no clock: there, the program that runs the engine gives it the page's.
#[cfg(target_family = "wasm")]
mod given {
    use std::ops::Add;
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Gives the engine a clock that never goes back. Without one, no time ever passes.
    pub fn give_clock(clock: fn() -> Duration) {
        // A second one is the same.
        let _ = CLOCK.set(clock);
    }

    /// A moment, by the clock that was given.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) struct Instant(Duration);

    impl Instant {
        pub(crate) fn now() -> Instant {
            Instant(CLOCK.get().map(|clock| clock()).unwrap_or_default())
        }

        pub(crate) fn elapsed(self) -> Duration {
            Instant::now().0.saturating_sub(self.0)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, length: Duration) -> Instant {
            Instant(self.0 + length)
        }
    }
}
