import type { CacheParts } from '../parts.ts'
import { unfinished, type OperationView } from '../../core/operations/contract.ts'
import type { ActiveRemovals } from './model.ts'

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

const shared = ({ id, status, message, startedAt }: OperationView) => ({
  operationId: id,
  status,
  message,
  startedAt: startedAt?.toISOString() ?? null,
})
const freed = ({ context }: OperationView) => ({
  filesDeleted: numberOf(context?.['filesDeleted']),
  bytesFreed: numberOf(context?.['bytesFreed']),
})

/** `alpha:7` as `['alpha', '7']`; `named:blizzard:A: b` as `['named', 'blizzard:A: b']`. */
function partsOfScope(scope: string): [kind: string, rest: string] {
  const colon = scope.indexOf(':')
  return colon < 0 ? [scope, ''] : [scope.slice(0, colon), scope.slice(colon + 1)]
}

function gameRemoval(view: OperationView) {
  const [entityKind, rest] = partsOfScope(view.scope)
  return {
    gameAppId: entityKind === 'alpha' ? Number(rest) : null,
    betaAppId: textOf(view.context?.['betaAppId']),
    entityKind,
    // Before the job has loaded the game, its name comes from the request.
    gameName: textOf(view.context?.['gameName']) ?? textOf(view.nameContext?.['game']) ?? rest,
    ...shared(view),
    ...freed(view),
  }
}

function evictionRemoval(view: OperationView) {
  const [kind, rest] = partsOfScope(view.scope)
  const isNamed = kind === 'named'
  return {
    scope: kind,
    key: kind === 'bulk' || isNamed ? null : rest,
    gameName: isNamed ? rest.slice(rest.indexOf(':') + 1) : null,
    ...shared(view),
  }
}

/** Running and queued removals, by kind. */
export function activeRemovals({ operations }: Pick<CacheParts, 'operations'>): ActiveRemovals {
  const views = operations
    .list()
    .filter(({ isSilent, status }) => !isSilent && unfinished.has(status))
  const of = (type: OperationView['type']) => views.filter((view) => view.type === type)
  const lists = {
    gameRemovals: of('gameRemoval').map(gameRemoval),
    serviceRemovals: of('serviceRemoval').map((view) => ({
      serviceName: partsOfScope(view.scope)[1],
      ...shared(view),
      ...freed(view),
    })),
    corruptionRemovals: of('corruptionRemoval').map((view) => ({
      service: partsOfScope(view.scope)[1],
      ...shared(view),
      detectionMethod: null,
    })),
    evictionRemovals: of('evictionRemoval').map(evictionRemoval),
  }
  return { isProcessing: Object.values(lists).some((list) => list.length > 0), ...lists }
}
