#!/bin/sh
# scripts/install-deps.sh -- the Debian packages that building, running and testing mlfs-sim takes.
# shellcheck disable=SC2086 # lists of words are meant to split
set -eu

usage()
{
    cat <<TEXT
usage: sh scripts/install-deps.sh [--build | --test]

Installs through apt-get what is missing on this machine, and nothing that is there already.
  --build   what it takes to build, run and draw figures
  --test    what the tests take as well (default)
  -h        this text
TEXT
}

build='gcc make pkgconf libc6-dev libcjson-dev zlib1g-dev libzstd-dev nettle-dev libgsl-dev libopenblas-serial-dev gnuplot-nox
       fonts-dejavu-core'
tests='chromium clang clang-format clang-tidy cppcheck libclang-rt-14-dev libcmocka-dev libopenmpi-dev openmpi-bin jq locales parallel shellcheck strace time'

want="$build $tests"
for option; do
    case $option in
    --build) want=$build ;;
    --test) want="$build $tests" ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
    esac
done
installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "install-deps.sh: this machine has no apt-get; install what corresponds to these Debian packages:" $want >&2
    exit 1
fi
missing=
for package in $want; do
    installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then as_root=sudo; fi
command="apt-get install -y --no-install-recommends$missing"
if [ -n "$as_root" ] && ! command -v sudo >/dev/null; then
    echo "install-deps.sh: missing$missing; as root run: $command" >&2
    exit 1
fi
echo "install-deps.sh: installing$missing"
log=$(mktemp "${TMPDIR:-/tmp}/install-deps.XXXXXX")
trap 'rm -f "$log"' EXIT
install() { $as_root env DEBIAN_FRONTEND=noninteractive $command >"$log" 2>&1 </dev/null; }

# The package lists of a fresh machine are empty, those of an old one may name versions that are gone.
if ! install; then
    if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get update >"$log" 2>&1 </dev/null || ! install; then
        tail -n 5 "$log" >&2
        echo "install-deps.sh: apt-get could not install$missing; as root run: apt-get update && $command" >&2
        exit 1
    fi
fi
