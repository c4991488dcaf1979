import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { AppError } from '../../core/http/errors.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import type { PrefillRouteParts } from '../parts.ts'
import { hasAccounts, platforms, type Platform } from '../../platforms/platforms.ts'
import * as model from './model.ts'
import { runRequestOf, type RunJobs, type StartedRun } from './run-jobs.ts'
import type { SessionFeatures } from './service.ts'
import type { LiveSession } from './state.ts'
import { resultView } from './view.ts'

/** Commands have limits of their own: minutes for a list of games, a day for a run. */
export const unlimitedSeconds = 0

const SessionParams = t.Object({ sessionId: t.String({ maxLength: 100 }) })

interface Features extends SessionFeatures {
  runs: RunJobs
}

/** Clients that do not want to wait for the end of a run say so in the words of RFC 7240. */
const asksNotToWait = (request: Request): boolean =>
  /(?:^|[\s,])respond-async(?:$|[\s,;])/i.test(request.headers.get('prefer') ?? '')

const queuedView = (run: StartedRun): model.QueuedRun => ({
  operationId: run.operationId,
  queued: run.isQueued,
  alreadyRunning: false,
  status: run.isQueued ? 'waiting' : 'started',
})

/** The answer to a call that starts a run: 202 at once, or 200 at its end. Throws AppError. */
export async function runAnswer(
  run: StartedRun,
  request: Request,
): Promise<{ status: 202; body: model.QueuedRun } | { status: 200; body: model.PrefillResult }> {
  if (asksNotToWait(request)) return { status: 202, body: queuedView(run) }
  const result = await run.result
  if (result.isBusy === true) {
    throw new AppError('conflict', result.errorMessage ?? 'The daemon is busy')
  }
  return { status: 200, body: resultView(result) }
}

const refused = { 403: ErrorBody, 404: ErrorBody, 409: ErrorBody, 503: ErrorBody }

/** Paths of one platform, typed as alpha's: a list of routes per platform is too much for the compiler. */
const prefixOf = (platform: Platform) =>
  `/api/${platform}-daemon/sessions/:sessionId` as '/api/alpha-daemon/sessions/:sessionId'
/** Typed as alpha's for the same reason. */
const policyOf = (platform: Platform) => `prefill:${platform}` as 'prefill:alpha'

/** Games of one platform's sessions. */
const appRoutes = (deps: PrefillRouteParts, { service }: Features, platform: Platform) =>
  routesAt(deps.access, 'Prefill', prefixOf(platform))
    .get(
      '/games',
      ({ caller, params }) => service.games(service.own(caller, platform, params.sessionId)),
      {
        access: policyOf(platform),
        idleSeconds: unlimitedSeconds,
        params: SessionParams,
        response: { 200: t.Array(model.OwnedGame), ...refused },
        detail: { summary: 'Games that the session’s account owns' },
      },
    )
    .post(
      '/cache-status',
      ({ caller, params, body }) => {
        const session = service.own(caller, platform, params.sessionId)
        return service.cacheStatus(session, body.appIds)
      },
      {
        access: policyOf(platform),
        idleSeconds: unlimitedSeconds,
        params: SessionParams,
        body: example(model.AppSelectionBody, { appIds: ['440', '730'] }),
        bodyBytesMax: model.appIdsBytesMax,
        response: { 200: model.PrefillCacheStatus, 400: ErrorBody, ...refused },
        detail: { summary: 'Which apps are up to date in the cache' },
      },
    )
    .post(
      '/selected-apps',
      async ({ caller, params, body }) => {
        const session = service.own(caller, platform, params.sessionId)
        const { appIds } = body
        if (appIds === null || appIds === undefined) {
          throw new AppError('invalid', 'AppIds is required')
        }
        await service.select(session, appIds)
        return { message: 'Apps selected', count: appIds.length }
      },
      {
        access: policyOf(platform),
        idleSeconds: unlimitedSeconds,
        params: SessionParams,
        body: example(model.AppSelectionBody, { appIds: ['440', '730'] }),
        bodyBytesMax: model.appIdsBytesMax,
        response: { 200: model.AppsSelected, 400: ErrorBody, ...refused },
        detail: { summary: 'Select the apps of the next prefill' },
      },
    )

const runRoutes = (deps: PrefillRouteParts, { service, runs }: Features, platform: Platform) =>
  routesAt(deps.access, 'Prefill', prefixOf(platform)).post(
    '/prefill',
    async ({ caller, params, body, request, status }) => {
      const session = service.own(caller, platform, params.sessionId)
      const answer = await runAnswer(runs.submit(session, runRequestOf(body ?? {})), request)
      return answer.status === 202 ? status(202, answer.body) : answer.body
    },
    {
      access: policyOf(platform),
      idleSeconds: unlimitedSeconds,
      params: SessionParams,
      body: example(t.Optional(model.StartPrefillBody), {
        recent: true,
        operatingSystems: ['windows'],
      }),
      response: {
        200: model.PrefillResult,
        202: model.QueuedRun,
        400: ErrorBody,
        ...refused,
      },
      detail: {
        summary: 'Run a prefill and wait for its end; with `Prefer: respond-async` only start it',
      },
    },
  )

/** The daemons of platforms that need no login. */
const daemonStatusRoutes = (deps: PrefillRouteParts, { sessions }: Features, platform: Platform) =>
  routesAt(deps.access, 'Prefill').get(
    `/api/${platform}-daemon/status`,
    async () => {
      const isUsable = (one: LiveSession) => one.platform === platform && one.status === 'Active'
      const own = sessions.all().filter(isUsable)
      const isIn = ({ authState }: { authState: string }) => authState === 'Authenticated'
      return {
        containerRuntimeAvailable: await deps.transports[platform].isAvailable(),
        activeSessions: own.length,
        authenticatedSessions: own.filter(isIn).length,
        maxSessionsPerUser: 1,
        sessionTimeoutMinutes: deps.config.prefill.sessionMinutes,
      }
    },
    {
      access: policyOf(platform),
      response: { 200: model.DaemonServiceStatus },
      detail: { summary: 'Status of the platform’s prefill daemons' },
    },
  )

/** The routes of every platform, typed as alpha's. */
export function platformRoutes(deps: PrefillRouteParts, features: Features) {
  const routesOf = (platform: Platform) =>
    new Elysia().use(appRoutes(deps, features, platform)).use(runRoutes(deps, features, platform))
  const all = platforms.map(routesOf).reduce((mounted, next) => mounted.use(next))
  for (const platform of platforms) {
    if (!hasAccounts(platform)) all.use(daemonStatusRoutes(deps, features, platform))
  }
  return all
}
