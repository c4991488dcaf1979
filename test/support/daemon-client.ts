import net from 'node:net'
import {
  readMessage,
  writeRequest,
  type DaemonEvent,
  type DaemonResponse,
} from '../../src/prefill/protocol/envelopes.ts'
import { encodeFrame, FrameReader } from '../../src/prefill/protocol/frames.ts'
import { isTerminal, readProgress, type Progress } from '../../src/prefill/protocol/progress.ts'
import { parseWireJson } from '../../src/prefill/protocol/wire-json.ts'
import { atEnd } from './cleanup.ts'
import { eventually } from './eventually.ts'

type Place = { path: string } | { host: string; port: number }

/** A client of a prefill daemon that records everything it receives. */
export async function daemonClient(place: Place) {
  const socket = net.connect(place)
  const reader = new FrameReader()
  const responses: DaemonResponse[] = []
  const events: DaemonEvent[] = []
  let isClosed = false
  let sent = 0
  socket.on('data', (chunk) => {
    for (const text of reader.read(chunk as Buffer)) {
      const message = readMessage(parseWireJson(text))
      if (message?.kind === 'response') responses.push(message)
      if (message?.kind === 'event') events.push(message)
    }
  })
  socket.on('close', () => (isClosed = true))
  socket.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    socket.on('connect', () => resolve())
    socket.on('error', reject)
  })
  atEnd(async () => void socket.destroy())

  const client = {
    socket,
    responses,
    events,
    isClosed: () => isClosed,
    /** Sends a command and resolves to its response. */
    async ask(
      type: string,
      parameters?: Record<string, string>,
      limitMs?: number,
    ): Promise<DaemonResponse> {
      const id = `request-${++sent}`
      socket.write(
        encodeFrame(writeRequest({ id, type, parameters: parameters ?? {} }, new Date())),
      )
      let found: DaemonResponse | undefined
      await eventually(
        () => {
          found = responses.find((response) => response.id === id)
          if (found === undefined && isClosed)
            throw new Error(`closed before the answer to ${type}`)
          return found !== undefined
        },
        `the answer to ${type}`,
        limitMs,
      )
      return found as DaemonResponse
    },
    progress: (): Progress[] =>
      events.filter(({ type }) => type === 'progress').map(({ data }) => readProgress(data)),
    terminals: () => client.progress().filter(({ state }) => isTerminal(state)),
    /** The last progress of the run that ends as number `count` since the connection. */
    async ended(count = 1, limitMs?: number): Promise<Progress> {
      await eventually(() => client.terminals().length >= count, 'the run ends', limitMs)
      return client.terminals()[count - 1] as Progress
    },
    close: () => socket.destroy(),
  }
  return client
}
/** Connects as soon as the daemon listens. `check` throws when it never will. */
export async function daemonClientOf(place: Place, check = () => {}): Promise<DaemonClient> {
  const found: DaemonClient[] = []
  await eventually(async () => {
    check()
    found.push(
      ...(await daemonClient(place).then(
        (client) => [client],
        () => [],
      )),
    )
    return found.length > 0
  }, 'the daemon listens')
  return found[0] as DaemonClient
}

export type DaemonClient = Awaited<ReturnType<typeof daemonClient>>
