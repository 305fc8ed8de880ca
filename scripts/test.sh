#!/bin/sh
# scripts/test.sh -- installs what the tests need, builds, runs the tests; last line "N passed, N failed".
set -eu

case ${1-} in
-h | --help)
    cat <<TEXT
usage: sh scripts/test.sh [TARGET]

Installs missing packages, builds, and runs \`make test\`, or another target of the Makefile:
  check      format, floors, static analysis
  ci         all tests and check, with gcc and clang; unit, conformance and by-hand tests with the sanitizers too
  test-long  the slow tests at length, sanitizers, valgrind, analysers, a minute of fuzzing per reader
TEXT
    exit 0
    ;;
esac
cd "$(dirname "$0")/.."
sh scripts/install-deps.sh
rm -rf build/test-logs
if make -j"$(nproc)" "${1:-test}"; then exit 0; fi
# Whatever make had to say after it, the count is the last line.
cat build/test-logs/summary 2>/dev/null || { echo "the build failed" && echo "0 passed, 1 failed"; }
exit 1
