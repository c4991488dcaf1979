import { ChevronDown, Download } from 'lucide-react'
import type { Range } from '../../app/range.ts'
import type { DownloadsQuery } from '../../app/search-state.ts'
import { Popover } from '../../components/popover.tsx'
import { t } from '../../locales/translate.ts'
import { exportAddress, type ExportFormat } from './export-address.ts'

const formats: readonly { format: ExportFormat; name: string }[] = [
  { format: 'csv', name: 'CSV' },
  { format: 'json', name: 'JSON' },
]

interface ExportMenuProps {
  query: DownloadsQuery
  range: Range
}

/** The whole filtered list as a file; the browser shows how far it is. */
export function ExportMenu({ query, range }: ExportMenuProps) {
  const face = (
    <>
      <Download size={15} aria-hidden="true" />
      <ChevronDown size={13} aria-hidden="true" className="text-dim" />
    </>
  )
  return (
    <Popover
      label={t('export.label')}
      face={face}
      buttonClass="control px-2.5"
      className="w-[240px]"
    >
      {(close) => (
        <>
          <p className="px-3 pt-1.5 pb-2 text-small text-dim">{t('export.note')}</p>
          {formats.map(({ format, name }) => (
            <a
              key={format}
              // Made when it is wanted: a span such as "last hour" has moved on by then.
              href={exportAddress(query, range, format)}
              onClick={({ currentTarget }) => {
                currentTarget.href = exportAddress(query, range, format)
                close()
              }}
              download
              className="flex h-9 items-center gap-2.5 rounded-control px-3 text-[13px] hover:bg-raise"
            >
              <Download size={14} aria-hidden="true" className="text-dim" />
              {name}
            </a>
          ))}
        </>
      )}
    </Popover>
  )
}
