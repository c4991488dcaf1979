import type { DatasourceFacts } from '../api/cache-queries.ts'
import { countText } from '../format/numbers.ts'
import { t, type Key } from '../locales/translate.ts'

/** Translates a word of the server; unknown ones are kept. */
const wordOf =
  (words: Readonly<Record<string, Key>>) =>
  (word: string): string => {
    const key = words[word]
    return key === undefined ? word : t(key)
  }

export const layoutText = wordOf({
  monolithic: 'datasource.monolithic',
  bare_metal: 'datasource.bareMetal',
  mixed: 'datasource.mixed',
})

export const schemeText = wordOf({
  monolithic: 'datasource.keyMonolithic',
  bare_metal: 'datasource.keyBareMetal',
  mixed: 'datasource.keyMixed',
  unknown: 'datasource.keyUnknown',
})

export const sliceSourceText = wordOf({
  setting: 'datasource.sliceSetting',
  confighash: 'datasource.sliceNote',
  keys: 'datasource.sliceKeys',
  default: 'datasource.sliceDefault',
})

/** Slice sizes are powers of two and shown in binary units. */
export const sliceText = (bytes: number): string =>
  t('datasource.mebibytes', { count: countText(bytes / 1_048_576) })

export const limitSourceText = wordOf({
  manual: 'datasource.limitManual',
  docker: 'datasource.limitDocker',
  env: 'datasource.limitEnv',
  fullDisk: 'datasource.limitDisk',
})

export const filesystemText = wordOf({
  local: 'datasource.fsLocal',
  nfs: 'datasource.fsNfs',
  cifs: 'datasource.fsCifs',
  other: 'datasource.fsOther',
})

const folderProblems: Readonly<Record<string, Key>> = {
  missing: 'datasource.missing',
  unreadable: 'datasource.unreadable',
  unresponsive: 'datasource.unresponsive',
  vanished: 'datasource.vanished',
}

/** Why a folder cannot be used, with a remedy; null when it can. */
export const folderProblem = (problem: string): Key | null => folderProblems[problem] ?? null

/** Whether to add a note about a network file system. */
export const isNetwork = ({ disk }: Pick<DatasourceFacts, 'disk'>): boolean =>
  disk.filesystem === 'nfs' || disk.filesystem === 'cifs'
