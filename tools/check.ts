/** The full check before a shared commit: the whole test run, and its line coverage. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shareTestServer } from '../test/support/postgres.ts'
import { coverageOf } from './coverage.ts'
import { measureSlowness, runStatics, runTests, sum } from './test-run.ts'

const coveragePercentMin = 90
/** Limit of a single test, in milliseconds. */
const timeoutMs = 180_000

const counts = await runStatics()
const folder = mkdtempSync(join(tmpdir(), 'larder-coverage-'))
const reporter = ['--coverage', '--coverage-reporter=lcov', '--coverage-dir', folder]
const stopServer = await shareTestServer()
const args = ['--parallel=2', ...reporter, './src', './db']
counts.push(await runTests({ timeoutMs, slowness: measureSlowness(), args }))
await stopServer()

// The dashboard is tested in the browser; coverage is about the service.
const isService = (path: string) => /^(src|db)\//.test(path) && !path.startsWith('src/web/')
const { lines, covered } = coverageOf(readFileSync(join(folder, 'lcov.info'), 'utf8'), isService)
rmSync(folder, { recursive: true })
const percent = (100 * covered) / Math.max(lines, 1)
const isCovered = percent >= coveragePercentMin
console.log(`${isCovered ? '(pass)' : '(fail)'} ${percent.toFixed(1)} % of ${lines} lines covered`)
const failures = isCovered ? [] : ['coverage']
counts.push({ passed: 1 - failures.length, failed: failures.length, failures })

const { passed, failed } = sum(counts)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
