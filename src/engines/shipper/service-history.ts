/*
 * A node reaches the history through its service: each call of `HistoryAccess` is a message, and the
 * service answers after its transaction. The service accepts rows of the node's own datasources and
 * positions of its own slot, nothing else (`remote/history-calls.ts`).
 */
import { HistoryFault } from '../../../db/history/failures.ts'
import type { HistoryAccess } from './history-access.ts'
import { LinkBroken, type HistoryPositions, type HistorySide, type Link } from './link.ts'
import { faultOf, type Fault } from './refusal.ts'
import { RowsRefused } from './ship.ts'
import type { HistoryCall } from './wire.ts'

export type { HistoryCall } from './wire.ts'

/** `refused`: its rows, as `fault` says; `broken`: the history does not continue there. */
export type HistoryAnswer =
  | { kind: 'done'; value: unknown }
  | { kind: 'refused'; text: string; fault: Fault | null }
  | { kind: 'broken' | 'failed'; text: string }

type SentPositions = Omit<HistoryPositions, 'samples'> & { samples: [number, string[]][] }

/** Carries out a call of a node; never throws. */
export async function answerCall(access: HistoryAccess, call: HistoryCall): Promise<HistoryAnswer> {
  try {
    return { kind: 'done', value: await valueOf(access, call) }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (error instanceof RowsRefused) return { kind: 'refused', text, fault: faultOf(error) }
    return { kind: error instanceof LinkBroken ? 'broken' : 'failed', text }
  }
}

function valueOf(access: HistoryAccess, call: HistoryCall): Promise<unknown> {
  if (call.name === 'ship') return access.ship(call.batch)
  if (call.name === 'beginLink') return access.beginLink(call.begun)
  if (call.name === 'empty') return access.empty(call)
  if (call.name === 'takePositions') {
    return access.takePositions(call.installation).then(sentPositions)
  }
  return call.name === 'side' ? access.side() : access.prune()
}

const sentPositions = (positions: HistoryPositions | null): SentPositions | null =>
  positions && { ...positions, samples: [...positions.samples] }

/** The history as a node's log engine sees it. */
function serviceHistory(send: (call: HistoryCall) => Promise<HistoryAnswer>): HistoryAccess {
  // The service answers as `answerCall` does.
  const ask = async <T>(call: HistoryCall): Promise<T> => {
    const answer = await send(call)
    if (answer.kind === 'done') return answer.value as T
    if (answer.kind === 'refused') {
      throw Object.assign(new RowsRefused(answer.text), { fault: answer.fault })
    }
    throw answer.kind === 'broken' ? new LinkBroken(answer.text) : new HistoryFault(answer.text)
  }
  return {
    side: () => ask<HistorySide>({ name: 'side' }),
    beginLink: (begun) => ask<Link>({ name: 'beginLink', begun }),
    async takePositions(installation) {
      const sent = await ask<SentPositions | null>({ name: 'takePositions', installation })
      return sent && { ...sent, samples: new Map(sent.samples) }
    },
    empty: (request) => ask<Link>({ name: 'empty', ...request }),
    ship: (batch) => ask<boolean>({ name: 'ship', batch }),
    prune: () => ask<void>({ name: 'prune' }),
    end: () => Promise.resolve(),
  }
}

const unreachable: HistoryAnswer = { kind: 'failed', text: 'The service cannot be reached' }

/** Calls of this thread that wait for their answers; `send` passes them on. */
export class HistoryCalls {
  readonly #send: (call: { id: number; call: HistoryCall }) => void
  readonly #waiting = new Map<number, PromiseWithResolvers<HistoryAnswer>>()
  #nextId = 1
  #isConnected = false
  #closed = () => {}

  constructor(send: (call: { id: number; call: HistoryCall }) => void) {
    this.#send = send
  }

  /** A target for the shipper, until `lost`. */
  readonly open = (onClose: () => void): Promise<HistoryAccess> => {
    this.#closed = onClose
    return Promise.resolve(
      serviceHistory((call) => {
        if (!this.#isConnected) return Promise.resolve(unreachable)
        const id = this.#nextId++
        const answer = Promise.withResolvers<HistoryAnswer>()
        this.#waiting.set(id, answer)
        this.#send({ id, call })
        return answer.promise
      }),
    )
  }

  connected(): void {
    this.lost()
    this.#isConnected = true
  }

  answered({ id, answer }: { id: number; answer: HistoryAnswer }): void {
    this.#waiting.get(id)?.resolve(answer)
    this.#waiting.delete(id)
  }

  /** The connection to the service ended. */
  lost(): void {
    this.#isConnected = false
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { resolve } of waiting) resolve(unreachable)
    this.#closed()
  }
}
