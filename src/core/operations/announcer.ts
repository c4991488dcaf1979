import type { Hub } from '../live/contract.ts'
import { wireView, type OperationRequest, type OperationView } from './contract.ts'
import { stageKey } from './stage-keys.ts'

type Fields = Record<string, unknown> | undefined

/** Outcome reported for a queued job. */
export interface WaitingEnd {
  cancelled: boolean
  promoted: boolean
  error: string | null
}

/** Publishes the events of a job: the general ones, and the three named in its request. */
export class Announcer {
  readonly #hub: Pick<Hub, 'publish'>

  constructor(hub: Pick<Hub, 'publish'>) {
    this.#hub = hub
  }

  /** Every change of status and every progress report that is passed on. */
  updated(view: OperationView): void {
    this.#hub.publish('OperationUpdated', wireView(view))
  }

  waiting(view: OperationView, blockedByName: string | null): void {
    if (view.isSilent) return
    this.#hub.publish('OperationWaiting', {
      operationId: view.id,
      operationType: view.type,
      name: view.name,
      blockedByName,
    })
  }

  waitingOver(view: OperationView, end: WaitingEnd): void {
    if (view.isSilent) return
    this.#hub.publish('OperationWaitingComplete', {
      operationId: view.id,
      operationType: view.type,
      ...end,
    })
  }

  started(view: OperationView, { events }: OperationRequest): void {
    if (events === undefined) return
    this.#hub.publish(`${events.prefix}Started`, {
      timestamp: view.startedAt?.toISOString() ?? null,
      ...this.#shared(view, events.startedFields),
      ...notification(events.showNotification),
    })
  }

  progress(view: OperationView, { events }: OperationRequest, fields: Fields): void {
    if (events === undefined) return
    this.#hub.publish(`${events.prefix}Progress`, {
      ...this.#shared(view, { ...events.startedFields, ...fields }),
      status: view.status,
      percentComplete: view.percentComplete,
    })
  }

  complete(view: OperationView, { events }: OperationRequest, fields: Fields): void {
    if (events === undefined) return
    const name = events.complete ?? (`${events.prefix}Complete` as const)
    this.#hub.publish(name, {
      timestamp: view.finishedAt?.toISOString() ?? null,
      ...this.#shared(view, { ...events.startedFields, ...fields }),
      success: view.status === 'completed' || view.status === 'skipped',
      status: view.status,
      cancelled: view.status === 'cancelled',
      error: view.error,
      ...notification(events.showNotification),
    })
  }

  #shared(view: OperationView, fields: Fields) {
    return {
      message: view.message,
      ...fields,
      operationId: view.id,
      stageKey: view.stageKey ?? stageKey(view, 'starting'),
      context: view.context,
    }
  }
}

const notification = (showNotification: boolean | undefined) =>
  showNotification === undefined ? {} : { showNotification }
