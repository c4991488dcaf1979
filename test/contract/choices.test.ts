import { expect, test } from 'bun:test'
import { testApp } from '../support/app.ts'
import { freshHistory } from '../support/postgres.ts'
import { signInOwner } from '../support/sign-in.ts'

const app = await testApp({ history: await freshHistory() })
const owner = await signInOwner(app)

/** Calls with a choice that the contract declares as text; `CHOICE` stands for its value. */
const calls: [method: string, path: string, body: unknown, choice: string][] = [
  ['POST', '/api/status-check/resolver-mode', { mode: 'CHOICE' }, 'host'],
  ['GET', '/api/cache/corruption/cached?detectionMethod=CHOICE', undefined, 'structural'],
  ['PATCH', '/api/system/setup', { currentSetupStep: 'CHOICE' }, 'log-processing'],
  ['PATCH', '/api/system/setup', { dataSourceChoice: 'CHOICE' }, 'github'],
  [
    'PATCH',
    '/api/system/default-guest-preferences/allowed-time-formats',
    { formats: ['CHOICE'] },
    'local-24h',
  ],
  ['PATCH', '/api/system/default-guest-preferences/CHOICE', { value: true }, 'sharpCorners'],
  ['POST', '/api/depots/import?source=CHOICE', undefined, 'local'],
  ['DELETE', '/api/database/tables', { tables: ['CHOICE'] }, 'ClientGroups'],
]

const upper = (text: string) => text.toUpperCase()
const mixed = (text: string) => text.slice(0, 2) + upper(text.slice(2, 4)) + text.slice(4)

test.each(calls)(
  '%s %s with %j takes %s in any case, and nothing else',
  async (method, path, body, choice) => {
    const ask = async (value: string) => {
      const sent = JSON.stringify(body)?.replace('CHOICE', value)
      const init = sent === undefined ? {} : { body: JSON.parse(sent) as unknown }
      return (await owner.send(method, path.replace('CHOICE', value), init)).status
    }
    for (const spelling of [choice, upper(choice), mixed(choice)]) {
      expect([spelling, await ask(spelling)]).not.toEqual([spelling, 400])
    }
    expect(await ask('nonsense')).toBe(400)
  },
)
