#!/bin/sh
# scripts/vendor-uplot.sh -- fetch uPlot, the charts of `mlfs-sim report`, from the npm registry into sim/report/page.
set -eu

version=1.6.32
case ${1-} in
-h | --help)
    echo "usage: sh scripts/vendor-uplot.sh"
    echo
    echo "Puts uPlot $version (MIT) and its licence into sim/report/page, where they are committed. Needs npm."
    exit 0
    ;;
esac
page=$(cd "$(dirname "$0")/../sim/report/page" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/uplot.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent "uplot@$version" >/dev/null
tar xzf "uplot-$version.tgz"
cp package/dist/uPlot.iife.min.js "$page/uplot.js"
cp package/dist/uPlot.min.css "$page/uplot.css"
cp package/LICENSE "$page/uplot.LICENSE"
