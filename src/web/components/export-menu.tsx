import { ChevronDown, Download } from 'lucide-react'
import { t } from '../locales/translate.ts'
import { Popover } from './popover.tsx'

export type ExportFormat = 'csv' | 'json'

const formats: readonly { format: ExportFormat; name: string }[] = [
  { format: 'csv', name: 'CSV' },
  { format: 'json', name: 'JSON' },
]

interface ExportMenuProps {
  note: string
  addressOf: (format: ExportFormat) => string
}

/** Downloads a whole list as a file written by the server; the browser shows the progress. */
export function ExportMenu({ note, addressOf }: ExportMenuProps) {
  const face = (
    <>
      <Download size={15} />
      <ChevronDown size={13} className="text-dim" />
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
          <p className="px-3 pt-1.5 pb-2 text-small text-dim">{note}</p>
          {formats.map(({ format, name }) => (
            <a
              key={format}
              // Created on click: a span such as "last hour" has moved on by then.
              href={addressOf(format)}
              onClick={({ currentTarget }) => {
                currentTarget.href = addressOf(format)
                close()
              }}
              download
              className="flex h-9 items-center gap-2.5 rounded-control px-3 text-[13px] hover:bg-raise"
            >
              <Download size={14} className="text-dim" />
              {name}
            </a>
          ))}
        </>
      )}
    </Popover>
  )
}
