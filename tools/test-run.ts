/** Runs the checks and tests, prints their output and counts. */
import { join } from 'node:path'

export const root = join(import.meta.dir, '..')

export interface Count {
  passed: number
  failed: number
  /** Name and error of what failed, as printed; repeated at the end, where logs are read. */
  failures: string[]
}

interface Step {
  name: string
  command: string[]
}

const bun = process.execPath

// Every further thread checks the types that it shares with others again.
const types = [bun, 'check', '--no-script', '--threads=1']
/** Static checks, which do not run the program; each counts as one test. */
const staticChecks: Step[] = [
  { name: 'format', command: [bun, 'fmt', '--check'] },
  { name: 'types of the service', command: types },
  { name: 'types of the dashboard', command: [...types, '-p', 'src/web'] },
  { name: 'lint', command: [bun, 'x', 'oxlint', '--type-aware'] },
  { name: 'unused code and dependencies', command: [bun, 'x', '--bun', 'knip'] },
]

/** Runs all static checks at once; their output is shown only when they fail. */
export const runStatics = (): Promise<Count[]> => Promise.all(staticChecks.map(runStatic))

async function runStatic({ name, command }: Step): Promise<Count> {
  const startMs = performance.now()
  // Checkers in Go collect their garbage less often and have one thread, as all checks run at once.
  const env = { ...process.env, GOGC: '400', GOMAXPROCS: '1' }
  const child = Bun.spawn(command, { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
  const outputs = [new Response(child.stdout).text(), new Response(child.stderr).text()]
  const [exitCode, ...texts] = await Promise.all([child.exited, ...outputs])
  const took = `[${Math.round(performance.now() - startMs)} ms]`
  if (exitCode === 0) {
    console.log(`(pass) ${name} ${took}`)
    return { passed: 1, failed: 0, failures: [] }
  }
  console.log(`${texts.join('')}\n(fail) ${name} ${took}`)
  return { passed: 0, failed: 1, failures: [name] }
}

const countPattern = /^\s*(\d+) (pass|fail|errors?)$/gm

const resultPattern = /^\((pass|fail|skip|todo)\) (.+?)(?: \[[\d.]+m?s\])?$/
/** Lines of an error that are repeated. */
const errorLinesMax = 30

/** Failed tests with the lines printed since the result before, once each. */
function failuresOf(output: string): string[] {
  const failures = new Map<string, string>()
  let lines: string[] = []
  for (const line of output.split('\n')) {
    const [, result, name = ''] = resultPattern.exec(line) ?? []
    if (result === undefined) {
      if (line.trim() !== '') lines.push(line)
      continue
    }
    const text = [name, ...lines.slice(-errorLinesMax)].join('\n')
    // The runner repeats the names at its end, without errors.
    if (result === 'fail' && !failures.has(name)) failures.set(name, text)
    lines = []
  }
  return [...failures.values()]
}

/** Reads the runner's summary; a failed run without a failed test is one failure. */
export function countOf(output: string, exitCode: number): Count {
  const count = { passed: 0, failed: 0, failures: failuresOf(output) }
  for (const [, number, word] of output.matchAll(countPattern)) {
    if (word === 'pass') count.passed += Number(number)
    else count.failed += Number(number)
  }
  if (exitCode !== 0 && count.failed === 0) count.failed = 1
  if (exitCode === 0 && count.passed === 0) count.failed = 1
  return count
}

async function passOn(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const block of stream) {
    process.stdout.write(block)
    text += decoder.decode(block, { stream: true })
  }
  return text
}

/** Milliseconds that `measureSlowness` took on the machine for which all time limits were chosen. */
const referenceMs = 200
const slownessMax = 8

/** How much slower this machine is than the reference, at least 1: time limits are multiplied. */
export function measureSlowness(): number {
  const lines = Array.from(
    { length: 60_000 },
    (_, at) => `${(at * 2_654_435_761) % 2 ** 32} GET /${at}`,
  )
  const text = Buffer.from(lines.join('\n'))
  const timesMs = Array.from({ length: 5 }, () => {
    const startMs = performance.now()
    Bun.gzipSync(text, { level: 9 })
    return performance.now() - startMs
  })
  const medianMs = timesMs.toSorted((a, b) => a - b)[2] ?? referenceMs
  return Math.min(slownessMax, Math.max(1, medianMs / referenceMs))
}

interface TestRun {
  /** Limit of a test without one of its own, in milliseconds on the reference machine. */
  timeoutMs: number
  slowness: number
  /** Folders and other arguments. */
  args: string[]
}

/** Runs `bun test` and prints its output. */
export async function runTests({ timeoutMs, slowness, args }: TestRun): Promise<Count> {
  const limit = String(Math.round(timeoutMs * slowness))
  const child = Bun.spawn([bun, 'test', '--timeout', limit, ...args], {
    cwd: root,
    env: {
      ...process.env,
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
      LARDER_TEST_SLOWNESS: String(slowness),
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([passOn(child.stdout), passOn(child.stderr)])
  return countOf(`${out}\n${err}`, await child.exited)
}

export function sum(counts: Count[]): Count {
  return counts.reduce<Count>(
    (total, { passed, failed, failures }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      failures: [...total.failures, ...failures],
    }),
    { passed: 0, failed: 0, failures: [] },
  )
}
