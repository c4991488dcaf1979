import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openState } from '../../db/state/open.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { freePort } from './free-port.ts'
import { builtService } from '../support/program.ts'

const root = tempFolder('diagnosis')

const start = (environment: Record<string, string>) =>
  Bun.spawn([process.execPath, builtService], {
    env: { PATH: '/usr/bin:/bin', TZ: 'UTC', HOST: '127.0.0.1', ...environment },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })

async function reasonAt(url: string) {
  let said = { error: '', advice: '' }
  let headers = new Headers()
  await eventually(async () => {
    const answer = await fetch(`${url}/health`).catch(() => null)
    if (answer?.status !== 503) return false
    headers = answer.headers
    // Our own endpoint.
    said = (await answer.json()) as typeof said
    return true
  }, 'the reason is served')
  return { said, headers }
}

describe('a failed start reports the reason', () => {
  test('a file of a newer version: a page and a 503 instead of a restart loop', async () => {
    const dataPath = join(root, 'newer')
    mkdirSync(dataPath)
    const database = new Database(join(dataPath, 'state.sqlite'))
    database.run('CREATE TABLE __drizzle_migrations (id integer, hash text, created_at numeric)')
    database.run("INSERT INTO __drizzle_migrations VALUES (1, 'x', 99999999999999)")
    database.close()
    const port = await freePort()
    const child = start({ PORT: String(port), DATA_PATH: dataPath })
    const url = `http://127.0.0.1:${port}`
    const { said, headers } = await reasonAt(url)
    expect(said.error).toContain('newer version')
    expect(headers.get('X-Service-Status')).toBe('diagnosis')
    const page = await fetch(`${url}/`, { headers: { Accept: 'text/html' } })
    expect(await page.text()).toContain('Larder cannot start')
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })

  test.each([
    ['state.sqlite', 'from a backup'],
    ['hot.sqlite', 'taken from the history'],
  ])('a damaged %s: the reason and advice instead of a restart loop', async (name, way) => {
    const dataPath = join(root, `damaged-${name}`)
    mkdirSync(dataPath)
    if (name === 'hot.sqlite') openState(dataPath).close()
    const text = 'this was a database once\n'.repeat(2000)
    writeFileSync(join(dataPath, name), text)
    const port = await freePort()
    const child = start({ PORT: String(port), DATA_PATH: dataPath })
    const url = `http://127.0.0.1:${port}`
    const { said } = await reasonAt(url)
    expect(said.error).toContain(`${name} is damaged`)
    expect(said.advice).toContain(way)
    const page = await fetch(`${url}/`, { headers: { Accept: 'text/html' } })
    const shown = await page.text()
    expect(shown).toContain(way)
    expect(shown).not.toContain('at openSqlite')
    expect(readFileSync(join(dataPath, name), 'utf8')).toBe(text)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })

  test.each([
    ['PORT', 'abc', 'a whole number'],
    ['POSTGRES_MODE', 'cloud', 'embedded, external'],
    ['TZ', 'Mars/Olympus', 'IANA time zone'],
    ['Security__KnownProxyNetworks', '10.0.0.0/99', 'CIDR'],
    ['POSTGRES_PASSWORD_FILE', '/nowhere', '/nowhere'],
  ])('%s=%s stops the start with one line', async (name, value, allowed) => {
    const child = start({ DATA_PATH: join(root, 'wrong'), [name]: value })
    const text = await new Response(child.stderr).text()
    expect(await child.exited).toBe(78)
    expect(text.trim().split('\n')).toHaveLength(1)
    expect(text).toContain(name)
    expect(text).toContain(allowed)
  })
})
