import { asc, eq } from 'drizzle-orm'
import { widgetToken } from '../../../db/state/schema/widgets.ts'
import type { Core } from '../../core/core.ts'
import { AppError } from '../../core/http/errors.ts'
import { createRateLimit, wrongSecrets } from '../../core/http/rate-limit.ts'
import { randomText } from '../../core/lib/secret-file.ts'
import type { TokenView, WidgetScope } from './model.ts'

const prefix = 'larder_w_'
const tokenBytes = 24
const tokenCharsMax = 200
const tokensMax = 50
/** Of one token. */
const requests = { attempts: 120, windowSeconds: 60 }
/** The last use is stored at most this often. */
const usedEveryMs = 60_000

type TokenRecord = typeof widgetToken.$inferSelect

const hashOf = (token: string) => new Bun.CryptoHasher('sha256').update(token).digest('hex')

const viewOf = ({ id, name, scopes, createdAt, lastUsedAt }: TokenRecord): TokenView => ({
  id,
  name,
  scopes,
  createdAtUtc: createdAt.toISOString(),
  lastUsedAtUtc: lastUsedAt?.toISOString() ?? null,
})

/** The token of a request: in the query, as Bearer, or as the password of Basic. */
export function presentedToken(request: Request, query: string | undefined): string | null {
  if (query !== undefined && query !== '') return query
  const header = request.headers.get('authorization') ?? ''
  const [, kind = '', value = ''] = /^(Bearer|Basic) +(\S+)\s*$/i.exec(header) ?? []
  if (kind.toLowerCase() === 'bearer') return value
  if (kind === '') return null
  const [, ...password] = Buffer.from(value, 'base64').toString('utf8').split(':')
  return password.join(':')
}

type Parts = Pick<Core, 'clock' | 'state'>

/** What a request presents, and the address under which wrong tokens are counted. */
interface Presented {
  request: Request
  query: { token?: string | undefined }
  address: string | null
}

/** Read-only tokens for widgets; without one there is no access. */
export function createTokens({ clock, state: { db } }: Parts) {
  const wrong = createRateLimit(wrongSecrets, clock)
  const used = createRateLimit(requests, clock)

  function noteUse({ id, lastUsedAt }: TokenRecord): void {
    const now = clock.now()
    if (lastUsedAt !== null && Math.abs(now.getTime() - lastUsedAt.getTime()) < usedEveryMs) return
    db.update(widgetToken).set({ lastUsedAt: now }).where(eq(widgetToken.id, id)).run()
  }

  return {
    list: (): TokenView[] =>
      db.select().from(widgetToken).orderBy(asc(widgetToken.createdAt)).all().map(viewOf),

    /** The token is shown once; only its hash is stored. */
    create({ name, scopes }: { name: string; scopes: WidgetScope[] }) {
      if (db.select().from(widgetToken).all().length >= tokensMax) {
        throw new AppError('conflict', `At most ${tokensMax} tokens`)
      }
      const token = prefix + randomText(tokenBytes)
      const record: TokenRecord = {
        id: crypto.randomUUID(),
        name: name.trim() === '' ? 'Widget' : name.trim(),
        hash: hashOf(token),
        scopes: [...new Set(scopes)],
        createdAt: clock.now(),
        lastUsedAt: null,
      }
      db.insert(widgetToken).values(record).run()
      return { token, ...viewOf(record) }
    },

    revoke(id: string): void {
      const gone = db.delete(widgetToken).where(eq(widgetToken.id, id)).returning().all()
      if (gone.length === 0) throw new AppError('notFound', 'Token not found')
    },

    revokeAll(): void {
      db.delete(widgetToken).run()
    },

    /**
     * The scopes of a request's token. Throws 401 without a known one, 403 without the scope, 429
     * for the eleventh wrong one a minute of one address, and for more than two requests a second
     * with one. Wrong ones from an address never keep out a right one.
     */
    admit({ request, query, address }: Presented, scope: WidgetScope): WidgetScope[] {
      const token = presentedToken(request, query.token)
      if (token === null) {
        const headers = { 'WWW-Authenticate': 'Bearer realm="Larder widgets"' }
        throw new AppError('unauthenticated', undefined, { headers })
      }
      const isPlausible = token.length <= tokenCharsMax
      const record = isPlausible
        ? db
            .select()
            .from(widgetToken)
            .where(eq(widgetToken.hash, hashOf(token)))
            .get()
        : undefined
      if (record === undefined) {
        wrong.take(address)
        const text = 'The token is wrong or was revoked; create one under Settings, Widgets'
        throw new AppError('badCredentials', text)
      }
      used.take(record.id)
      if (!record.scopes.includes(scope)) {
        throw new AppError('refused', `The token does not have the scope ${scope}`)
      }
      noteUse(record)
      return record.scopes
    },
  }
}

export type WidgetTokens = ReturnType<typeof createTokens>
