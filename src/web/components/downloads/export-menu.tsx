import type { Range } from '../../app/range.ts'
import type { DownloadsQuery } from '../../api/wire.ts'
import { ExportMenu as Menu } from '../export-menu.tsx'
import { t } from '../../locales/translate.ts'
import { exportAddress } from './export-address.ts'

/** The filtered downloads as a file. */
export const ExportMenu = ({ query, range }: { query: DownloadsQuery; range: Range }) => (
  <Menu note={t('export.note')} addressOf={(format) => exportAddress(query, range, format)} />
)
