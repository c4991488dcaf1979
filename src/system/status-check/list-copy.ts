import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { CacheDomainService } from './model.ts'

const bytesMax = 4 * 1024 * 1024

/** The last fetched list, as it is kept on disk. */
const Copy = Type.Object({
  repoUrl: Type.String(),
  branch: Type.String(),
  fetchedAtUtc: Type.String(),
  services: Type.Array(CacheDomainService),
})
export type ListCopy = Static<typeof Copy>

/** `cache-domains/list.json` in the data folder. */
export function createListCopy(dataPath: string) {
  const folder = join(dataPath, 'cache-domains')
  const file = join(folder, 'list.json')
  let known: ListCopy | null = null
  let isRead = false

  return {
    get current(): ListCopy | null {
      return known
    },
    /** Reads the file once; missing and damaged ones are fetched again. */
    async read(): Promise<void> {
      if (isRead) return
      isRead = true
      const text = await readFile(file, 'utf8').catch(() => '')
      try {
        const value: unknown = text.length > bytesMax ? null : JSON.parse(text)
        if (Value.Check(Copy, value)) known = value
      } catch {
        // Damaged.
      }
    },
    async keep(copy: ListCopy): Promise<void> {
      known = copy
      isRead = true
      await mkdir(folder, { recursive: true })
      await writeFile(`${file}.new`, JSON.stringify(copy))
      await rename(`${file}.new`, file)
    },
  }
}
