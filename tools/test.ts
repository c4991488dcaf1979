/**
 * The whole test run: static checks, then all tests, two files at a time on one database server. The
 * last line is the result. `--all` turns a missing nginx, Postgres, browser or client
 * generator into a failure. The container image is tested when LARDER_TEST_IMAGE is 1.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { shareTestServer } from '../test/support/postgres.ts'
import {
  measureSlowness,
  root,
  runStatic,
  runTests,
  staticChecks,
  sum,
  type Count,
} from './test-run.ts'

const isEverythingRequired = process.argv.includes('--all')
/** Limit of a single test, which may start real programs, in milliseconds. */
const timeoutMs = 180_000

const counts: Count[] = staticChecks.map(runStatic)

function withPrograms(folder: string, missing: string[]): string[] {
  if (missing.length === 0 || isEverythingRequired) return [folder]
  console.log(`not run: ${folder} needs ${missing.join(', ')} (see "Test" in the README)`)
  return []
}

const without = (program: string) => (Bun.which(program) === null ? [program] : [])
const withoutPostgres = existsSync('/usr/lib/postgresql') ? [] : ['postgresql']
const tools = ['nginx', 'rsync', 'strace', 'promtool'].flatMap(without)
const generator = 'openapi-python-client'
const hasGenerator = existsSync(join(root, 'node_modules/.python/bin', generator))
const beside = ['./src', './db', './tools', './test/contract', './test/style', './test/support']
const folders = [
  ...beside,
  ...withPrograms('./test/lab', [...tools, ...withoutPostgres]),
  ...withPrograms('./test/e2e', without('chromium')),
  ...withPrograms('./test/clients', hasGenerator ? [] : [generator]),
]

const slowness = measureSlowness()
console.log(`time limits are multiplied by ${slowness.toFixed(1)}`)
const stopServer = await shareTestServer()
counts.push(await runTests({ timeoutMs, slowness, args: ['--parallel=2', ...folders] }))
await stopServer()
if (process.env['LARDER_TEST_IMAGE'] === '1') {
  const args = withPrograms('./test/image', without('docker'))
  if (args.length > 0) counts.push(await runTests({ timeoutMs, slowness, args }))
}

const { passed, failed, failures } = sum(counts)
for (const name of failures) console.log(`failed: ${name}`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
