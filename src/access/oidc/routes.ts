import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { clearedCookie, cookieLine } from '../../core/http/cookies.ts'
import { done, Empty, ErrorBody, example } from '../../core/http/schema.ts'
import type { AccessRouteParts } from '../parts.ts'
import { deviceLine, freshLines, isSecure } from '../sign-in/session-cookies.ts'
import { endPrevious, openSession } from '../sign-in/service.ts'
import { handshakeCookie } from './handshake.ts'
import { OidcAddress, OidcBody, OidcRefused, OidcSettings, OidcStatus, OidcTest } from './model.ts'
import type { OidcService } from './service.ts'

const returnPath = t.Optional(
  t.String({ maxLength: 300, description: 'Page of the dashboard to end on; the overview' }),
)
const practice = {
  issuer: 'https://auth.home.arpa',
  clientId: 'larder',
  label: 'Authelia',
  scopes: 'profile email groups',
  roleClaim: 'groups',
  adminValues: ['admins'],
  userValues: [],
  createsAccounts: true,
  linksByName: false,
  publicUrl: '',
}

/** An answer that sends the browser on. */
function redirect(to: string, cookies: readonly string[] = []): Response {
  const answer = new Response(null, { status: 302, headers: { Location: to } })
  answer.headers.set('Cache-Control', 'no-store')
  for (const line of cookies) answer.headers.append('Set-Cookie', line)
  return answer
}

/** The page that tells why nothing came of it. */
function refused(error: unknown): Response {
  if (!(error instanceof OidcRefused)) throw error
  const page = error.isLink ? '/settings/password' : '/sign-in'
  return redirect(`${page}?problem=${error.problem}`)
}

const cookieOptions = (deps: AccessRouteParts, request: Request) => ({
  isSecure: isSecure(deps, request),
  isHidden: true,
})

/** Carries the handshake to the provider and back. */
const handshakeLine = (
  deps: AccessRouteParts,
  request: Request,
  { value, expires }: { value: string; expires: Date },
) => cookieLine(handshakeCookie, value, { ...cookieOptions(deps, request), expires })

const browserRoutes = (deps: AccessRouteParts, oidc: OidcService) =>
  routesAt(deps.access, 'Access', '/api/ext/oidc')
    .get('/status', ({ caller }) => oidc.status(caller), {
      access: 'public',
      response: { 200: OidcStatus },
      detail: { summary: 'Whether a provider of sign-ins is configured, and its name' },
    })
    .get(
      '/start',
      async ({ request, query }) => {
        try {
          const { url, handshake } = await oidc.begin(request, query.returnPath ?? '/')
          return redirect(url, [handshakeLine(deps, request, handshake)])
        } catch (error) {
          return refused(error)
        }
      },
      {
        access: 'public',
        query: t.Object({ returnPath }),
        response: { 302: Empty },
        detail: { summary: 'Send the browser to the provider to sign in' },
      },
    )
    .get(
      '/callback',
      async ({ request }) => {
        try {
          const { account, returnPath: path } = await oidc.finish(request)
          const cleared = clearedCookie(handshakeCookie, cookieOptions(deps, request))
          if (account === null) return redirect(path, [cleared])
          const session = openSession(deps, request, account)
          endPrevious(deps, request)
          const device = deviceLine(deps, request, account.id)
          return redirect(path, [...freshLines(deps, request, session), device, cleared])
        } catch (error) {
          return refused(error)
        }
      },
      {
        access: 'public',
        query: t.Record(t.String({ maxLength: 50 }), t.String({ maxLength: 4000 })),
        response: { 302: Empty },
        detail: { summary: 'The provider sends the browser back to here' },
      },
    )

const linkRoutes = (deps: AccessRouteParts, oidc: OidcService) =>
  routesAt(deps.access, 'Access', '/api/ext/oidc')
    .post(
      '/link',
      async ({ request, caller, body, set }) => {
        const { url, handshake } = await oidc.beginLink(request, caller, body.returnPath ?? '/')
        set.headers['set-cookie'] = handshakeLine(deps, request, handshake)
        return { url }
      },
      {
        access: 'account',
        body: example(t.Object({ returnPath }), { returnPath: '/settings/password' }),
        response: { 200: OidcAddress, 403: ErrorBody, 409: ErrorBody },
        detail: { summary: "Link the caller's account: the address that the browser must visit" },
      },
    )
    .delete('/link', ({ caller }) => done(oidc.unlink(caller)), {
      access: 'account',
      response: { 200: Empty, 404: ErrorBody },
      detail: { summary: "Unlink the caller's account" },
    })

const settingRoutes = (deps: AccessRouteParts, oidc: OidcService) =>
  routesAt(deps.access, 'Access', '/api/ext/oidc')
    .get('/settings', ({ request }) => oidc.read(request), {
      access: 'owner',
      response: { 200: OidcSettings },
      detail: { summary: 'The provider of sign-ins' },
    })
    .put(
      '/settings',
      ({ request, caller, body: { clientSecret, ...provider } }) => {
        oidc.change(caller, provider, clientSecret)
        return oidc.read(request)
      },
      {
        access: 'owner',
        body: example(OidcBody, practice),
        response: { 200: OidcSettings, 400: ErrorBody },
        detail: { summary: 'Change the provider of sign-ins' },
      },
    )
    .delete('/settings', ({ caller }) => done(oidc.change(caller, null, undefined)), {
      access: 'owner',
      response: { 200: Empty },
      detail: { summary: 'Switch the provider of sign-ins off' },
    })
    .post('/test', ({ body: { clientSecret, ...provider } }) => oidc.test(provider, clientSecret), {
      access: 'owner',
      body: example(OidcBody, practice),
      response: { 200: OidcTest, 400: ErrorBody },
      detail: { summary: 'Ask a provider for its metadata' },
    })

/** Sign-in with accounts of an OpenID Connect provider. */
export const oidcRoutes = (deps: AccessRouteParts, oidc: OidcService) =>
  new Elysia({ name: 'access/oidc' })
    .use(browserRoutes(deps, oidc))
    .use(linkRoutes(deps, oidc))
    .use(settingRoutes(deps, oidc))
