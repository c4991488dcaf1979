import { expect, test } from 'bun:test'
import { epsilonAddresses } from '../../src/core/lib/platform-addresses.ts'
import { createOutside, type Outside, type OutsideRequest } from '../../src/core/lib/outside.ts'
import { SettingsReader } from '../../src/core/lib/settings-reader.ts'
import { openDevice } from '../../src/engines/epsilon-connection/device.ts'
import { createEpsilonLibrary } from '../../src/engines/epsilon-connection/library.ts'
import { createEpsilonTokens } from '../../src/engines/epsilon-connection/tokens.ts'
import { atEnd } from '../support/cleanup.ts'
import { EpsilonStandIn } from '../support/stand-ins/epsilon.ts'
import { outputOf } from './oracle.ts'

interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}
interface Answers {
  products: { answer: object; platforms: Record<string, string[]> }[]
  titles: { titles: object[] }
}

const ask = async (...args: string[]): Promise<unknown> =>
  JSON.parse(await outputOf('epsilon.py', args))

const { signal } = new AbortController()

function standIn() {
  const xbox = new EpsilonStandIn()
  atEnd(() => xbox.stop())
  return xbox
}

/** What Larder sends in order to sign in and to list titles. */
async function ownRequests(): Promise<OutsideRequest[]> {
  const xbox = standIn()
  xbox.titles = [{ productId: '9NKX70BBCDRN', name: 'A game' }]
  const outside = createOutside({ gapMs: 0 })
  const sent: OutsideRequest[] = []
  const recording: Outside = {
    get(request, use) {
      sent.push(request)
      return outside.get(request, use)
    },
  }
  const addresses = epsilonAddresses(new SettingsReader(xbox.environment))
  const tokens = createEpsilonTokens(recording, addresses)
  const library = createEpsilonLibrary(recording, addresses)
  const { access_token: token } = await tokens.refresh(xbox.refreshToken)
  const { signing } = openDevice(null, () => new Date())
  const { titles } = await tokens.access(token, signing, signal)
  await library.titles(titles, signal)
  await library.gamertag(titles, signal)
  await library.product('9NKX70BBCDRN', signal)
  expect(xbox.faults).toEqual([])
  return sent
}

const pathOf = ({ url }: { url: string }) => new URL(url).pathname.replace(/decoration\/.*/, '')
/** Those that say who asks and what for. */
const xboxHeaders = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(?:x-xbl|accept-lang)/.test(name)),
  )

test('requests are those of the package `xbox-webapi`', async () => {
  const own = await ownRequests()
  const theirs = (await ask('requests')) as Sent[]
  for (const path of [
    '/oauth20_token.srf',
    '/user/authenticate',
    '/xsts/authorize',
    '/users/xuid(2533)/titles/titlehistory/',
    '/users/xuid(2533)/profile/settings',
    '/v7.0/products',
  ]) {
    const [one, other] = [own, theirs].map((list) => list.find((sent) => pathOf(sent) === path))
    expect(one?.method ?? 'GET').toBe(other?.method ?? '')
    expect(one?.headers ?? {}).toMatchObject(xboxHeaders(other?.headers ?? {}))
    if (!path.endsWith('e')) continue
    // The tokens are other ones.
    const members = (sent: typeof one) => {
      const { Properties, ...rest } = JSON.parse(String(sent?.body)) as { Properties: object }
      return { ...rest, members: Object.keys(Properties).sort() }
    }
    expect(members(one)).toEqual(members(other))
  }
})

test('products and titles with the members of the package `xbox-webapi`', async () => {
  const { products, titles } = (await ask('answers')) as Answers
  let answer: object = {}
  const outside: Outside = { get: (_, use) => use(Response.json(answer)) }
  const library = createEpsilonLibrary(outside, epsilonAddresses(new SettingsReader({})))
  const isForPc = (names: string[]) => /Windows\.(Desktop|Universal)\b/.test(names.join())
  let chosen = 0
  for (const { answer: product, platforms } of products) {
    answer = product
    const { title, contentIds, pcContentIds } = await library.product('9NKX70BBCDRN', signal)
    expect({ title, contentIds }).toEqual({ title: 'A game', contentIds: Object.keys(platforms) })
    const expected = contentIds.filter((id) => isForPc(platforms[id] ?? []))
    if (expected.length > 0) expect(pcContentIds).toEqual(expected)
    chosen += expected.length
  }
  expect(chosen).toBeGreaterThan(30)

  answer = { titles: titles.titles.map((title) => ({ ...title, productId: '9NKX70BBCDRN' })) }
  expect(await library.titles({ header: '', xuid: '2533', gamertag: null }, signal)).toEqual([
    { productId: '9NKX70BBCDRN', title: 'A game', lastPlayedMs: Date.UTC(2026, 9, 1, 10) },
  ])
})

test('the stand-in that checks our signatures accepts those of the package `xbox-webapi`', async () => {
  const xbox = standIn()
  expect(await ask('sign', xbox.url)).toEqual(Array.from({ length: 51 }, () => 200))
  expect(xbox.faults).toEqual([])
})
