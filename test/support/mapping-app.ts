import { testApp } from './app.ts'
import { eventually } from './eventually.ts'
import { ManualTime } from './manual-time.ts'
import { freshHistory } from './postgres.ts'
import { publishedBy } from './published-by.ts'
import { signInAs, signInGuest } from './sign-in.ts'
import { slowness } from './slowness.ts'

interface MappingParts {
  /** Settings that name the stand-in's addresses. */
  environment: Record<string, string>
  /** Type of the operation that reads the mappings. */
  type: 'betaMapping' | 'epsilonMapping'
  /** Path of the endpoints. */
  base: string
  time?: ManualTime
}

/** An application with a history, on a platform's stand-in; `events` are those that it publishes. */
export async function mappingApp({
  environment,
  type,
  base,
  time = new ManualTime(),
}: MappingParts) {
  const history = await freshHistory()
  const outside = { timeoutMsMax: 500 * slowness }
  const app = await testApp({ history, environment, clock: time, timers: time, outside })
  const events = publishedBy(app.hub)
  const guest = await signInGuest(app)
  const user = await signInAs(app, 'user')

  const runs = () =>
    app.operations.recent({ limit: 500, includeSilent: true }).filter((run) => run.type === type)
  const idle = () => eventually(() => app.operations.active(type) === null, 'the end of the run')

  app.schedules.start()
  // The runs at the start, for which nobody is signed in.
  await time.advance(1)
  await idle()

  return {
    app,
    history,
    user,
    guest,
    time,
    events,
    runs,
    idle,
    answer: async (response: Response) => ({
      status: response.status,
      body: (await response.json()) as Record<string, unknown>,
    }),
    read: async (where: string) => (await user.get(base + where)).json(),
    /** Signs out and forgets what happened; call it after every test. */
    reset: async (): Promise<void> => {
      await user.delete(`${base}/auth`)
      await idle()
      events.length = 0
      await history.read((_db, sql) => sql`DELETE FROM titles`)
    },
    /** A scheduled run after this time. */
    refreshAfter: async (ms: number): Promise<void> => {
      const before = runs().length
      await time.skip(ms)
      await eventually(() => runs().length > before, 'a scheduled run')
      await idle()
    },
  }
}
