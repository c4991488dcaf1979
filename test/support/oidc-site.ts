import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { atEnd } from './cleanup.ts'

export const clientId = 'larder'
export const clientSecret = 'a secret: with % and +'

/** Claims of a person, by the name with which they sign in. */
export type People = Map<string, Record<string, unknown>>

/**
 * A provider that others wrote (`oidc-provider`), with PKCE required, its own forms for sign-in and
 * consent, and claims in the user info only, as Authelia has them.
 */
export async function oidcSite(redirectUris: string[]) {
  const people: People = new Map()
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    cookies: { keys: ['cookies of a test'] },
    pkce: { required: () => true },
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: {
      openid: ['sub'],
      profile: ['preferred_username', 'name'],
      email: ['email'],
      groups: ['groups', 'realm_access'],
    },
    findAccount: (_context, name) => ({
      accountId: name,
      claims: () => ({ sub: name, ...people.get(name) }),
    }),
  })
  const answer = provider.callback()
  server.on('request', (request, response) => void answer(request, response))
  atEnd(async () => void server.close())
  return { issuer, people, redirectUris }
}

/** A browser at the provider: signs in, agrees, and resolves to where it is sent back to. */
export async function visit(start: string, name: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = start
  let form: URLSearchParams | null = null
  for (let hop = 0; hop < 20; hop++) {
    const answer: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
      ...(form !== null && { method: 'POST', body: form }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const { name: key, value } = Bun.Cookie.parse(line)
      cookies.set(key, encodeURIComponent(value))
    }
    const text = await answer.text()
    const location = answer.headers.get('location')
    if (location !== null) {
      const next = new URL(location, url)
      if (next.host !== new URL(start).host) return next
      url = next.href
      form = null
      continue
    }
    const action = /action="([^"]+)"/.exec(text)?.[1]
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1]
    if (action === undefined || prompt === undefined) throw new Error(`no form: ${text}`)
    url = new URL(action, url).href
    form = new URLSearchParams({ prompt, login: name, password: 'any' })
  }
  throw new Error('the provider sends in circles')
}
