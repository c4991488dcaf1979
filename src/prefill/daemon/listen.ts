import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import net from 'node:net'
import { dirname } from 'node:path'
import type { Endpoint } from './settings.ts'
import { errorText } from '../../core/lib/error-text.ts'

/** The daemon cannot listen; its message is the one line that an operator sees. */
export class ListenError extends Error {}

/** Longest path of a unix socket on Linux, in bytes. */
const pathBytesMax = 107

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

/** Removes the socket file of a daemon that was killed. Throws ListenError for anything else. */
async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) throw new ListenError(`${path} exists and is not a socket; remove it`)
  if (await answers(path)) throw new ListenError(`another daemon listens on ${path}`)
  rmSync(path)
}

function listening(server: net.Server, where: net.ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => resolve())
  })
}

async function listenUnix(server: net.Server, path: string, mode: number): Promise<void> {
  if (Buffer.byteLength(path) > pathBytesMax) {
    throw new ListenError(`${path} is longer than a socket's path may be (${pathBytesMax} bytes)`)
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await removeStale(path)
  // The file must not be open to others for the moment between its creation and `chmod`.
  const previous = process.umask(0o177)
  try {
    await listening(server, { path })
  } finally {
    process.umask(previous)
  }
  chmodSync(path, mode)
}

/** Accepts connections. Resolves to how to stop that. Throws ListenError. */
export async function listen(
  endpoint: Endpoint,
  accept: (socket: net.Socket) => void,
): Promise<() => Promise<void>> {
  const server = net.createServer(accept)
  try {
    if (endpoint.kind === 'unix') await listenUnix(server, endpoint.path, endpoint.mode)
    else await listening(server, { host: endpoint.host, port: endpoint.port })
  } catch (cause) {
    if (cause instanceof ListenError) throw cause
    const place = endpoint.kind === 'unix' ? endpoint.path : `${endpoint.host}:${endpoint.port}`
    const reason = errorText(cause)
    throw new ListenError(`cannot listen on ${place}: ${reason}`, { cause })
  }
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    if (endpoint.kind === 'unix') rmSync(endpoint.path, { force: true })
    await closed
  }
}
