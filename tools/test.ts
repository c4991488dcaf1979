/**
 * The whole test run: what holds without running, then everything beside its source, then the
 * laboratory and the browser one after the other (they start real programs). The last line is the
 * result. `--all` makes a missing nginx, GoAccess or browser a failure instead of a note.
 */
import { runStatic, runTests, staticChecks, sum, type Count } from './test-run.ts'

const isEverythingRequired = process.argv.includes('--all')
/** Longest single test with real programs, milliseconds. */
const programTimeoutMs = 180_000

const counts: Count[] = staticChecks.map(runStatic)
const beside = ['./src', './db', './tools', './test/contract', './test/style', './test/support']
counts.push(await runTests(['--parallel=2', '--timeout', '30000', ...beside]))

async function withProgram(program: string, folder: string): Promise<void> {
  if (Bun.which(program) === null && !isEverythingRequired) {
    console.log(`not run: ${folder} needs ${program} (see "Test" in the README)`)
    return
  }
  counts.push(await runTests(['--timeout', String(programTimeoutMs), folder]))
}

await withProgram('nginx', './test/lab')
await withProgram('chromium', './test/e2e')

const { passed, failed } = sum(counts)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
