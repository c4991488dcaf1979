import { expect, test } from 'bun:test'
import { testApp } from '../support/app.ts'
import { freshHistory } from '../support/postgres.ts'
import { signInOwner } from '../support/sign-in.ts'
import { operationsOf, requestFor, type Operation } from './hostile-requests.ts'
import { documentPaths, readDocument } from './openapi-documents.ts'

/** A form's files stand in its example as their text. */
function formOf(example: Record<string, string>): FormData {
  const form = new FormData()
  const { file = '', ...fields } = example
  form.set('file', new File([file], 'night.toml'))
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

const bodyOf = ({ isForm, example }: Operation) =>
  isForm ? formOf(example as Record<string, string>) : example

/** Why an answer is none of a rule of the operation: the text; null: it is one. */
function faultOf({ status, headers }: Response, text: string): string | null {
  const type = headers.get('Content-Type') ?? ''
  const isOfForm = type.includes('problem+json') || [405, 413, 415].includes(status)
  const isBeforeRules = type.includes('text/html') || text.includes('errors.antiforgery')
  const isUnread = (status === 401 || status === 403) && text === ''
  const isFailure = status >= 500 && status !== 503
  return isOfForm || isBeforeRules || isUnread || isFailure ? text : null
}

// That an example matches its schema is among the rules of the linter (`openapi.test.ts`).
test('every request body has an example, which is accepted or refused by a rule', async () => {
  const app = await testApp({ history: await freshHistory(), isIngesting: true, isIndexing: true })
  const documents = await Promise.all(documentPaths.map((path) => readDocument(app, path)))
  const operations = documents
    .flatMap((text) => operationsOf(JSON.parse(text)))
    .filter(({ body }) => body !== null)
  expect(operations.length).toBeGreaterThan(120)
  const outcomes: { call: string; status: number; fault: string | null }[] = []
  for (const operation of operations) {
    const { method, path, example } = operation
    const call = `${method} ${path}`
    expect([call, example === undefined]).toEqual([call, false])
    // Some calls end the session or change its account.
    const owner = await signInOwner(app)
    const { path: address } = requestFor(operation, null, null)
    const answer = await owner.send(method, address, { body: bodyOf(operation) })
    outcomes.push({ call, status: answer.status, fault: faultOf(answer, await answer.text()) })
  }
  expect(outcomes.filter(({ fault }) => fault !== null)).toEqual([])
  const refused = outcomes.filter(({ status }) => status === 400).map(({ call }) => call)
  // By the state of this installation, or by the values that this test puts into the path.
  expect(refused).toEqual([
    'POST /api/Setup/credentials',
    'POST /api/Setup/external',
    'POST /api/alpha-auth/login',
    'PATCH /api/user-preferences/{key}',
    'PUT /api/user-preferences/session/{sessionId}',
    'PATCH /api/system/default-guest-preferences/{key}',
    'PUT /api/depots/rebuild/config/mode',
    'POST /api/prefill-admin/bans/by-session/{sessionId}',
    'POST /api/ext/oidc/test',
    'POST /api/ext/doctor/purge',
    'POST /api/ext/doctor/refetch',
    'PUT /api/ext/clients/{ip}/device',
    'PUT /api/ext/clients/{ip}/bypass',
  ])
  const accepted = outcomes.filter(({ status }) => status < 300)
  expect(accepted.length).toBeGreaterThan(60)
})
