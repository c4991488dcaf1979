import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Channel } from '../../core/lib/channel.ts'
import { errorText } from '../../core/lib/error-text.ts'
import { Text } from '../../core/lib/schema.ts'
import type { FromEngine, Launch, WorkerEvents } from '../engine.ts'
import { IngestStatus, SpeedSnapshot } from '../logs/wire.ts'
import { isRecord } from '../../core/lib/record.ts'
import { isNodeEngine, type NodeEngine, type ToNode } from './messages.ts'

/** Entries that the parts of one answer may have together. */
const entriesMax = 5_000_000

/** Data of the events that a node's engines send; what has another form is dropped. */
const eventForms = {
  status: IngestStatus,
  speeds: SpeedSnapshot,
  prefillAddress: Type.Object({ mark: Text, address: Text }),
  shipped: Type.Null(),
  newTitles: Type.Null(),
}

const isEvent = (name: unknown, data: unknown): boolean =>
  Object.entries(eventForms).some(([known, form]) => known === name && Value.Check(form, data))

const levels = new Set<unknown>(['debug', 'info', 'warn', 'error'])

/** A message of a worker, as far as the supervisor looks at it. */
function workerMessage(value: unknown): FromEngine<never> | null {
  if (!isRecord(value) || typeof value['id'] !== 'number') return null
  const { kind } = value
  const isKnown =
    kind === 'done' ||
    kind === 'progress' ||
    (kind === 'failed' && typeof value['message'] === 'string') ||
    (kind === 'event' && isEvent(value['event'], value['data'])) ||
    (kind === 'log' && levels.has(value['level']) && typeof value['text'] === 'string')
  // Receivers know the data by the job.
  return isKnown ? (value as FromEngine<never>) : null
}

/** The service's side of a node's engines; survives its connections. */
export class NodePeer {
  /** As texts and lines of the log say it. */
  name: string
  #channel: Channel | null = null
  readonly #workers = new Map<NodeEngine, WorkerEvents>()
  /** Entries of unfinished answers, by engine and job. */
  readonly #parts = new Map<string, unknown[]>()

  constructor(name: string) {
    this.name = name
  }

  get isConnected(): boolean {
    return this.#channel !== null
  }

  /** A connection of the node began. */
  connected(channel: Channel): void {
    this.#channel = channel
  }

  /** It ended: every worker is lost. */
  disconnected(reason: string): void {
    this.#channel = null
    this.#parts.clear()
    const lost = [...this.#workers.values()]
    this.#workers.clear()
    for (const events of lost) events.crash(`node ${this.name} is away: ${reason}`)
  }

  /** Runs an engine's jobs on the node. */
  launch(engine: NodeEngine): Launch {
    return (events) => {
      this.#workers.set(engine, events)
      return {
        post: (job) => {
          this.#post({ kind: 'job', engine, ...job }, (reason) =>
            this.#fail(engine, job.id, reason),
          )
          return () => this.#send({ kind: 'cancel', engine, id: job.id })
        },
        end: () => {
          if (this.#workers.get(engine) === events) {
            this.#workers.delete(engine)
            this.#send({ kind: 'end', engine })
          }
          return null
        },
      }
    }
  }

  /** Whether the message is one of an engine. */
  received(message: unknown): boolean {
    if (!isRecord(message) || !isNodeEngine(message['engine'])) return false
    const { engine } = message
    const events = this.#workers.get(engine)
    if (message['kind'] === 'part') {
      this.#keep(`${engine} ${String(message['id'])}`, message['entries'])
      return true
    }
    if (message['kind'] !== 'engine') return false
    const told = workerMessage(message['message'])
    if (told === null) return true
    const whole = this.#whole(engine, told)
    // Whose line it is.
    if (whole.kind === 'log') whole.facts = { ...whole.facts, node: this.name }
    events?.message(whole)
    return true
  }

  #keep(key: string, entries: unknown): void {
    if (!Array.isArray(entries)) return
    const known = this.#parts.get(key) ?? []
    if (known.length + entries.length > entriesMax) return
    for (const entry of entries) known.push(entry)
    this.#parts.set(key, known)
  }

  /** With the entries that came before. */
  #whole(engine: NodeEngine, message: FromEngine<never>): FromEngine<never> {
    if (message.kind !== 'done' && message.kind !== 'failed') return message
    const key = `${engine} ${message.id}`
    const parts = this.#parts.get(key)
    this.#parts.delete(key)
    if (parts === undefined || message.kind === 'failed') return message
    const rest: unknown = message.output
    return { ...message, output: [...parts, ...(Array.isArray(rest) ? rest : [])] as never }
  }

  #send(message: ToNode): void {
    this.#post(message, () => {})
  }

  #post(message: ToNode, failed: (reason: string) => void): void {
    if (this.#channel === null) return failed(`node ${this.name} is away`)
    try {
      this.#channel.send(message)
    } catch (error) {
      failed(`node ${this.name} cannot be reached: ${errorText(error)}`)
    }
  }

  /** The job is registered after it was posted. */
  #fail(engine: NodeEngine, id: number, message: string): void {
    const events = this.#workers.get(engine)
    queueMicrotask(() => events?.message({ id, kind: 'failed', message }))
  }
}
