import { readFileSync } from 'node:fs'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { OutsideError } from '../../../core/lib/outside.ts'
import { writeSecretFile } from '../../../core/lib/secret-file.ts'
import type { BetaAsset, BetaDescription, BetaWeb } from '../../../engines/beta-connection/web.ts'
import type { BetaSession } from './session.ts'

const titlesMax = 20_000

const Titles = Type.Record(
  Type.String(),
  Type.Object({ name: Type.String(), imageUrl: Type.Union([Type.String(), Type.Null()]) }),
)

function readTitles(path: string): Map<string, BetaDescription> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return new Map(Value.Check(Titles, value) ? Object.entries(value) : [])
  } catch {
    // Missing or unreadable: as if no name was known.
    return new Map()
  }
}

const isUnknown = (error: unknown) =>
  error instanceof OutsideError && (error.status === 403 || error.status === 404)

/** A game without a name is called by its id. */
export const nameless = ({ appName }: BetaAsset): BetaDescription => ({
  name: appName,
  imageUrl: null,
})

/** Names of games; known ones are in a file, which may be deleted at any time. */
export function createTitles(web: BetaWeb, session: BetaSession, path: string) {
  const known = readTitles(path)
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
      if (isChanged) writeSecretFile(path, JSON.stringify(Object.fromEntries(known)))
      isChanged = false
    },
  }
}
