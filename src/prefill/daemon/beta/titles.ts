import { Type } from '@sinclair/typebox'
import { OutsideError } from '../../../core/lib/outside.ts'
import { writeSharedFile } from '../../../core/lib/secret-file.ts'
import type { BetaAsset, BetaDescription, BetaWeb } from '../../../engines/beta-connection/web.ts'
import { readJson } from '../store.ts'
import type { BetaSession } from './session.ts'

const titlesMax = 20_000

const Titles = Type.Record(
  Type.String(),
  Type.Object({ name: Type.String(), imageUrl: Type.Union([Type.String(), Type.Null()]) }),
)

const isUnknown = (error: unknown) =>
  error instanceof OutsideError && (error.status === 403 || error.status === 404)

/** A game without a name is called by its id. */
export const nameless = ({ appName }: BetaAsset): BetaDescription => ({
  name: appName,
  imageUrl: null,
})

/** Names of games; known ones are in a file that daemons share, and that may be deleted at any time. */
export function createTitles(web: BetaWeb, session: BetaSession, path: string) {
  const known = new Map(Object.entries(readJson(path, Titles) ?? {}))
  let isChanged = false
  return {
    known: (asset: BetaAsset): BetaDescription | null => known.get(asset.appName) ?? null,
    /** Asks the catalogue; null: it does not answer. */
    async ask(asset: BetaAsset, signal: AbortSignal): Promise<BetaDescription | null> {
      try {
        const found = await session.authorized((token) => web.describe(token, asset, signal))
        if (found === null || found.name === '') return nameless(asset)
        if (known.size < titlesMax) known.set(asset.appName, found)
        isChanged = true
        return found
      } catch (error) {
        signal.throwIfAborted()
        if (isUnknown(error)) return nameless(asset)
        if (error instanceof OutsideError) return null
        throw error
      }
    },
    save(): void {
      if (isChanged) writeSharedFile(path, JSON.stringify(Object.fromEntries(known)))
      isChanged = false
    },
  }
}
