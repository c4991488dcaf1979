/*
 * Requests of prefill daemons are recognised by where they come from and when, whatever the log of
 * the cache shows of them. A run has the addresses of its daemon: those of this machine for a child
 * process, those of its container, or that of the machine where it runs. Between them and the cache
 * there may be address translation. So a run begins with a heartbeat that carries a mark: the
 * address in its log line is one more address of the run.
 *
 * Runs are kept, because logs may be read long after them, and given to the log engine as a whole.
 */
import { desc, eq, isNull, lt } from 'drizzle-orm'
import { prefillRun } from '../../../db/state/schema/prefill.ts'
import { markQuery } from '../../engines/logs/contract.ts'
import { errorText } from '../../core/lib/error-text.ts'
import { addressesOf, isNear } from '../../core/lib/find-cache.ts'
import { heartbeat } from '../../core/lib/heartbeat.ts'
import type { PrefillParts } from '../parts.ts'
import type { Sessions } from './sessions.ts'
import type { LiveSession } from './state.ts'

/** Runs that are remembered. */
const runsMax = 2000
/** Addresses of one run. */
const addressesMax = 64

const seconds = (at: Date) => Math.floor(at.getTime() / 1000)

/** As the log engine takes them, the newest first. */
const runsOf = ({ db }: PrefillParts['state']) =>
  db
    .select()
    .from(prefillRun)
    .orderBy(desc(prefillRun.id))
    .limit(runsMax)
    .all()
    .map(({ mark, platform, addresses, startedAt, endedAt }) => ({
      mark,
      platform,
      addresses,
      startedAt: seconds(startedAt),
      endedAt: endedAt === null ? null : seconds(endedAt),
    }))

/** Tells the log engine which requests are prefill of ours. A store that fails ends no run. */
export function createRunOrigins(parts: PrefillParts, sessions: Sessions) {
  const { clock, config, log, logs, state } = parts
  const { db } = state

  function attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      log.error({ err: error }, 'where a prefill comes from was not stored')
    }
  }

  const tell = () => logs.setPrefillRuns(runsOf(state))

  /** Adds addresses to a run; it may be known already. */
  function add(mark: string, more: readonly string[]): void {
    const row = db.select().from(prefillRun).where(eq(prefillRun.mark, mark)).get()
    if (row === undefined) return
    const addresses = [...new Set([...row.addresses, ...more])].slice(0, addressesMax)
    if (addresses.length === row.addresses.length) return
    db.update(prefillRun).set({ addresses }).where(eq(prefillRun.mark, mark)).run()
    tell()
  }

  async function learn({ daemon, transport, run }: LiveSession, mark: string): Promise<void> {
    try {
      add(mark, await transport.addressesOf(daemon))
    } catch (error) {
      log.warn({ reason: errorText(error) }, 'the addresses of a prefill daemon are not known')
    }
    const port = config.cacheNetwork.address?.port ?? 80
    const cache = run?.cache ?? null
    // A node names the address of its cache; nothing public is asked.
    const near = cache === null ? [] : (await addressesOf(cache.host)).filter(isNear)
    const host = cache === null ? daemon.cache.address : near[0]
    if (host != null) await heartbeat(host, cache?.port ?? port, markQuery(mark))
  }

  function begin(session: LiveSession): void {
    const { id: sessionId, platform } = session
    const { run } = session
    if (run === null) return
    const { mark } = run
    const startedAt = clock.now()
    const row = { mark, sessionId, platform, addresses: [], startedAt }
    const { id } = db.insert(prefillRun).values(row).returning({ id: prefillRun.id }).get()
    db.delete(prefillRun)
      .where(lt(prefillRun.id, id - runsMax))
      .run()
    void learn(session, mark)
  }

  /** Begins what runs and ends what does not; an adopted daemon goes on with its run. */
  function follow(): void {
    const open = db.select().from(prefillRun).where(isNull(prefillRun.endedAt)).all()
    const running = sessions.all().filter(({ run }) => run !== null)
    const begun = running.filter(({ id }) => !open.some(({ sessionId }) => sessionId === id))
    begun.forEach(begin)
    const ended = open.filter(({ sessionId }) => !running.some(({ id }) => id === sessionId))
    for (const { id } of ended) {
      db.update(prefillRun).set({ endedAt: clock.now() }).where(eq(prefillRun.id, id)).run()
    }
    // The mark of one that begins has to be known before its heartbeat is read.
    if (begun.length + ended.length > 0) tell()
  }

  return {
    start() {
      tell()
      logs.onPrefillAddress(({ mark, address }) => attempt(() => add(mark, [address])))
      void sessions.recovered.promise.then(() => {
        sessions.onRuns(() => attempt(follow))
        attempt(follow)
      })
    },
  }
}
