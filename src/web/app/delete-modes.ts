import type { DeleteMode } from '../api/cache-queries.ts'
import type { Key } from '../locales/translate.ts'

/** Names of the deletion methods, and what each does. */
export const deleteModes: Record<DeleteMode, { label: Key; note: Key }> = {
  preserve: { label: 'datasource.preserve', note: 'datasource.preserveText' },
  full: { label: 'datasource.full', note: 'datasource.fullText' },
  rsync: { label: 'datasource.rsync', note: 'datasource.rsyncText' },
}
export const deleteModeNames = ['preserve', 'full', 'rsync'] as const
