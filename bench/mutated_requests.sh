#!/usr/bin/env bash
# Sends at least 1,000 requests that schemathesis (from PyPI) makes from the OpenAPI document, valid and mutated, to both ports of a
# collector on this machine. No answer may be a 5xx or have a status that the document does not list, and the server must be well
# afterwards. Bounded: so many examples for each operation.
#   bench/mutated_requests.sh [EXAMPLES]
set -euo pipefail
cd "$(dirname "$0")/.."
examples=${1:-60}
if [ -z "${LOAD:-}" ]; then
  cargo build --release --quiet -p shoal-collector --example load
fi
load=${LOAD:-${CARGO_TARGET_DIR:-target}/release/examples/load}
schemathesis=${SCHEMATHESIS:-schemathesis}
data=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$data"' EXIT
port=${PORT:-18180}
"$load" serve "$data/store" "127.0.0.1:$port" "127.0.0.1:$((port + 1))" 2>"$data/log" &
server=$!
for _ in $(seq 300); do
  if curl -sf "http://127.0.0.1:$port/healthz" >/dev/null; then break; fi
  sleep 0.05
done
key=$(cat "$data/store/operator.key")
curl -sf -H "authorization: Bearer $key" -H 'content-type: application/json' "http://127.0.0.1:$((port + 1))/v1/collections" \
  -d '{"id": "survey", "bounds": "age=17:90,hours=1:99", "epsilon": "4"}' >/dev/null
printf '[parameters]\nid = "survey"\nversion = "newest"\nname = "operator.css"\n' >"$data/there.toml"
: >"$data/any.toml"
# First with names of a collection that is there, which must stay there, then with any names.
for which in there:public:"$port" there:operator:"$((port + 1))" any:public:"$port" any:operator:"$((port + 1))"; do
  IFS=: read -r names tag at <<<"$which"
  spared=()
  if [ "$names" = there ]; then spared=(--exclude-operation-id deleteCollection --exclude-operation-id closeCollection); fi
  "$schemathesis" --config-file "$data/$names.toml" run "http://127.0.0.1:$at/openapi.json" --url "http://127.0.0.1:$at" "${spared[@]}" \
    --header "authorization: Bearer $key" --include-tag "$tag" --include-tag both --max-examples "$examples" --seed 1 \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
    --phases examples,coverage,fuzzing --request-timeout 20
done
curl -sf "http://127.0.0.1:$port/readyz" >/dev/null
if grep -E 'panicked|fault' "$data/log"; then exit 1; fi
echo "the server is well"
