/** Longest answer of the engine's client that is not a build, milliseconds. */
const answerTimeoutMs = 60_000

export interface Answer {
  exitCode: number
  stdout: string
  stderr: string
}

/** Asks the engine's client and answers whatever it says. */
export async function tryCommand(
  command: readonly string[],
  timeoutMs = answerTimeoutMs,
): Promise<Answer> {
  const client = Bun.spawn([...command], {
    env: process.env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: timeoutMs,
  })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(client.stdout).text(),
    new Response(client.stderr).text(),
    client.exited,
  ])
  return { exitCode, stdout: stdout.trim(), stderr: stderr.trim() }
}

/** The same, and throws with the last lines of its errors when it fails. */
export async function run(
  command: readonly string[],
  timeoutMs = answerTimeoutMs,
): Promise<string> {
  const { exitCode, stdout, stderr } = await tryCommand(command, timeoutMs)
  if (exitCode === 0) return stdout
  const last = `${stdout}\n${stderr}`.split('\n').slice(-20).join('\n')
  throw new Error(`${command.slice(0, 4).join(' ')} ended with ${exitCode}:\n${last}`)
}

export const docker = (...parameters: string[]) => run(['docker', ...parameters])
