#!/bin/sh
# Runs the tests against both kernels in parallel; arguments go to both runs of pytest. The compiled one runs
# everything, the pure one what can depend on the kernel; its output comes last.
set -u
cd "$(dirname "$0")/.."
python=.venv/bin/python

# These do not import ivme (tests/packaging/test_kernel.py checks it) ...
same="spec reference laws errata"
# ... and these test how ivme is packaged and connected, not what the kernel computes.
same="$same packaging spark browser"

kernel=$("$python" -c 'import ivme; print(ivme.kernel)') || exit 1
if [ "$kernel" = pure ]; then
    "$python" -c 'import ivme; print(f"ivme: only the pure kernel is tested: {ivme.kernel_reason}")'
    exec "$python" -m pytest "$@"
fi

log=$(mktemp) || exit 1
ignored=
for folder in $same; do
    ignored="$ignored --ignore=tests/$folder"
done
# shellcheck disable=SC2086 # the options are words
IVME_PURE=1 "$python" -m pytest -q -p no:cacheprovider $ignored "$@" >"$log" 2>&1 &
pure=$!
trap 'kill "$pure" 2>/dev/null; rm -f "$log"' EXIT
trap 'exit 130' INT TERM

echo "ivme: the compiled kernel (the pure one is tested at the same time)"
"$python" -m pytest "$@"
first=$?
echo "ivme: the pure kernel"
wait "$pure"
second=$?
cat "$log"
[ "$first" = 0 ] || echo "ivme: the tests of the compiled kernel failed (pytest: $first)"
[ "$second" = 0 ] || echo "ivme: the tests of the pure kernel failed (pytest: $second)"
[ "$first" = 0 ] && [ "$second" = 0 ]
