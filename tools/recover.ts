/**
 * `bun run recover` on the host (or in the container): proves the installation key to the running
 * service and opens recovery of the owner's password for an hour.
 */
import { join } from 'node:path'
import { readConfig } from '../src/core/config.ts'
import { readSecretFile } from '../src/core/lib/secret-file.ts'

const requestTimeoutMs = 10_000

function fail(text: string): never {
  process.stderr.write(`${text}\n`)
  process.exit(1)
}

const { dataPath, port, security } = readConfig(process.env)
const keyPath = security.keyPath ?? join(dataPath, 'security', 'api_key.txt')
const base = (process.argv[2] ?? `http://127.0.0.1:${port}`).replace(/\/+$/, '')

const apiKey = readSecretFile(keyPath)
if (apiKey === null) {
  fail(`There is no installation key at ${keyPath}. Set DATA_PATH to the data of the service.`)
}

const response = await fetch(`${base}/api/account-setup/open-main-admin-recovery`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ apiKey }),
  signal: AbortSignal.timeout(requestTimeoutMs),
}).catch((error: unknown) =>
  fail(
    `The service does not answer at ${base} (${String(error)}). Is it running? Another address: bun run recover http://host:port`,
  ),
)
if (!response.ok) {
  const { error } = (await response.json().catch(() => ({}))) as { error?: string }
  const seconds = response.headers.get('Retry-After')
  const later = seconds === null ? '' : ` (in ${seconds} seconds)`
  fail(`The service refused (${response.status}): ${error ?? 'no reason given'}${later}`)
}
process.stdout.write(
  `Recovery of the owner password is open for an hour. Open ${base}/recover,\n` +
    'or set the password here:\n\n' +
    `  curl ${base}/api/account-setup/recover-main-admin -H 'Content-Type: application/json' \\\n` +
    `    -d '{"apiKey":"<key>","username":"<owner>","password":"<new password>"}'\n\n` +
    `The key stands in ${keyPath}.\n`,
)
