#!/usr/bin/env bash
# Builds recount.exe for Windows, records a provider of known counters with it under Wine, and computes the captures here:
# `bash crates/recount-record/tests/windows/run.sh`, on Debian 12. Installs what it lacks. Everything it makes is below
# target/windows, with a Wine prefix of its own. Each step begins with the time that passed so far.
set -euo pipefail
cd "$(dirname "$0")/../../../.."

readonly TARGET=x86_64-pc-windows-gnu
readonly OUT=$PWD/target/windows
readonly SOURCES=$PWD/crates/recount-record/tests/windows
readonly RUN=$OUT/run
readonly NUM_SAMPLES=8
export CARGO_TERM_COLOR=never
# A zone with daylight saving time, east of Greenwich; Wine looks for the one of Windows that has its rules.
export TZ=CET-1CEST,M3.5.0,M10.5.0/3
# Nothing of Wine's that needs a window; no messages about what it lacks.
export WINEPREFIX=$RUN/prefix WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=;winemenubuilder.exe=d"

step() {
    printf '\n== %02d:%02d  %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"
    "$@"
}

# Debian's Rust, since it comes with the sources of the standard library; rustup's can't build one for Windows.
system_packages() {
    local packages=(rustc-web cargo-web rust-web-src rust-web-clippy gcc-mingw-w64-x86-64-win32 wine64 wine)
    dpkg --status "${packages[@]}" &>/dev/null && return
    local as_root=()
    ((EUID == 0)) || as_root=(sudo)
    "${as_root[@]}" apt-get update --quiet
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --quiet --yes --no-install-recommends "${packages[@]}"
}

# Debian's cargo, with a command and its arguments. Without optimisation: to compile takes minutes, to run a second.
windows_cargo() {
    local program=$1 command=$2
    shift 2
    env PATH=/usr/bin:/bin CARGO=/usr/bin/cargo RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$OUT" \
        "/usr/bin/$program" "$command" --locked -Zbuild-std=std,panic_abort --target "$TARGET" \
        --config 'profile.dev.opt-level=0' --config 'profile.dev.package."*".opt-level=0' \
        --config 'profile.dev.debug=0' "$@"
}

provider() {
    local compile=(x86_64-w64-mingw32-gcc -std=c11 -O1 -Wall -Wextra -Werror)
    "${compile[@]}" -shared -o "$RUN/recount-test.dll" "$SOURCES/provider.c"
    "${compile[@]}" -municode -o "$RUN/register.exe" "$SOURCES/register.c"
    # Beside the executable, where it is looked for first.
    "${compile[@]}" -shared -o "$RUN/bcryptprimitives.dll" "$SOURCES/process_prng.c" -ladvapi32
    cp "$OUT/$TARGET/debug/recount.exe" "$RUN/"
}

windows() {
    # What Wine says is about its own prefix; what the programs say goes the same way, so it is shown if they fail.
    local program=$1
    shift
    (cd "$RUN" && /usr/lib/wine/wine64 "$program" "$@" 2>"$program.err") || {
        local status=$?
        cat "$RUN/$program.err" >&2
        return "$status"
    }
}

register() {
    windows register.exe "Z:${RUN//\//\\}\\recount-test.dll" >"$RUN/names.txt"
}

# Records, here under Wine, and computes, here: NAME, and what to tell `recount record`.
record_and_check() {
    local name=$1 options=()
    shift
    [[ $name == named ]] && options=(--costly)
    windows recount.exe record --output "$name.rcap" --interval 200ms --count "$NUM_SAMPLES" "$@"
    target/debug/recount convert --quiet --force "$RUN/$name.rcap" --output "$RUN/$name.csv"
    python3 "$SOURCES/check.py" "$RUN/$name.csv" "$RUN/names.txt" "$NUM_SAMPLES" "${options[@]}"
}

# The same executable reads what it wrote, and computes the same to the byte.
convert_under_wine() {
    windows recount.exe convert --quiet global.rcap --output wine.csv
    cmp "$RUN/wine.csv" "$RUN/global.csv"
}

facts() {
    target/debug/recount info --json "$RUN/global.rcap" | python3 "$SOURCES/check_facts.py"
}

# Only what belongs to our prefix.
end_wine() {
    [[ ! -d $WINEPREFIX ]] || /usr/lib/wine/wineserver64 --kill || true
}

step system_packages
step windows_cargo cargo build --package recount-cli
# What is only compiled for Windows, no other lint run sees.
step windows_cargo cargo-clippy clippy --package recount-record --package recount-capture --package recount --package recount-cli -- -D warnings
# Without --package, so that it is the one that the tests were run with.
step cargo build --locked --bin recount
end_wine
rm -rf "$RUN"
mkdir -p "$RUN"
trap end_wine EXIT
step provider
step register
# All objects that aren't costly, as "Global".
step record_and_check global
# All objects, the costly one too, by their indexes.
step record_and_check named --profile full
step convert_under_wine
step facts
printf '\n== %02d:%02d  done\n' $((SECONDS / 60)) $((SECONDS % 60))
