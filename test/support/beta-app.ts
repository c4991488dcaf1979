import { afterAll, afterEach, beforeEach } from 'bun:test'
import { betaGame, betaPattern } from '../../db/state/schema/mappings.ts'
import { BetaStandIn } from './stand-ins/beta.ts'
import { mappingApp } from './mapping-app.ts'

export const betaBase = '/api/beta/game-mappings'

/** Base path of a build of the stand-in's library. */
export const betaPath = (name: string) => `/Builds/Org/o-${name}/${name}/default`

/** An application, a history and a stand-in for Epic's services; every test begins signed out. */
export async function betaApp() {
  const epic = new BetaStandIn()
  const mapping = await mappingApp({
    environment: epic.environment,
    type: 'betaMapping',
    base: betaBase,
  })
  const { app, user, answer, reset, refreshAfter } = mapping

  afterAll(() => epic.stop())
  beforeEach(() => {
    epic.assets = [
      { appName: 'Fox', title: 'Fox and Hound', buildVersion: '1', basePath: betaPath('fox') },
      { appName: 'Owl', title: 'Owl Watch', buildVersion: '7', basePath: betaPath('owl') },
      { appName: 'Kit', title: 'A kit without a build' },
    ]
  })
  afterEach(async () => {
    epic.troubles.clear()
    epic.freeGames = []
    epic.expiresIn = 28_800
    await reset()
    epic.calls.length = 0
    epic.parallel = 0
    app.settings.clear('beta.lastRefresh')
    app.settings.clear('beta.intervalHours')
    app.state.db.delete(betaGame).run()
    app.state.db.delete(betaPattern).run()
  })

  const complete = async (body: object) =>
    answer(await user.post(`${betaBase}/auth/complete`, body))

  return {
    ...mapping,
    epic,
    complete,
    signIn: () => complete({ authorizationCode: epic.code }),
    /** A scheduled run. */
    refresh: (): Promise<void> => {
      app.settings.set('beta.intervalHours', 0.01)
      return refreshAfter(75_000)
    },
  }
}
