import { pause } from '../../core/lib/pause.ts'
import type { DaemonEvent } from '../protocol/envelopes.ts'
import { readStatus } from '../protocol/login.ts'
import { isTerminal, readProgress } from '../protocol/progress.ts'
import { openConnection, openSocket, unopened } from './connection.ts'
import {
  CommandTimeout,
  ConnectionLost,
  type OutsideState,
  type RunningDaemon,
} from './contract.ts'

/** Limits of the three steps: a socket, the secret, the status. */
const stepMs = 3000
/** A daemon that downloads says so every quarter of a second. */
const listenMs = 400

type Parts = Parameters<typeof openConnection>[0]

function isRunning({ type, data }: DaemonEvent): boolean {
  if (type !== 'progress') return false
  try {
    return !isTerminal(readProgress(data).state)
  } catch {
    return false
  }
}

function stateOf(error: unknown, secret: string | null): OutsideState {
  if (error instanceof CommandTimeout) return 'silent'
  if (!(error instanceof ConnectionLost)) return 'unknown'
  if (error.reason === 'secret') return 'secret'
  // Published images close the connection of a client that should have given a secret.
  return error.reason === 'closed' && secret === null ? 'secret' : 'unknown'
}

/**
 * Asks a daemon for its status over a connection of its own, and listens for a moment whether it
 * prefills. Commands of other connections go on. Takes ten seconds at most.
 */
export async function probeDaemon(
  parts: Parts,
  { address, secret }: Pick<RunningDaemon, 'address' | 'secret'>,
): Promise<OutsideState> {
  let isBusy = false
  const onEvent = (event: DaemonEvent) => void (isBusy ||= isRunning(event))
  const socket = await openSocket(address, AbortSignal.timeout(stepMs)).catch(unopened)
  if (typeof socket === 'string') return socket
  try {
    const listeners = { onEvent, onLost() {} }
    const opening = { socket, secret, listeners, limitMs: stepMs }
    const connection = await openConnection(parts, opening)
    const answer = await connection.request('status', {}, stepMs)
    if (!answer.success) return 'secret'
    readStatus(answer.data)
    await pause(listenMs)
    return isBusy ? 'busy' : 'ready'
  } catch (error) {
    return stateOf(error, secret)
  } finally {
    socket.destroy()
  }
}
