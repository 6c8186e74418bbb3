#!/usr/bin/env bash
# Load and faults of the collector, generator and server on this machine over loopback. Takes about a minute for each part. The
# server is that of the library, in a process of its own, built with the generator; SHOAL=target/release/shoal takes the program.
# LOAD=FILE takes a generator that is built already.
#   bench/collector.sh load     # reports/s in batches of 1,000, requests/s with one report each, times at half of that
#   bench/collector.sh memory   # ten minutes at half load: memory at the beginning and at the end
#   bench/collector.sh restart  # ten million reports, then the time of a start
#   bench/collector.sh kills    # 200 × kill -9 under load
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
if [ -z "${LOAD:-}" ]; then
  cargo build --release --quiet -p shoal-collector --example load
fi
load=${LOAD:-$target/release/examples/load}
data=$(mktemp -d)
server=
stop() { if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; server=; fi; }
trap 'stop; rm -rf "$data"' EXIT
port=${PORT:-18080}
address=127.0.0.1:$port
if [ -n "${SHOAL:-}" ]; then
  serve=("$SHOAL" serve --data "$data" --listen "$address" --operator "127.0.0.1:$((port + 1))")
else
  serve=("$load" serve "$data" "$address" "127.0.0.1:$((port + 1))")
fi
start() {
  "${serve[@]}" 2>>"$data/log" &
  server=$!
  for _ in $(seq 200); do
    if curl -sf "http://$address/healthz" >/dev/null; then return; fi
    sleep 0.02
  done
  echo "the server did not start:" >&2; cat "$data/log" >&2; exit 1
}
memory() { awk '/VmRSS/ { printf "%.0f MiB\n", $2 / 1024 }' "/proc/$server/status"; }
send() { "$load" send "$data" "$address" load "$@"; }

case ${1:-load} in
  load)
    start
    seconds=${SECONDS_EACH:-10}
    send 8 1000 "$seconds"
    send 8 1000 "$seconds" 100
    send 64 1 "$seconds"
    send 64 1 "$seconds" 7500
    ;;
  memory)
    start
    send 8 1000 20 100; echo "after 20 s: $(memory)"
    send 8 1000 "${SECONDS_EACH:-580}" 100; echo "at the end: $(memory)"
    ;;
  restart)
    start
    while :; do
      send 8 1000 10
      stored=$(curl -s -H "authorization: Bearer $(cat "$data/operator.key")" "http://127.0.0.1:$((port + 1))/v1/collections/load" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["reports"])')
      if [ "$stored" -ge "${REPORTS:-10000000}" ]; then break; fi
    done
    stop
    began=$(date +%s.%N); start; ended=$(date +%s.%N)
    echo "$stored reports: started in $(echo "$ended - $began" | bc) s, $(memory), $(du -sh "$data/reports.sqlite" | cut -f1) on disk"
    ;;
  kills)
    "$load" kills "$data" "${KILLS:-200}" "${SEED:-1}" -- "${serve[@]}"
    ;;
  *) echo "load, memory, restart or kills" >&2; exit 2 ;;
esac
