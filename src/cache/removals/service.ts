import pLimit from 'p-limit'
import type { RemovalTarget } from '../../../db/state/schema/removals.ts'
import type { CacheParts } from '../parts.ts'
import { AppError, unavailable } from '../../core/http/errors.ts'
import { nameText } from '../../core/http/name-text.ts'
import type { Named, Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { awayFacts, type WhenAway } from '../away/away.ts'
import type { Later, LaterJobs } from '../away/later.ts'
import { activeRemovals } from './active.ts'
import type { GameRemovalStarted, PreviewBody, RemovalPreview } from './model.ts'
import type { PendingRemovals } from './pending.ts'
import { checkGates, factsOf, runRemoval, type RemovalRun } from './run.ts'
import { partsOf } from './target.ts'

/** Queued previews: bounded so that none outlasts its connection. */
const readsMax = 30

interface Options {
  purgeLogs?: boolean | undefined
  whenAway?: WhenAway | undefined
}

/** The id of an Epic Games title, if known, so that it is the same game by id and by name. */
function scopeOf(target: RemovalTarget, betaAppId: string | null): string {
  if (target.kind === 'alpha') return `alpha:${target.appId}`
  if (target.kind === 'beta') return `beta:${betaAppId ?? target.gameName}`
  if (target.kind === 'named') return `named:${target.service}:${target.gameName}`
  return `service:${target.service}`
}

/** Other choices are other removals; as before for who makes none. */
const variantOf = (whenAway: WhenAway): string => (whenAway === 'refuse' ? '' : whenAway)

/** Throws `invalid` with the missing member. */
function targetOf({ kind, appId, gameName, service }: PreviewBody): RemovalTarget {
  if (kind === 'alpha') {
    if (appId === undefined) throw new AppError('invalid', 'appId is missing')
    return { kind, appId }
  }
  if (kind === 'beta') return { kind, gameName: nameText(gameName, 'gameName') }
  const name = nameText(service, 'service').toLowerCase()
  if (kind === 'service') return { kind, service: name }
  return { kind, service: name, gameName: nameText(gameName, 'gameName') }
}

/**
 * Resolves targets one after another: each reads all that is known about games, and many callers
 * may ask at once. Throws `unavailable` when too many do.
 */
function createPartsReader(deps: CacheParts) {
  const inTurn = pLimit(1)
  return async (target: RemovalTarget) => {
    if (inTurn.activeCount + inTurn.pendingCount >= readsMax)
      throw unavailable('Too many removals were requested at once; try again later')
    return await inTurn(() => partsOf(deps, target, deps.ownersOf))
  }
}

const filesOf = (contents: readonly { files: number }[]): number =>
  contents.reduce((total, { files }) => total + files, 0)

interface Parts {
  pending: PendingRemovals
  later: Later
}

function submit(
  { deps, parts }: { deps: CacheParts; parts: Parts },
  {
    run,
    known,
  }: {
    run: Omit<RemovalRun, 'context'>
    known: { gameName: string; betaAppId: string | null }
  },
  job: Named & { variant: string },
): Queued {
  const isService = run.target.kind === 'service'
  return deps.operations.submit({
    type: isService ? 'serviceRemoval' : 'gameRemoval',
    scope: scopeOf(run.target, known.betaAppId),
    ...job,
    events: {
      prefix: isService ? 'ServiceRemoval' : 'GameRemoval',
      startedFields: { ...factsOf(run.target, known) },
    },
    run: (context) => runRemoval(deps, parts, { ...run, context }),
    kill: () => deps.cache.forceKill(),
  })
}

/** The part of a node that is back. */
const takeUp =
  (deps: CacheParts, parts: Parts): LaterJobs['removal'] =>
  ({ target, purgesLogs }, part) => {
    const run = { target, purgesLogs, announcedFiles: Infinity, whenAway: 'refuse', part } as const
    const known = { gameName: part.subject, betaAppId: null }
    return submit({ deps, parts }, { run, known }, { ...part.name, variant: part.variant })
  }

/** Removes games and services from the cache. */
export function createRemovals(deps: CacheParts, parts: Parts) {
  const { pending, later } = parts
  const readParts = createPartsReader(deps)

  async function start(target: RemovalTarget, { purgeLogs = false, whenAway = 'refuse' }: Options) {
    pending.requireCapacity()
    if (whenAway === 'later') later.requireCapacity()
    await checkGates(deps, { purgesLogs: purgeLogs, whenAway })
    const { gameName, betaAppId, contents } = await readParts(target)
    const announcedFiles = filesOf(contents)
    const isService = target.kind === 'service'
    const name = isService
      ? named('serviceRemoval', { service: gameName })
      : named('gameRemoval', { game: gameName })
    const run = { target, purgesLogs: purgeLogs, announcedFiles, whenAway }
    const known = { gameName, betaAppId }
    const job = { ...name, variant: variantOf(whenAway) }
    const queued = submit({ deps, parts }, { run, known }, job)
    return { ...queued, gameName, message: name.name }
  }

  async function removeGame(
    target: RemovalTarget & { kind: 'alpha' | 'beta' | 'named' },
    options: Options,
  ): Promise<GameRemovalStarted> {
    const started = await start(target, options)
    const status = started.status === 'waiting' ? 'waiting' : 'running'
    return { ...started, status, appId: target.kind === 'alpha' ? String(target.appId) : '' }
  }

  return {
    takeUp: takeUp(deps, parts),
    active: () => activeRemovals(deps),
    removeAlpha: (appId: number, options: Options) => removeGame({ kind: 'alpha', appId }, options),
    removeBeta: (name: string, options: Options) =>
      removeGame({ kind: 'beta', gameName: nameText(name, 'gameName') }, options),
    removeNamed: (params: { service: string; gameName: string }, options: Options) =>
      removeGame(
        {
          kind: 'named',
          service: nameText(params.service, 'service').toLowerCase(),
          gameName: nameText(params.gameName, 'gameName'),
        },
        options,
      ),
    async removeService(name: string, options: Options) {
      const service = nameText(name, 'name').toLowerCase()
      const { gameName: _name, ...started } = await start({ kind: 'service', service }, options)
      return { ...started, serviceName: service }
    },
    /** What a removal would delete; changes nothing. */
    async preview(body: PreviewBody): Promise<RemovalPreview> {
      const { gameName, contents, depotIds, shared } = await readParts(targetOf(body))
      const sum = (list: typeof contents) => ({
        files: filesOf(list),
        bytes: list.reduce((total, { bytes }) => total + bytes, 0),
      })
      const datasources = [...Map.groupBy(contents, ({ datasource }) => datasource)].map(
        ([datasource, own]) => ({ datasource, ...sum(own) }),
      )
      const sharedDepots = shared.map(({ titleKey: _key, ...depot }) => depot)
      return {
        gameName,
        ...sum(contents),
        depotIds,
        sharedDepots,
        datasources,
        ...awayFacts(deps),
      }
    },
  }
}
export type Removals = ReturnType<typeof createRemovals>
