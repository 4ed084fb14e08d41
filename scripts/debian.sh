# What the scripts that make a Debian in a folder share.  Source it after `cannot`, which is called with the reason
# where there can be none.  It sets $cache: the folder that those folders are in.
cache=${HEAPTAP_CACHE:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/heaptap}
[ "$(id -u)" = 0 ] || cannot "only root can chroot"
mkdir -p "$cache" 2>/dev/null || cannot "$cache can't be made"

# The first address from which apt has Debian's own packages.
mirror() {
    apt-get indextargets --format '$(SITE) $(REPO_URI)' 'Origin: Debian' 'Component: main' 2>/dev/null |
        sed 's/^[^ ]* //; s,/*$,,' | grep -v -e '-security$' | head -n 1
}

# bootstrap FOLDER RELEASE OPTIONS...: debootstrap, from that address through apt's proxy, noted in $cache/log.
bootstrap() {
    folder=$1 release=$2
    shift 2
    command -v debootstrap >/dev/null || cannot "debootstrap is not installed (scripts/setup --quick)"
    address=$(mirror)
    [ -n "$address" ] || cannot "apt knows no Debian mirror"
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    [ -z "${proxy:-}" ] || export http_proxy="$proxy"
    rm -rf "$folder"
    debootstrap --variant=minbase "$@" "$release" "$folder" "$address" >"$cache/log" 2>&1 ||
        cannot "debootstrap failed: $(tail -n 1 "$cache/log")"
}
