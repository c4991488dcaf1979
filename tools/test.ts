/**
 * The whole test run: static checks, then all tests, several files at a time on one database server.
 * The last line is the result. `--all` turns a missing nginx, Postgres, browser or Python package
 * into a failure. Containers are tested where an engine runs or can be started.
 */
import '../test/support/in-memory.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { inSlices } from '../src/core/lib/in-slices.ts'
import { findEngine } from '../test/image/engine.ts'
import { shareTestServer } from '../test/support/postgres.ts'
import { shareReadyHistory } from '../test/support/ready-history.ts'
import { measureSlowness, root, runStatics, runTests, sum } from './test-run.ts'

const isEverythingRequired = process.argv.includes('--all')
/** Limit of a single test, which may start real programs, in milliseconds. */
const timeoutMs = 180_000
/** Test files of a run at a time; two runs go on side by side, as many files wait for other programs. */
const parallel = '--parallel=2'
/**
 * Files whose workers load the modules once for all of them, which takes up to a third of their
 * processor time away. Each group has new workers, because everything that files keep in their
 * variables stays in memory.
 */
const groupFiles = 60
/** Files of the browser in a run. */
const pageFiles = 8

const counts = await runStatics()

function withPrograms(folder: string, missing: string[]): string[] {
  if (missing.length === 0 || isEverythingRequired) return [folder]
  console.log(`not run: ${folder} needs ${missing.join(', ')} (see CONTRIBUTING.md)`)
  return []
}

const without = (program: string) => (Bun.which(program) === null ? [program] : [])
const withoutPostgres = existsSync('/usr/lib/postgresql') ? [] : ['postgresql']
const tools = ['nginx', 'rsync', 'strace', 'promtool', 'pgbouncer', 'openssl'].flatMap(without)
/** Programs of the virtual environment: each stands for the packages that were installed with it. */
const withoutPython = (program: string) =>
  existsSync(join(root, 'node_modules/.python/bin', program)) ? [] : [program]
const inProcess = ['src', 'db', 'tools', 'test/contract', 'test/style', 'test/support']
const pages = withPrograms('test/e2e', ['chromium', 'nginx'].flatMap(without))
const folders = [
  ...withPrograms('./test/lab', [...tools, ...withoutPostgres]),
  ...withPrograms('./test/clients', withoutPython('openapi-python-client')),
  ...withPrograms('./test/oracles', withoutPython('legendary')),
]

const engine = await findEngine()
if (typeof engine === 'object') console.log(`not run: ./test/image: ${engine.problem}`)
else process.env['LARDER_TEST_IMAGE'] = '1'
// Each file starts an engine of its own; one that is there already is not shared by two files.
if (engine === 'startable') folders.push('./test/image')

const slowness = measureSlowness()
console.log(`time limits are multiplied by ${slowness.toFixed(1)}`)
const stopServer = await shareTestServer()
const removeHistory = await shareReadyHistory()
const run = async (args: string[]) => counts.push(await runTests({ timeoutMs, slowness, args }))

function testsBelow(folder: string): string[] {
  const files = [...new Bun.Glob('**/*.test.{ts,tsx}').scanSync(join(root, folder))].toSorted()
  if (files.length === 0) throw new Error(`there are no tests below ${folder}`)
  return files.map((file) => `./${folder}/${file}`)
}

// No folders would be all of them.
const queue = [
  ...(folders.length > 0 ? [folders] : []),
  ...inSlices(inProcess.flatMap(testsBelow), groupFiles).map((files) => ['--no-isolate', ...files]),
  ...inSlices(pages.flatMap(testsBelow), pageFiles),
]

/**
 * One of two turns. The lab, whose files wait for other programs, goes on beside files that compute;
 * both turns share those of the browser, and end at about the same time.
 */
async function runQueue(): Promise<void> {
  for (let args = queue.shift(); args !== undefined; args = queue.shift()) {
    await run([parallel, ...args])
  }
}

await Promise.all([runQueue(), runQueue()])
if (engine === 'running') await run(['./test/image'])
removeHistory()
await stopServer()

const { passed, failed, failures } = sum(counts)
for (const name of failures) console.log(`failed: ${name}`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
