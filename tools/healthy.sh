#!/usr/bin/env bash
# Health check of the container engine, run every few seconds. Bash opens the TCP connection itself,
# because a second Bun would take ten times its memory; only HTTPS needs one.
if [ -n "${Tls__CertPath:-}" ]; then
  exec bun -e 'const { HOST = "127.0.0.1", PORT } = process.env
const host = HOST.includes(":") ? `[${HOST}]` : HOST
const tls = { rejectUnauthorized: false }
const { ok } = await fetch(`https://${host}:${PORT}/health`, { tls })
process.exit(ok ? 0 : 1)'
fi
exec 3<>"/dev/tcp/${HOST:-127.0.0.1}/$PORT" &&
  printf 'GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3 && read -r _ status _ <&3 && [ "$status" = 200 ]
