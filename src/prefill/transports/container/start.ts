import type Docker from 'dockerode'
import { TransportError } from '../contract.ts'
import { messageOf, tolerating } from './faults.ts'

const pollMs = 100
/** Last lines of a container that ended, and the most that are shown of them. */
const logLines = 50
const shownCharsMax = 500

/** Without the eight bytes before each part of the two streams of a container's output. */
export function plainText(output: Buffer): string {
  const parts: Buffer[] = []
  let at = 0
  // The first byte names the stream, followed by three zeros; anything else is a single stream.
  while (at + 8 <= output.length && (output[at] ?? 9) <= 2 && output.readUIntBE(at + 1, 3) === 0) {
    const length = output.readUInt32BE(at + 4)
    parts.push(output.subarray(at + 8, at + 8 + length))
    at += 8 + length
  }
  parts.push(output.subarray(at))
  return Buffer.concat(parts).toString('utf8')
}

async function lastLines(container: Docker.Container, secret: string): Promise<string> {
  const output = await container.logs({ stdout: true, stderr: true, tail: logLines })
  const text = plainText(output).replaceAll(secret, '[secret]').trim()
  return text.slice(-shownCharsMax)
}

/**
 * Starts a container and watches for `settleMs` that it goes on. Throws TransportError with the
 * exit code and the end of its output otherwise.
 */
export async function startContainer(
  container: Docker.Container,
  { secret, settleMs }: { secret: string; settleMs: number },
): Promise<Docker.ContainerInspectInfo> {
  try {
    await tolerating([304], () => container.start())
  } catch (cause) {
    const reason = messageOf(cause).replaceAll(secret, '[secret]').slice(0, shownCharsMax)
    const text = `The container engine could not start the container: ${reason}`
    throw new TransportError('failed', text, { cause })
  }
  let state = await container.inspect()
  for (let waitedMs = 0; state.State.Running; waitedMs += pollMs) {
    if (waitedMs >= settleMs) return state
    await Bun.sleep(pollMs)
    state = await container.inspect()
  }
  // A container whose output cannot be read has ended all the same.
  const lines = await lastLines(container, secret).catch(() => '')
  const ended = `The container ended with exit code ${state.State.ExitCode}`
  throw new TransportError('failed', lines === '' ? ended : `${ended}: ${lines}`)
}
