import { afterAll, afterEach, beforeEach, expect } from 'bun:test'
import { epsilonFragment, epsilonGame } from '../../db/state/schema/mappings.ts'
import { EpsilonStandIn, type StandInTitle } from './stand-ins/epsilon.ts'
import { eventually } from './eventually.ts'
import { ManualTime } from './manual-time.ts'
import { mappingApp } from './mapping-app.ts'

export const epsilonBase = '/api/epsilon/game-mappings'
export const guid = (digit: number) => `${digit}2345678-90AB-cdef-1234-567890abcdef`
/** Directory of a package on the CDN. */
export const packageOf = (digit: number) => `${guid(digit)}/${guid(5)}/1.0.0.0.${guid(6)}`
const root = 'http://assets1.xboxlive.com/9'
const streaming = 'http://tlu.dl.delivery.mp.microsoft.com/filestreamingservice/files'

/** Two titles of the store, and one that is none. */
const titles = (): StandInTitle[] => [
  {
    productId: '9FORZA',
    name: 'Forza',
    packages: {
      'content-1': [
        { name: 'a.msixvc', root, path: `${packageOf(1)}/a.msixvc?token=1` },
        { name: 'a.phf', root, path: `${guid(2)}/${guid(3)}/a.phf` },
        { name: 'one-guid', root, path: `${guid(4)}/one.cab` },
      ],
    },
  },
  {
    productId: '9HALO',
    name: 'Halo',
    packages: { 'content-2': [{ name: 'halo.appx', root: streaming, path: `/${guid(7)}` }] },
  },
  { productId: '9NONE', name: 'No family', pfn: '' },
]

/**
 * An application, a history and a stand-in for Microsoft's services; every test begins signed out,
 * and fails when a request was not as documented.
 */
export async function epsilonApp() {
  const xbox = new EpsilonStandIn()
  const time = new ManualTime()
  xbox.now = () => time.now()
  const mapping = await mappingApp({
    environment: xbox.environment,
    type: 'epsilonMapping',
    base: epsilonBase,
    time,
  })
  const { app, user, events, idle, answer, reset, refreshAfter } = mapping

  afterAll(() => xbox.stop())
  beforeEach(() => {
    xbox.steps = ['approve']
    xbox.titles = titles()
  })
  afterEach(async () => {
    xbox.troubles.clear()
    xbox.xerr = 0
    xbox.tokenSeconds = 86_400
    await reset()
    expect(xbox.faults.splice(0)).toEqual([])
    xbox.calls.length = 0
    app.settings.clear('epsilon.lastRefresh')
    app.settings.clear('epsilon.packagesRead')
    app.state.db.delete(epsilonGame).run()
    app.state.db.delete(epsilonFragment).run()
  })

  const start = async () => answer(await user.post(`${epsilonBase}/auth/login`))
  const stateOf = (name: string) => events.filter(({ event }) => event === name)

  /** Lets the time of the next poll come. */
  async function poll(): Promise<void> {
    const polls = xbox.count('token')
    await eventually(async () => {
      // The pause begins when the answer before it has arrived.
      await time.advance(1000)
      return xbox.count('token') > polls
    }, 'a poll')
  }

  return {
    ...mapping,
    xbox,
    start,
    poll,
    stateOf,
    authStates: () =>
      stateOf('EpsilonMappingAuthStateChanged').map(({ data }) => data as Record<string, unknown>),
    /** A sign-in that is approved at once, with everything it collects. */
    signIn: async (): Promise<void> => {
      await start()
      await poll()
      await idle()
    },
    /** A scheduled run. */
    refresh: () => refreshAfter(12 * 3_600_000 + 10_000),
  }
}
