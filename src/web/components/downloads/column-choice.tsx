import { Columns3 } from 'lucide-react'
import { useState } from 'react'
import type { DownloadColumn } from './columns.tsx'
import { Popover } from '../popover.tsx'
import { t } from '../../locales/translate.ts'

const storageKey = 'larder.downloads.hidden'
const hiddenAtFirst = ['datasource']
/** A row is meaningless without its title. */
const fixed = 'title'

function stored(): string[] {
  const text = localStorage.getItem(storageKey)
  return text === null ? hiddenAtFirst : text.split(',').filter(Boolean)
}

/** Hidden columns; stored in this browser. */
export function useHiddenColumns() {
  const [hidden, setHidden] = useState<readonly string[]>(stored)
  const toggle = (id: string) => {
    const next = hidden.includes(id) ? hidden.filter((known) => known !== id) : [...hidden, id]
    localStorage.setItem(storageKey, next.join(','))
    setHidden(next)
  }
  return { hidden, toggle }
}

interface ColumnChoiceProps {
  columns: readonly Pick<DownloadColumn, 'id' | 'header'>[]
  hidden: readonly string[]
  onToggle: (id: string) => void
}

export function ColumnChoice({ columns, hidden, onToggle }: ColumnChoiceProps) {
  return (
    <Popover
      label={t('downloads.columns')}
      face={<Columns3 size={15} />}
      buttonClass="control px-2.5 max-md:hidden"
      className="w-[210px]"
    >
      {() => (
        <fieldset className="p-2">
          <legend className="pb-1 text-small text-dim">{t('downloads.columns')}</legend>
          {columns
            .filter(({ id }) => id !== fixed)
            .map(({ id, header }) => (
              <label key={id} className="flex h-8 cursor-pointer items-center gap-2.5">
                <input
                  type="checkbox"
                  className="accent-cache"
                  checked={!hidden.includes(id)}
                  onChange={() => onToggle(id)}
                />
                {header}
              </label>
            ))}
        </fieldset>
      )}
    </Popover>
  )
}
