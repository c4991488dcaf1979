import { expect, setDefaultTimeout, test } from 'bun:test'
import { server } from '../../../../test/support/alpha-content-site.ts'
import { alphaDaemons, objectsOf, prefill, signIn } from '../../../../test/support/alpha-daemon.ts'

// The library of Steam's protocol takes seconds to load on a busy machine.
setDefaultTimeout(60_000)

/** A server that names itself as usual, behind others that have no manifests. */
async function behind(count: number) {
  const standIns = alphaDaemons()
  const { site } = standIns
  const own = new URL(site.url).host
  const others = Array.from({ length: count }, (_, index) => `127.0.0.1:${index + 1}`)
  site.servers = [...others, own].map((host, index) => server(host, index))
  const { client } = await standIns.daemon()
  await signIn(client)
  const callsOf = (depot: number, name = own) =>
    site.chunkCalls.filter(({ depotId, host }) => depotId === depot && host === name)
  return { ...standIns, client, own, others, callsOf }
}
const many = (count: number) => [
  Array.from({ length: count }, (_, index) => ({ name: `many ${index}`, bytes: 10 })),
]

test('of the region that Steam assigned', async () => {
  const { client, site } = await behind(0)
  await prefill(client, [2000])
  expect(await client.ended()).toMatchObject({ updatedApps: 1 })
  expect(site.cellIds).toEqual(['31'])
})

test('all of them are tried before a chunk fails', async () => {
  const { client, site, own, callsOf } = await behind(7)
  site.chunkStatus = ({ host }) => (host === own ? null : 404)
  await prefill(client, [2000])
  expect(await client.ended()).toMatchObject({ updatedApps: 1, failedApps: 0 })
  expect(callsOf(2001)).toHaveLength(1)
})

/** Refuses depots of a server, or of all, after so many of their chunks were given out. */
function refusing(depot: number, { host = '', given = 0 }) {
  let left = given
  return (call: { depotId: number; host: string }) => {
    const isMeant = call.depotId === depot && (host === '' || host === call.host)
    return isMeant && left-- <= 0 ? 403 : null
  }
}

test('one that refuses a depot is asked for one chunk of it, and for all of the others', async () => {
  const { client, site, others, callsOf } = await behind(2)
  const [first = '', second = ''] = others
  site.publish(1002, '12', many(50))
  site.chunkStatus = refusing(1002, { host: first })
  await prefill(client, [1000])
  expect(await client.ended()).toMatchObject({ updatedApps: 1, failedApps: 0, hitBytes: 0 })
  expect(callsOf(1002, first)).toHaveLength(1)
  expect(callsOf(1002, second)).toHaveLength(50)
  expect(callsOf(1002)).toEqual([])
  expect(callsOf(1001, first)).toHaveLength(3)
})

test('one that refuses later is left out from then on', async () => {
  const { client, site, others, callsOf } = await behind(1)
  site.publish(2001, '21', many(100))
  site.chunkStatus = refusing(2001, { host: others[0] ?? '', given: 5 })
  await prefill(client, [2000])
  expect(await client.ended()).toMatchObject({ updatedApps: 1, failedApps: 0 })
  // No more than the requests that were under way at the first refusal.
  expect(callsOf(2001, others[0]).length).toBeLessThanOrEqual(5 + 30)
  expect(callsOf(2001)).toHaveLength(95)
})

test.each([0, 40])(
  'a depot that none gives out any more fails alone: after %d chunks',
  async (given) => {
    const { client, site, callsOf } = await behind(1)
    site.publish(1001, '11', many(200))
    site.chunkStatus = refusing(1001, { given })
    await prefill(client, [1000, 2000])
    expect(await client.ended()).toMatchObject({ updatedApps: 1, failedApps: 1 })
    const errors = client.progress().flatMap(({ errorMessage }) => errorMessage ?? [])
    expect(errors).toHaveLength(1)
    expect(errors[0]).toEndWith('no content server gives out depot 1001')
    expect(callsOf(1001).length).toBeLessThanOrEqual(given + 30)
    const chunks = site.requests.filter((path) => /depot\/(?!1001).*chunk/.test(path))
    expect(chunks.toSorted()).toEqual(objectsOf([1002, 1004, 2001, 2001]).toSorted())
  },
)
