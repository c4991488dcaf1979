import { addAbortSignal, type Readable } from 'node:stream'
import type Docker from 'dockerode'
import { statusOf } from './faults.ts'
import { plainText } from './start.ts'

/** Output kept of one command, bytes; it is drained beyond that. */
const outputMax = 65_536
/** Exit code of shells for a program that does not exist. */
const notFound = 127
/** Interval of asking whether a command has ended, milliseconds. */
const pollMs = 50

export interface CommandResult {
  /** Null: not ended within the time limit. */
  exitCode: number | null
  output: string
}

async function read(stream: Readable, abort: AbortSignal): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of addAbortSignal(abort, stream) as AsyncIterable<Buffer>) {
      if (size < outputMax) parts.push(part)
      size += part.length
    }
  } catch (error) {
    if (!abort.aborted) throw error
  }
  return Buffer.concat(parts).subarray(0, outputMax)
}

/** Null: the engine cannot run the program. */
async function started(exec: Docker.Exec): Promise<Readable | null> {
  try {
    return await exec.start({})
  } catch (error) {
    // Some versions of the engine refuse with 400 what others report as an exit code.
    if (statusOf(error) === 400) return null
    throw error
  }
}

/**
 * Runs a command in a container. A program that the image lacks ends with 126 or 127, as in a
 * shell. Throws the engine's errors.
 */
export async function runInContainer(
  container: Docker.Container,
  command: string[],
  limitMs: number,
): Promise<CommandResult> {
  const abort = AbortSignal.timeout(limitMs)
  const exec = await container.exec({ Cmd: command, AttachStdout: true, AttachStderr: true })
  const stream = await started(exec)
  if (stream === null) return { exitCode: notFound, output: '' }
  const output = await read(stream, abort)
  for (;;) {
    const { Running, ExitCode } = await exec.inspect()
    if (!Running && ExitCode !== null) return { exitCode: ExitCode, output: plainText(output) }
    if (abort.aborted) return { exitCode: null, output: plainText(output) }
    await Bun.sleep(pollMs)
  }
}
