import type { DatasourceFacts } from '../api/cache-queries.ts'
import { countText } from '../format/numbers.ts'
import { known, t, type Key } from '../locales/translate.ts'

/** Translates a word of the server; unknown ones are kept. */
const wordText = (key: string, word: string) => {
  const own = known(key)
  return own === null ? word : t(own)
}

export const layoutText = (word: string) => wordText(`datasource.layout.${word}`, word)

export const schemeText = (word: string) => wordText(`datasource.scheme.${word}`, word)

export const sliceSourceText = (word: string) => wordText(`datasource.sliceSource.${word}`, word)

/** Slice sizes are powers of two and shown in binary units. */
export const sliceText = (bytes: number): string =>
  t('datasource.mebibytes', { count: countText(bytes / 1_048_576) })

export const limitSourceText = (word: string) => wordText(`datasource.limitSource.${word}`, word)

export const filesystemText = (word: string) => wordText(`datasource.filesystem.${word}`, word)

/** Why a folder cannot be used, with a remedy; null when it can. */
export const folderProblem = (problem: string): Key | null => known(`datasource.problem.${problem}`)

/** Whether to add a note about a network file system. */
export const isNetwork = ({ disk }: Pick<DatasourceFacts, 'disk'>): boolean =>
  disk.filesystem === 'nfs' || disk.filesystem === 'cifs'
