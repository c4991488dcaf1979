import { and, asc, eq, isNotNull, isNull, ne } from 'drizzle-orm'
import type { StateDatabase } from '../../db/state/open.ts'
import { node } from '../../db/state/schema/nodes.ts'
import { AppError, orNotFound } from '../core/http/errors.ts'
import type { Clock } from '../core/lib/clock.ts'
import { nodesMax, tokenMs } from './limits.ts'
import { hashOf } from './token.ts'

export type NodeRecord = typeof node.$inferSelect

/** A node may not connect; the message says why, and is sent to it. */
export class NotAdmitted extends Error {}

const isSameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** The nodes of `state.sqlite`: who was invited, who joined with which key. */
export class NodeStore {
  readonly #db: StateDatabase['db']
  readonly #clock: Clock

  constructor({ state, clock }: { state: StateDatabase; clock: Clock }) {
    this.#db = state.db
    this.#clock = clock
  }

  all(): NodeRecord[] {
    return this.#db.select().from(node).orderBy(asc(node.createdAt)).all()
  }

  isEmpty(): boolean {
    return this.#db.select({ id: node.id }).from(node).limit(1).get() === undefined
  }

  find(id: string): NodeRecord {
    return orNotFound(this.#db.select().from(node).where(eq(node.id, id)).get(), 'Node not found')
  }

  change(id: string, values: Partial<NodeRecord>): void {
    this.#db.update(node).set(values).where(eq(node.id, id)).run()
  }

  add(name: string, token: string): NodeRecord {
    if (this.all().length >= nodesMax) throw new AppError('conflict', `There are ${nodesMax} nodes`)
    this.#checkName(name)
    const id = crypto.randomUUID()
    const createdAt = this.#clock.now()
    this.#db.insert(node).values({ id, name, createdAt }).run()
    return this.invite(id, token)
  }

  /** A node that lost its key, or was revoked, may get another token. */
  invite(id: string, token: string): NodeRecord {
    this.find(id)
    const tokenExpiresAt = new Date(this.#clock.now().getTime() + tokenMs)
    this.change(id, { tokenHash: hashOf(token), tokenExpiresAt })
    return this.find(id)
  }

  rename(id: string, name: string): void {
    this.find(id)
    this.#checkName(name, id)
    this.change(id, { name })
  }

  revoke(id: string): void {
    this.find(id)
    this.change(id, { revokedAt: this.#clock.now(), tokenHash: null, tokenExpiresAt: null })
  }

  remove(id: string): void {
    this.find(id)
    this.#db.delete(node).where(eq(node.id, id)).run()
  }

  /** The node that has joined with a key. Throws NotAdmitted. */
  ofKey(publicKey: string): NodeRecord {
    const found = this.#db.select().from(node).where(eq(node.publicKey, publicKey)).get()
    if (found === undefined) throw new NotAdmitted('The service does not know this node')
    if (found.revokedAt !== null) throw new NotAdmitted('The node was revoked')
    return found
  }

  /** The node that a token invites; null when it was used, has expired or never existed. */
  ofToken(token: string): NodeRecord | null {
    const hasToken = eq(node.tokenHash, hashOf(token))
    const found = this.#db.select().from(node).where(hasToken).get()
    const expiresAt = found?.tokenExpiresAt ?? null
    return found === undefined || expiresAt === null || expiresAt <= this.#clock.now()
      ? null
      : found
  }

  /** Uses up the token. Returns the ids of other nodes that had the key, and have none now. */
  join(id: string, publicKey: string): string[] {
    return this.#db.transaction((change) => {
      const hasKey = and(eq(node.publicKey, publicKey), ne(node.id, id))
      const revoked = { publicKey: null, revokedAt: this.#clock.now() }
      const others = change.update(node).set(revoked).where(hasKey).returning().all()
      const joined = { publicKey, tokenHash: null, tokenExpiresAt: null, revokedAt: null }
      change.update(node).set(joined).where(eq(node.id, id)).run()
      return others.map((other) => other.id)
    })
  }

  /** After a start no node is connected yet, whatever the last run left. */
  markAway(): void {
    const isConnected = and(isNotNull(node.publicKey), isNull(node.awaySince))
    this.#db.update(node).set({ awaySince: this.#clock.now() }).where(isConnected).run()
  }

  /** Throws when another node has the name. */
  #checkName(name: string, id?: string): void {
    const isTaken = this.all().some((other) => other.id !== id && isSameName(other.name, name))
    if (isTaken) throw new AppError('conflict', `There is a node of the name ${name}`)
  }
}
