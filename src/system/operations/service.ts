import type { Static } from '@sinclair/typebox'
import { AppError } from '../../core/http/errors.ts'
import { wireView, type Operations, type OperationView } from '../../core/operations/contract.ts'
import type {
  CancelledOperation,
  KilledOperation,
  OperationProgress,
  OperationsOverview,
  WaitingOperation,
} from './model.ts'

const guid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** Accepts GUIDs in any case. Throws `invalid` for anything else. */
function operationId(text: string): string {
  const id = text.toLowerCase()
  if (!guid.test(id)) throw new AppError('invalid', 'The operation id is not a GUID')
  return id
}

const unknown = (id: string) =>
  new AppError('notFound', 'Operation not found', { extra: { operationId: id } })

const killMessages: Partial<Record<OperationView['status'], string>> = {
  failed: 'The operation was stopped by force',
  cancelling: 'The operation is cancelled when its daemon answers',
}

const isActive = (view: OperationView): boolean =>
  view.status === 'pending' || view.status === 'running' || view.status === 'cancelling'

/** Progress, cancelling and killing of long-running jobs. */
export const operationsService = (operations: Operations) => ({
  /** Unknown ids are not refused: a finished and forgotten job reads as 100 %. */
  progress(text: string): Static<typeof OperationProgress> {
    const id = operationId(text)
    const view = operations.find(id)
    const isVisible = operations.get(id) !== null && view?.status !== 'waiting'
    return {
      id,
      active: view !== null && isActive(view),
      percentComplete: isVisible && view !== null ? view.percentComplete : 100,
      message: view?.message ?? null,
      type: view?.type ?? null,
      name: view?.name ?? null,
      status: view?.status ?? null,
      stageKey: view?.stageKey ?? null,
      context: view?.context ?? null,
      error: view?.error ?? null,
    }
  },

  waiting: (): Static<typeof WaitingOperation>[] =>
    operations.waiting().map(({ blockedBy, ...parked }) => ({
      ...parked,
      blockedByName: blockedBy?.name ?? null,
    })),

  cancel(text: string): Static<typeof CancelledOperation> {
    const id = operationId(text)
    const outcome = operations.cancel(id)
    if (outcome === null) throw unknown(id)
    const { status, alreadyFinished } = outcome
    const message = alreadyFinished ? 'The operation had ended before' : 'Cancellation requested'
    return { message, operationId: id, status, alreadyFinished }
  },

  async forceKill(text: string): Promise<Static<typeof KilledOperation>> {
    const id = operationId(text)
    const status = await operations.forceKill(id)
    if (status === null) throw unknown(id)
    return { message: killMessages[status] ?? 'The operation ended', operationId: id }
  },

  overview(options: { limit: number; includeSilent: boolean }): Static<typeof OperationsOverview> {
    const isShown = (view: OperationView) => options.includeSilent || !view.isSilent
    const present = operations.list().filter(isShown)
    const blockers = new Map(
      operations.waiting().map(({ operationId, blockedBy }) => [operationId, blockedBy]),
    )
    const parked = present.filter((view) => view.status === 'waiting')
    return {
      running: present.filter(isActive).map(wireView),
      waiting: parked.map((view) => ({
        ...wireView(view),
        blockedBy: blockers.get(view.id) ?? null,
      })),
      recent: operations.recent(options).map(wireView),
    }
  },
})
