#!/bin/sh
# ghostscript.sh FOLDER FILES PAGES: ghostscript makes a PDF of the PAGES pages of FILES/ghostscript.ps, and draws that.
#
# What the pages have to look like is found out at the first run, with the C library's malloc, and kept in FOLDER.
set -u
say() { echo "ghostscript: $*" >&2; exit 1; }
for tool in gs cksum cmp mktemp; do
    command -v "$tool" >/dev/null 2>&1 || say "$tool is not installed"
done
[ $# -eq 3 ] || say "usage: ghostscript.sh FOLDER FILES PAGES"
document=$2/ghostscript.ps
pages=$3
right=$1/ghostscript-$pages
. "${0%/*}/workplace.inc"
# Nothing of the user's settings, no temporary file elsewhere.
unset GS_OPTIONS GS_LIB
export TMPDIR="$run"

measured() { LD_PRELOAD=$preload gs -q -dSAFER -dBATCH -dNOPAUSE "$@" >"$run/said" 2>&1 && [ ! -s "$run/said" ]; }
# The sum of the picture of all pages.
drawn() {
    measured -sDEVICE=pdfwrite "-dPages=$pages" -o "$run/pdf" -f "$document" || say "no PDF: $(tail -n 1 "$run/said")"
    measured -sDEVICE=ppmraw -r72 -o "$run/ppm" "$run/pdf" || say "no picture: $(tail -n 1 "$run/said")"
    cksum <"$run/ppm" >"$run/sum"
}
if [ ! -f "$right" ]; then
    (preload= && drawn) && mv "$run/sum" "$right" || exit 1
fi
drawn
cmp -s "$run/sum" "$right" || say "the pages look different: $(cat "$run/sum"), not $(cat "$right")"
