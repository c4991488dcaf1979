import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const tls = (name: string) => join(root, 'test/support/tls', name)
const text = (name: string) => Bun.file(join(root, name)).text()

describe("the container engine's health check", () => {
  let status = 200
  const fetch = () => new Response(null, { status })
  const plain = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
  const files = {
    cert: Bun.file(tls('localhost.cert.pem')),
    key: Bun.file(tls('localhost.key.pem')),
  }
  const secure = Bun.serve({ port: 0, hostname: '127.0.0.1', tls: files, fetch })
  afterAll(async () => {
    await plain.stop(true)
    await secure.stop(true)
  })

  const cases = [
    ['HTTP', { PORT: String(plain.port) }],
    ['HTTPS', { PORT: String(secure.port), Tls__CertPath: tls('localhost.cert.pem') }],
  ] as const
  test.each(cases)('%s: healthy while the response is 200', async (_, environment) => {
    const check = () =>
      Bun.spawn(['bash', join(root, 'tools/healthy.sh')], {
        env: { PATH: process.env['PATH'] ?? '', ...environment },
        stdout: 'ignore',
        stderr: 'ignore',
      }).exited
    status = 200
    expect(await check()).toBe(0)
    status = 503
    expect(await check()).not.toBe(0)
  })

  test('runs every five seconds, without an option that older engines refuse', async () => {
    expect(await text('Dockerfile')).toMatch(/^HEALTHCHECK --interval=5s/m)
    expect(await text('Dockerfile')).not.toContain('--start-interval')
  })
})

test('the example has no privileges: no root, no capabilities, nothing writable', async () => {
  const { services } = Bun.YAML.parse(await text('compose.yaml')) as {
    services: { larder: Record<string, unknown> }
  }
  const { larder } = services
  expect(larder['user']).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  expect(larder['cap_drop']).toEqual(['ALL'])
  expect(larder).not.toHaveProperty('cap_add')
  expect(larder['read_only']).toBe(true)
  expect(larder['init']).toBe(true)
})

test('nothing that the image copies is ignored', async () => {
  const copied = [...(await text('Dockerfile')).matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(
    ([, sources = '']) => sources.split(' '),
  )
  const rules = (await text('.dockerignore')).trim().split('\n')
  // The last rule that matches decides.
  const isIgnored = (path: string) =>
    rules.findLast((rule) => new Bun.Glob(rule.replace(/^!/, '')).match(path))?.startsWith('!') ===
    false
  expect(copied).toContain('CHANGELOG.md')
  expect(copied.filter(isIgnored)).toEqual([])
})

test('the base image can be pinned by its digest', async () => {
  const file = await text('Dockerfile')
  expect(file).toMatch(/^ARG BASE=oven\/bun:\d+\.\d+\.\d+-slim(@sha256:[0-9a-f]{64})?$/m)
  // Every stage builds on it.
  expect(file.match(/^FROM .*/gm)).toEqual([
    'FROM ${BASE} AS base',
    'FROM base AS built',
    'FROM base AS program',
    'FROM base',
  ])
})
