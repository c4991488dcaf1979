import { platformOf } from './services.ts'

/** A game as in the address of its page: `app-<id>`, `beta-<id>` or `name-<name>`. */
export interface GameRef {
  service: string
  id: string
}

/** Which games have an image. */
export interface GameImages {
  ids: ReadonlySet<string>
  /** Changes when all images are discarded: browsers keep them for an hour. */
  version: number
}

/** Services whose images are named after the game. */
const nameServices: Partial<Record<ReturnType<typeof platformOf>, string>> = {
  gamma: 'blizzard',
  delta: 'riot',
  epsilon: 'xbox',
}

/** As the server makes it. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')

/** Address of a game's header image; null: there is none. */
export function imageAddress(
  { service, id }: GameRef,
  { ids, version }: GameImages,
): string | null {
  const [, kind, value = ''] = /^(app|beta|name)-(.+)$/s.exec(id) ?? []
  const end = `header?v=${version}`
  if (kind === 'app' && ids.has(value)) return `/api/game-images/${value}/${end}`
  if (kind === 'beta' && ids.has(value)) {
    return `/api/game-images/beta/${encodeURIComponent(value)}/${end}`
  }
  const named = nameServices[platformOf(service)]
  const slug = slugOf(value)
  if (kind !== 'name' || named === undefined || !ids.has(slug)) return null
  return `/api/game-images/name/${named}/${encodeURIComponent(slug)}/${end}`
}
