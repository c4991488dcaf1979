import { asc, eq, lte } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { shareLink } from '../../../db/state/schema/links.ts'
import { anonymous, type Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import { createRateLimit, type RateLimit, wrongSecrets } from '../../core/http/rate-limit.ts'
import type { RemoteAddress } from '../../core/http/remote-address.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { randomText } from '../../core/lib/secret-file.ts'
import type { NewLink, ShareLinkView } from './model.ts'

/** Far more than a host hands out; expired ones do not count. */
export const linksMax = 100
const tokenBytes = 32
/** The last use is stored at most this often. */
const usedEveryMs = 60_000
const hourMs = 3_600_000

type LinkRecord = typeof shareLink.$inferSelect

const hashOf = (token: string) => new Bun.CryptoHasher('sha256').update(token).digest('hex')

const viewOf = (link: LinkRecord): ShareLinkView => ({
  id: link.id,
  page: link.page,
  subject: link.subject,
  label: link.label,
  showsNames: link.showsNames,
  createdAtUtc: link.createdAt.toISOString(),
  expiresAtUtc: link.expiresAt.toISOString(),
  lastUsedAtUtc: link.lastUsedAt?.toISOString() ?? null,
})

interface LinkParts {
  clock: Clock
  log: Logger
  state: StateDatabase
  address: RemoteAddress
}

/** Issues, finds and revokes share links. */
export class ShareLinks {
  readonly #parts: LinkParts
  readonly #wrong: RateLimit

  constructor(parts: LinkParts) {
    this.#parts = parts
    this.#wrong = createRateLimit(wrongSecrets, parts.clock)
  }

  /** Those that still work, oldest first. */
  list(): ShareLinkView[] {
    const { db } = this.#parts.state
    db.delete(shareLink).where(lte(shareLink.expiresAt, this.#parts.clock.now())).run()
    return db.select().from(shareLink).orderBy(asc(shareLink.createdAt)).all().map(viewOf)
  }

  /** The token is in this answer only; its hash is stored. */
  create({ hours, ...wanted }: NewLink, createdBy: string | null) {
    const { clock, state } = this.#parts
    if (this.list().length >= linksMax) {
      throw new AppError('conflict', `There are ${linksMax} links; revoke one first`)
    }
    const token = randomText(tokenBytes)
    const createdAt = clock.now()
    const record: LinkRecord = {
      ...wanted,
      id: crypto.randomUUID(),
      hash: hashOf(token),
      createdBy,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + hours * hourMs),
      lastUsedAt: null,
    }
    state.db.insert(shareLink).values(record).run()
    return { token, ...viewOf(record) }
  }

  revoke(id: string): void {
    const { db } = this.#parts.state
    const gone = db.delete(shareLink).where(eq(shareLink.id, id)).returning().all()
    if (gone.length === 0) throw new AppError('notFound', 'Link not found')
  }

  clear(): void {
    this.#parts.state.db.delete(shareLink).run()
  }

  /**
   * The caller that a token stands for. Tokens that expired, were revoked or never existed are
   * refused alike: 401, and 429 from the eleventh a minute of one address. Wrong ones from an address
   * never keep out a right one.
   */
  callerOf(token: string, request: Request): Caller {
    const { state, clock, address } = this.#parts
    const found = state.db
      .select()
      .from(shareLink)
      .where(eq(shareLink.hash, hashOf(token)))
      .get()
    if (found === undefined || found.expiresAt <= clock.now()) {
      this.#wrong.take(address.of(request))
      throw new AppError('unauthenticated')
    }
    this.#noteUse(found)
    const { id, page, subject, label, showsNames, expiresAt } = found
    const link = { id, page, subject, label, showsNames, expiresAt }
    return { ...anonymous, kind: 'link', link }
  }

  #noteUse({ id, lastUsedAt }: LinkRecord): void {
    const { state, clock, log } = this.#parts
    const now = clock.now()
    if (lastUsedAt !== null && Math.abs(now.getTime() - lastUsedAt.getTime()) < usedEveryMs) return
    try {
      state.db.update(shareLink).set({ lastUsedAt: now }).where(eq(shareLink.id, id)).run()
    } catch (error) {
      // A full disk must not lock visitors out.
      log.warn({ err: error }, 'the use of a share link could not be stored')
    }
  }
}
