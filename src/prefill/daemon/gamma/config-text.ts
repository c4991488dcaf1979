import { FormatError } from '../content/format-error.ts'
import { hexKey } from './tables.ts'

/** Values of one key: archives of the largest games are some thousands. */
const valuesMax = 50_000

/** Throws FormatError when it is something else. */
export function parseConfig(text: string, kind: 'Build' | 'CDN') {
  if (!text.startsWith(`# ${kind}`)) {
    throw new FormatError(`a ${kind} config does not begin with "# ${kind}"`)
  }
  const values = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [, name, list] = /^([a-z0-9-]{1,64}) = (.+)$/.exec(line.trim()) ?? []
    if (name !== undefined && list !== undefined) values.set(name, list.split(' ', valuesMax))
  }
  const keys = (name: string) => (values.get(name) ?? []).filter((value) => hexKey.test(value))
  return {
    names: [...values.keys()],
    /** The values that are keys of files. */
    keys,
    /** The last of one or two keys: the encoded one, which URLs contain. Null: none. */
    encodedKey: (name: string) => keys(name).slice(0, 2).at(-1) ?? null,
    /** Size in bytes that belongs to `encodedKey`; 0: unknown. */
    encodedBytes(name: string) {
      const sizes = (values.get(`${name}-size`) ?? []).slice(0, 2)
      // A single size beside two keys is that of the content.
      if (sizes.length < keys(name).slice(0, 2).length) return 0
      const bytes = Number(sizes.at(-1))
      return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : 0
    },
  }
}
/** A build or CDN config: `key = values`, one per line. */
export type ConfigText = ReturnType<typeof parseConfig>
