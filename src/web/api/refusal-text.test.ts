import { beforeAll, expect, test } from 'bun:test'
import de from '../locales/de.work.json'
import { setTexts } from '../locales/translate.ts'
import { reasonText, refusalText } from './refusal-text.ts'
import { Refusal } from './refusal.ts'

beforeAll(() => setTexts(de))

const textOf = (stageKey: string, context?: object) =>
  refusalText(new Refusal(409, { error: 'In English', stageKey, context }))

test('a page whose cookies are not kept says so instead of asking for a reload', () => {
  const before = globalThis.document
  const rejected = () => textOf('errors.antiforgery.rejected')
  try {
    Object.assign(globalThis, { document: { cookie: 'a=1' } })
    expect(rejected()).toBe(de['refused.noCookies'])
    Object.assign(globalThis, { document: { cookie: 'Svc.Antiforgery=old' } })
    expect(rejected()).toBe(de['refused.antiforgery-rejected'])
  } finally {
    Object.assign(globalThis, { document: before })
  }
})

test.each([
  ['errors.depotMapping.noAppList', 'refused.depotMapping-noAppList'],
  ['errors.unavailable.history', 'refused.unavailable-history'],
  ['errors.engine.restarting', 'refused.engine-restarting'],
  ['errors.logs.processing', 'refused.logs-processing'],
  ['errors.unexpected', 'refused.unexpected'],
] as const)('%s is said in the language of the reader', (stageKey, key) => {
  expect(textOf(stageKey)).toBe(de[key])
})

test('values complete a text, and known reasons among them are translated', () => {
  const steam = { errorDetail: 'api.example.com answered with status 404' }
  expect(textOf('signalr.depotMapping.skippedAlphaUnreachable', steam)).toBe(
    'Verbindung zu Steam fehlgeschlagen: api.example.com hat mit Status 404 geantwortet',
  )
  expect(refusalText(new Error(steam.errorDetail))).toBe(
    'api.example.com hat mit Status 404 geantwortet',
  )
  expect(reasonText('Steam names no servers')).toBe('Steam names no servers')
})

test.each([
  ['cannot be reached', 'ist nicht erreichbar'],
  ['did not answer in time', 'hat nicht rechtzeitig geantwortet'],
  ['has a certificate that is not trusted', 'hat ein Zertifikat, dem nicht vertraut wird'],
  ['refused with 535', 'hat mit 535 abgelehnt'],
  ['closed the connection', 'hat die Verbindung geschlossen'],
  ['does not answer as a mail server', 'antwortet nicht wie ein Mailserver'],
  ['does not offer STARTTLS', 'bietet kein STARTTLS an'],
  ['does not use TLS on this port', 'nutzt an diesem Port kein TLS'],
  [
    'redirects to another address, which is not followed',
    'leitet an eine andere Adresse weiter; der Weiterleitung wird nicht gefolgt',
  ],
])('a host that %s is named in the language of the reader', (english, german) => {
  expect(reasonText(`nas.lan:8080 ${english}`)).toBe(`nas.lan:8080 ${german}`)
})

test('without a text for the key, the server says it', () => {
  expect(textOf('errors.other')).toBe('In English')
  setTexts({})
  expect(textOf('errors.unexpected')).toBe('In English')
  setTexts(de)
})
