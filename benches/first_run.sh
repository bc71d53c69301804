#!/usr/bin/env bash
# Measures what a newcomer waits for: `bash benches/first_run.sh`. A clean clone, an empty target and an empty package
# cache; then README's two commands, `cargo install`, the distributed binary, and the wheel. Takes an hour on two cores.
#
#     bash benches/first_run.sh run test        only these (run, test, install, install-small, dist, wheel)
#
# Prints wall clock and CPU time of each step, the size of the binaries, and exits with 1 if a step fails.
set -euo pipefail

source=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
work=$(mktemp -d "${TMPDIR:-/tmp}/recount-first-run.XXXXXX")
trap 'rm -rf "$work"' EXIT
steps=("$@")
((${#steps[@]})) || steps=(run test install install-small dist wheel)

git clone --quiet "$source" "$work/clone"
cd "$work/clone"
# The commands of rustup stay; settings (a mirror, a proxy) come along, downloaded packages don't.
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
mkdir "$work/cargo-home"
for settings in "${CARGO_HOME:-$HOME/.cargo}"/config*; do
    [[ -f $settings ]] && cp "$settings" "$work/cargo-home"
done
export CARGO_HOME="$work/cargo-home" CARGO_TERM_COLOR=never
unset CARGO_TARGET_DIR RECOUNT_SHARED

# measure NAME COMMAND...
measure() {
    local name=$1 times
    shift
    local TIMEFORMAT='%R %U %S'
    if ! times=$({ time "$@" >"$work/$name.log" 2>&1; } 2>&1); then
        echo "$name failed:" >&2
        tail -n 40 "$work/$name.log" >&2
        exit 1
    fi
    awk -v name="$name" '{
        printf "%-13s %2d min %02d s   CPU %2d min %02d s\n", name, $1 / 60, $1 % 60, ($2 + $3) / 60, ($2 + $3) % 60
    }' <<<"$times"
}

size() {
    printf '%-13s %s MB\n' "" "$(($(stat --format %s "$1") / 1000000))"
}

echo "$(git rev-parse --short HEAD), $(nproc) cores, $(rustc --version)"
for step in "${steps[@]}"; do
    case $step in
        run | test)
            name=$([[ $step == run ]] && echo main-command || echo test-command)
            measure "$step" bash -euo pipefail -c "$(.ci/readme-command "$name")"
            grep -hE '^ +Summary \[' "$work/$step.log" || true
            ;;
        install | install-small)
            # With SQL, as README has it, or without.
            features=(--features sql)
            [[ $step == install ]] || features=()
            CARGO_TARGET_DIR=$work/$step measure "$step" \
                cargo install --locked --path crates/recount-cli "${features[@]}" --root "$work/root" --force
            size "$work/root/bin/recount"
            ;;
        dist)
            CARGO_TARGET_DIR=$work/dist measure dist \
                cargo build --locked --profile dist --package recount-cli --features sql,remote
            size "$work/dist/dist/recount"
            ;;
        wheel)
            python3 -m venv "$work/venv"
            "$work/venv/bin/python" -m pip install --quiet --no-deps -r python/tests/requirements-build.txt
            CARGO_TARGET_DIR=$work/wheel measure wheel \
                env --chdir python "$work/venv/bin/python" -m maturin build --locked --out "$work/wheels"
            size "$work"/wheels/*.whl
            ;;
        *)
            echo "no such step: $step" >&2
            exit 2
            ;;
    esac
done
