import { expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { Browser, signInOwner } from '../../../test/support/sign-in.ts'
import { testServer } from '../../../test/support/test-server.ts'
import type { AuthStatus } from '../sign-in/model.ts'

const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: 'SHA-256',
}
const keyPair = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const [published, foreign] = [await keyPair(), await keyPair()]
let idToken = ''
let subject = ''

/** A provider that gives out whatever ID token a test has made. */
const site = testServer(async (request) => {
  const { pathname, origin } = new URL(request.url)
  const at = (path: string) => origin + path
  if (pathname.startsWith('/.well-known/')) {
    return Response.json({
      issuer: origin,
      authorization_endpoint: at('/auth'),
      token_endpoint: at('/token'),
      userinfo_endpoint: at('/me'),
      jwks_uri: at('/keys'),
      id_token_signing_alg_values_supported: ['RS256'],
    })
  }
  if (pathname === '/keys') {
    const key = await crypto.subtle.exportKey('jwk', published.publicKey)
    return Response.json({ keys: [{ ...key, kid: 'one', use: 'sig', alg: 'RS256' }] })
  }
  if (pathname === '/me') return Response.json({ sub: subject, preferred_username: 'Mallory' })
  return Response.json({ access_token: 'access', token_type: 'Bearer', id_token: idToken })
})
const issuer = site.url.replace(/\/$/, '')

const app = await testApp()
const owner = await signInOwner(app)
const provider = { issuer, clientId: 'larder', label: '', scopes: 'profile', roleClaim: '' }
const people = { adminValues: [], userValues: [], createsAccounts: true, linksByName: false }
const body = { ...provider, ...people, publicUrl: 'http://larder.test' }
expect((await owner.put('/api/ext/oidc/settings', body)).status).toBe(200)

async function signed(claims: object, { key, alg }: { key: CryptoKey; alg: string }) {
  const text = `${encoded({ alg, kid: 'one' })}.${encoded(claims)}`
  if (alg === 'none') return `${text}.`
  const signature = await crypto.subtle.sign(algorithm.name, key, Buffer.from(text))
  return `${text}.${Buffer.from(signature).toString('base64url')}`
}

interface Forgery {
  claims?: Record<string, unknown>
  isForeignKey?: boolean
  alg?: string
  infoSubject?: string
}

test.each<[string, Forgery, boolean]>([
  ['as it should be', {}, true],
  ['signed with a key that is not published', { isForeignKey: true }, false],
  ['without a signature', { alg: 'none' }, false],
  ['of another sign-in', { claims: { nonce: 'another' } }, false],
  ['for another client', { claims: { aud: 'other' } }, false],
  ['of another issuer', { claims: { iss: 'https://other.test' } }, false],
  ['that has expired', { claims: { exp: 1_700_000_000 } }, false],
  ['with the user info of somebody else', { infoSubject: 'another' }, false],
])('an ID token %s: %j lets in: %s', async (_, forgery, isLetIn) => {
  const { claims = {}, isForeignKey = false, alg = 'RS256', infoSubject } = forgery
  const browser = new Browser(app)
  const start = await browser.get('/api/ext/oidc/start')
  const { searchParams } = new URL(start.headers.get('location') ?? '')
  const sub = crypto.randomUUID()
  subject = infoSubject ?? sub
  const now = Math.floor(Date.now() / 1000)
  const usual = { iss: issuer, aud: 'larder', sub, nonce: searchParams.get('nonce') }
  const key = (isForeignKey ? foreign : published).privateKey
  idToken = await signed({ ...usual, iat: now, exp: now + 600, ...claims }, { key, alg })
  const back = new URLSearchParams({ code: 'code', state: searchParams.get('state') ?? '' })
  const end = await browser.get(`/api/ext/oidc/callback?${back.toString()}`)
  expect(end.headers.get('location')).toBe(isLetIn ? '/' : '/sign-in?problem=provider')
  const status = (await (await browser.get('/api/auth/status')).json()) as AuthStatus
  expect(status.isAuthenticated).toBe(isLetIn)
})
