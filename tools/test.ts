/**
 * The whole test run: static checks, then the tests beside the sources, then the lab and the
 * browser tests one after the other (they start real programs). The last line is the result.
 * `--all` turns a missing nginx, Postgres, browser or client generator into a failure. The container image is tested
 * when LARDER_TEST_IMAGE is 1.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root, runStatic, runTests, staticChecks, sum, type Count } from './test-run.ts'

const isEverythingRequired = process.argv.includes('--all')
/** Time limit of a single test with real programs, in milliseconds. */
const programTimeoutMs = 180_000

const counts: Count[] = staticChecks.map(runStatic)
const beside = ['./src', './db', './tools', './test/contract', './test/style', './test/support']
counts.push(await runTests(['--parallel=2', '--timeout', '30000', ...beside]))

async function withPrograms(folder: string, missing: string[]): Promise<void> {
  if (missing.length > 0 && !isEverythingRequired) {
    console.log(`not run: ${folder} needs ${missing.join(', ')} (see "Test" in the README)`)
    return
  }
  counts.push(await runTests(['--timeout', String(programTimeoutMs), folder]))
}

const without = (program: string) => (Bun.which(program) === null ? [program] : [])
const withoutPostgres = existsSync('/usr/lib/postgresql') ? [] : ['postgresql']
const tools = ['nginx', 'rsync', 'strace'].flatMap(without)
await withPrograms('./test/lab', [...tools, ...withoutPostgres])
await withPrograms('./test/e2e', without('chromium'))
const generator = 'openapi-python-client'
const hasGenerator = existsSync(join(root, 'node_modules/.python/bin', generator))
await withPrograms('./test/clients', hasGenerator ? [] : [generator])
if (process.env['LARDER_TEST_IMAGE'] === '1') await withPrograms('./test/image', without('docker'))

const { passed, failed } = sum(counts)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
