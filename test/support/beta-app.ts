import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test'
import type { History } from '../../db/history/history.ts'
import { betaGame, betaPattern } from '../../db/state/schema/mappings.ts'
import { testApp, type TestApp } from './app.ts'
import { BetaStandIn } from './beta-stand-in.ts'
import { eventually } from './eventually.ts'
import { ManualTime } from './manual-time.ts'
import { freshHistory } from './postgres.ts'
import { signInAs, signInGuest, type Browser } from './sign-in.ts'

export const betaBase = '/api/beta/game-mappings'

/** Base path of a build of the stand-in's library. */
export const betaPath = (name: string) => `/Builds/Org/o-${name}/${name}/default`

interface Running {
  app: TestApp
  history: History
  user: Browser
  guest: Browser
}

/** An application, a history and a stand-in for Epic's services; every test begins signed out. */
export function betaApp() {
  const epic = new BetaStandIn()
  const time = new ManualTime()
  const events: { event: string; data: unknown }[] = []
  let running: Running | null = null
  const parts = (): Running => {
    if (running === null) throw new Error('the application is not running yet')
    return running
  }

  beforeAll(async () => {
    const history = await freshHistory()
    const environment = epic.environment
    const outside = { timeoutMsMax: 200 }
    const app = await testApp({ history, clock: time, timers: time, environment, outside })
    const publish = app.hub.publish.bind(app.hub)
    app.hub.publish = (event, data, audience) => {
      events.push({ event, data })
      publish(event, data, audience)
    }
    const guest = await signInGuest(app)
    running = { app, history, guest, user: await signInAs(app, 'user') }
    app.schedules.start()
  })
  afterAll(() => epic.stop())
  beforeEach(() => {
    epic.assets = [
      { appName: 'Fox', title: 'Fox and Hound', buildVersion: '1', basePath: betaPath('fox') },
      { appName: 'Owl', title: 'Owl Watch', buildVersion: '7', basePath: betaPath('owl') },
      { appName: 'Kit', title: 'A kit without a build' },
    ]
  })
  afterEach(async () => {
    const { app, history, user } = parts()
    epic.troubles.clear()
    epic.freeGames = []
    epic.expiresIn = 28_800
    await user.delete(`${betaBase}/auth`)
    await idle()
    epic.calls.length = 0
    epic.parallel = 0
    events.length = 0
    app.settings.clear('beta.lastRefresh')
    app.settings.clear('beta.intervalHours')
    app.state.db.delete(betaGame).run()
    app.state.db.delete(betaPattern).run()
    await history.read((_db, sql) => sql`DELETE FROM titles`)
  })

  const runs = () =>
    parts()
      .app.operations.recent({ limit: 500, includeSilent: true })
      .filter(({ type }) => type === 'betaMapping')
  const idle = () =>
    eventually(() => parts().app.operations.active('betaMapping') === null, 'the end of the run')
  const answer = async (response: Response) => ({
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
  })
  const complete = async (body: object) =>
    answer(await parts().user.post(`${betaBase}/auth/complete`, body))

  return {
    epic,
    time,
    events,
    parts,
    runs,
    idle,
    answer,
    complete,
    signIn: () => complete({ authorizationCode: epic.code }),
    read: async (where: string) => (await parts().user.get(betaBase + where)).json(),
    /** A run by the clock. */
    refresh: async (): Promise<void> => {
      const before = runs().length
      parts().app.settings.set('beta.intervalHours', 0.01)
      await time.advance(75_000)
      await eventually(() => runs().length > before, 'a scheduled run')
      await idle()
    },
  }
}
