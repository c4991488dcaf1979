#!/usr/bin/env bash
# Whether the service answers on its own machine: the container engine asks every few seconds.
# bash speaks TCP itself; a second Bun each time would take ten times its memory. HTTPS needs one.
if [ -n "${Tls__CertPath:-}" ]; then
  exec bun -e 'const { HOST = "127.0.0.1", PORT } = process.env
const host = HOST.includes(":") ? `[${HOST}]` : HOST
const tls = { rejectUnauthorized: false }
const { ok } = await fetch(`https://${host}:${PORT}/health`, { tls })
process.exit(ok ? 0 : 1)'
fi
exec 3<>"/dev/tcp/${HOST:-127.0.0.1}/$PORT" &&
  printf 'GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3 && read -r _ status _ <&3 && [ "$status" = 200 ]
