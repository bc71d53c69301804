#!/bin/bash
# Measures recording beside its peers: `bash benches/recording/run.sh [--seconds N] [--rounds N] ...` on Debian 12, as root.
# benches/README.md, "Recording", says what is measured and how to read it; `--help` lists the options.
set -euo pipefail
cd "$(dirname "$0")/../.."

needed=""
command -v pmlogger >/dev/null || needed+=" pcp"
[ -x /usr/lib/sysstat/sadc ] || needed+=" sysstat"
command -v atop >/dev/null || needed+=" atop"
command -v zstd >/dev/null || needed+=" zstd"
command -v xz >/dev/null || needed+=" xz-utils"
command -v strace >/dev/null || needed+=" strace"
if [ -n "$needed" ]; then
    # The packages would start their services: what stands for systemctl here does nothing, and policy-rc.d forbids the rest.
    shims=$(mktemp -d)
    trap 'rm -rf "$shims"' EXIT
    printf '#!/bin/sh\nexit 0\n' >"$shims/systemctl"
    chmod +x "$shims/systemctl"
    export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
    apt-get update -q >"$shims/log" 2>&1 || cat "$shims/log"
    # shellcheck disable=SC2086 # a list of names
    PATH="$shims:$PATH" apt-get install -y -q --no-install-recommends $needed
fi

cargo build --release --locked -q -p recount-cli
cargo build --release --locked -q -p recount-bench --example read-proc --example capture-numbers
exec python3 -B benches/recording/compare.py "$@"
