import type { Channel } from '../../core/lib/channel.ts'
import { errorText } from '../../core/lib/error-text.ts'
import { isRecord } from '../../core/lib/record.ts'
import type { FromEngine, Watch } from '../engine.ts'
import type { Guards } from './guards.ts'
import { entriesPerMessage, isNodeEngine, type FromNode, type NodeEngine } from './messages.ts'

/** Jobs of one connection that run at once. */
const jobsMax = 500
/** An answer in parts goes on when no more than this is unsent. */
const unsentMax = 1024 * 1024
const drainCheckMs = 10

/** An engine of the node. */
export interface ServedEngine {
  run(job: string, input: unknown, options: Watch<unknown>): Promise<unknown>
  /** Replaces its worker. */
  end(): void
}

/** The node's side: runs the jobs that the service asks for. */
export class EngineServer {
  readonly #engines: Record<NodeEngine, ServedEngine>
  readonly #guards: Guards
  #channel: Channel | null = null
  #jobs = new Map<string, AbortController>()

  constructor(engines: Record<NodeEngine, ServedEngine>, guards: Guards) {
    this.#engines = engines
    this.#guards = guards
  }

  connected(channel: Channel): void {
    this.#channel = channel
  }

  /** Nobody waits for the jobs any more. */
  disconnected(): void {
    this.#channel = null
    const jobs = this.#jobs
    this.#jobs = new Map()
    for (const job of jobs.values()) job.abort()
  }

  /** Sends what a worker reports over the connection that it belongs to. */
  forward(engine: NodeEngine, message: FromEngine<unknown>, channel = this.#channel): void {
    if (channel === null || channel !== this.#channel) return
    try {
      // Live figures do not wait for a large answer.
      const isUrgent = message.kind === 'event' || message.kind === 'log'
      channel.send({ kind: 'engine', engine, message } satisfies FromNode, isUrgent)
    } catch (error) {
      // A report that is missing would leave its job without an end.
      channel.close(errorText(error))
    }
  }

  /** Whether the message is one for an engine. Never throws: the sender may be anything. */
  received(message: unknown): boolean {
    if (!isRecord(message) || !isNodeEngine(message['engine'])) return false
    const { kind, engine, id } = message
    if (kind === 'end') this.#engines[engine].end()
    else if (!Number.isSafeInteger(id)) return false
    else if (kind === 'cancel') this.#jobs.get(`${engine} ${String(id)}`)?.abort()
    else if (kind === 'job') void this.#run(engine, Number(id), message)
    else return false
    return true
  }

  async #run(engine: NodeEngine, id: number, message: Record<string, unknown>): Promise<void> {
    const key = `${engine} ${id}`
    const jobs = this.#jobs
    const channel = this.#channel
    if (channel === null) return
    const sendNow = (told: FromEngine<unknown>) => {
      // Answers belong to the connection that asked.
      if (channel !== this.#channel) return
      channel.send({ kind: 'engine', engine, message: told } satisfies FromNode)
    }
    const running = new AbortController()
    try {
      if (jobs.has(key)) throw new Error('the node already runs a job with this number')
      if (jobs.size >= jobsMax) throw new Error('the node runs too many jobs')
      jobs.set(key, running)
      if (message['isCancelled'] === true) running.abort()
      const job = String(message['job'])
      const input = await this.#guards(engine, job, message['input'])
      const output = await this.#engines[engine].run(job, input, {
        signal: running.signal,
        progress: (report) => this.forward(engine, { id, kind: 'progress', report }, channel),
      })
      const sendPart = (entries: unknown[]) =>
        channel.send({ kind: 'part', engine, id, entries } satisfies FromNode)
      const isOver = () => channel !== this.#channel
      sendNow({ id, kind: 'done', output: await inParts(output, channel, { sendPart, isOver }) })
    } catch (error) {
      this.forward(engine, { id, kind: 'failed', message: errorText(error) }, channel)
    } finally {
      if (jobs.get(key) === running) jobs.delete(key)
    }
  }
}

/** Sends all but the last entries of a long list, which it returns. */
async function inParts(
  output: unknown,
  channel: Channel,
  { sendPart, isOver }: { sendPart: (entries: unknown[]) => void; isOver: () => boolean },
): Promise<unknown> {
  if (!Array.isArray(output)) return output
  let from = 0
  while (output.length - from > entriesPerMessage && !isOver()) {
    sendPart(output.slice(from, from + entriesPerMessage))
    from += entriesPerMessage
    while (channel.bufferedBytes > unsentMax && !isOver()) await Bun.sleep(drainCheckMs)
  }
  return output.slice(from)
}
