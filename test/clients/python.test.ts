import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { documentPaths, operationsOf, parsed, readDocument } from '../contract/openapi-documents.ts'
import { testApp, type TestApp } from '../support/app.ts'
import { signInOwner, testPassword } from '../support/sign-in.ts'

/** Made from `requirements.txt`; see CONTRIBUTING.md. */
const programs = join(import.meta.dir, '../../node_modules/.python/bin')
let app: TestApp
let folder: string

beforeAll(async () => {
  app = await testApp()
  folder = join(app.root, 'clients')
  mkdirSync(folder)
})
afterAll(() => app.stop())

/** Runs a program of the virtual environment to its end. */
async function run(program: string, args: string[]) {
  const child = Bun.spawn([join(programs, program), ...args], { cwd: folder, stderr: 'pipe' })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { exitCode: await child.exited, out, err }
}

/** Generates a package from a document; any warning is a failure. */
function generate(file: string, name: string) {
  const config = join(import.meta.dir, 'generator.yml')
  const target = ['--path', file, '--output-path', name, '--meta', 'none', '--config', config]
  return run('openapi-python-client', ['generate', '--fail-on-warning', ...target])
}

test('what the generator leaves out of the client is a failure', async () => {
  const [path] = documentPaths
  const document = parsed(await readDocument(app, path))
  Object.assign(document.components.schemas, { Event: { $ref: '#/components/schemas/Missing' } })
  // The whole takes the generator ten seconds.
  const few = Object.entries(document.paths).filter(([name]) => name.startsWith('/api/events'))
  document.paths = Object.fromEntries(few)
  const file = join(folder, 'broken.json')
  await Bun.write(file, JSON.stringify(document))
  const { exitCode, err } = await generate(file, 'broken')
  expect(exitCode).toBe(1)
  expect(err).toContain('#/components/schemas/Missing')
})

test('yields a Python client that loads, signs in, writes and reads', async () => {
  const documents = await Promise.all(
    documentPaths.map(async (path) => {
      const name = basename(path, '.json')
      const text = await readDocument(app, path)
      await Bun.write(join(folder, `${name}.json`), text)
      expect(await generate(`${name}.json`, name)).toMatchObject({ exitCode: 0, err: '' })
      return [name, operationsOf(parsed(text)).length] as const
    }),
  )
  await signInOwner(app)
  const script = join(import.meta.dir, 'exercise.py')
  const args = [script, folder, `http://${app.listen()}`, app.key, 'owner', testPassword]
  const { exitCode, out, err } = await run('python', args)
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
  const found: unknown = JSON.parse(out)
  expect(found).toMatchObject({
    operations: Object.fromEntries(documents),
    session: 'admin',
    accounts: ['owner'],
    group: { nickname: 'Stage', memberIps: ['10.0.0.9'], rejectedIps: [] },
    again: 'Another client group has this nickname',
    running: { running: [] },
  })
})
