#!/bin/sh
# The Debian packages: built from the source archive with the network off, installed and used in a bare Debian, purged
# without a trace.
#   tests/packages/deb.sh [RELEASE]    bookworm or trixie; needs root, for scripts/bare
set -eu
release=${1:-bookworm}
top=$(cd "$(dirname "$0")/../.." && pwd)
share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT

cd "$share"
archive=$("$top/scripts/dist")
# What building needs comes from Debian's archive; then only the loopback is left.
"$top/scripts/bare" --share "$share" "$release" sh -eu -c '
    scripts/deb --needs >/srv/share/needs.log 2>&1
    apt-get install -y -q --no-install-recommends lintian >>/srv/share/needs.log 2>&1
    top=$PWD
    cd /srv/share
    exec unshare --net "$top/scripts/deb" --archive heaptap-*.tar.xz' >"$share/built" || {
    status=$?
    tail -n 5 "$share/needs.log" >&2 2>/dev/null || true
    exit $status
}
sed 's/^/built /' "$share/built"
rm -f "$share"/*dbgsym*
cp "$top/tests/packages/use.sh" "$share/"
exec "$top/scripts/bare" --share "$share" "$release" sh /srv/share/use.sh
