#!/usr/bin/env bash
# Makes an image with the name that the Dockerfile builds on, for machines that cannot pull one:
# Debian's smallest system with this machine's Bun where the official image has it.
# base.sh IMAGE BUN FOLDER    FOLDER is used for the work and removed.
set -euo pipefail
image=$1 bun=$2 work=$3
root=$work/root
trap 'rm -rf "$work"' EXIT
mkdir -p "$root"

debootstrap --variant=minbase bookworm "$root" >"$work/debootstrap.log" 2>&1 ||
  { tail -n 20 "$work/debootstrap.log" >&2; exit 1; }
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/*

install -m 755 "$bun" "$root/usr/local/bin/bun"
ln -s bun "$root/usr/local/bin/bunx"
chroot "$root" groupadd --gid 1000 bun
chroot "$root" useradd --uid 1000 --gid bun --shell /bin/sh --create-home bun
mkdir -p "$root/home/bun/app"
cat >"$root/usr/local/bin/docker-entrypoint.sh" <<'SCRIPT'
#!/bin/sh
set -e
command -v "$1" >/dev/null 2>&1 || set -- /usr/local/bin/bun "$@"
exec "$@"
SCRIPT
chmod 755 "$root/usr/local/bin/docker-entrypoint.sh"

changes=(
  --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  --change 'ENV BUN_RUNTIME_TRANSPILER_CACHE_PATH=0'
  --change 'WORKDIR /home/bun/app'
  --change 'ENTRYPOINT ["/usr/local/bin/docker-entrypoint.sh"]'
  --change 'CMD ["/usr/local/bin/bun"]'
)
# Packages come the way that this machine gets them: its authorities, its registry.
authorities=/etc/ssl/certs/ca-certificates.crt
if [ -f "$authorities" ]; then
  install -D -m 644 "$authorities" "$root$authorities"
  changes+=(--change "ENV NODE_EXTRA_CA_CERTS=$authorities")
fi
if [ -n "${NPM_CONFIG_REGISTRY:-}" ]; then
  changes+=(--change "ENV NPM_CONFIG_REGISTRY=$NPM_CONFIG_REGISTRY")
fi

tar -C "$root" --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' -c . |
  docker import "${changes[@]}" - "$image" >/dev/null
