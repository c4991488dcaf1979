import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from './form-controls.tsx'
import { countText } from '../format/numbers.ts'
import { t } from '../locales/translate.ts'

interface PagerProps {
  page: number
  pages: number
  size: number
  total: number
  onPage: (page: number) => void
  /** Offers these page sizes. */
  sizes?: readonly number[]
  onSize?: (size: number) => void
}

/** Position in the whole list, with links to the neighbouring pages. */
export function Pager({ page, pages, size, total, onPage, sizes = [], onSize }: PagerProps) {
  const first = (page - 1) * size + 1
  const last = Math.min(total, page * size)
  return (
    <nav
      aria-label={t('pager.label')}
      className="figure flex items-center gap-2 border-t border-line px-[18px] py-3 text-[13px] text-dim"
    >
      <p className="mr-auto">
        {t('pager.position', {
          first: countText(Math.min(first, total)),
          last: countText(last),
          total: countText(total),
        })}
      </p>
      {sizes.length > 0 && (
        <select
          className="control h-8 max-sm:hidden"
          aria-label={t('pager.size')}
          value={size}
          onChange={({ target }) => onSize?.(Number(target.value))}
        >
          {sizes.map((one) => (
            <option key={one} value={one}>
              {t('pager.sizeOption', { size: one })}
            </option>
          ))}
        </select>
      )}
      <Button
        className="h-8 px-2"
        aria-label={t('pager.before')}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <ChevronLeft size={16} />
      </Button>
      <span>{t('pager.page', { page: countText(page), pages: countText(pages) })}</span>
      <Button
        className="h-8 px-2"
        aria-label={t('pager.next')}
        disabled={page >= pages}
        onClick={() => onPage(page + 1)}
      >
        <ChevronRight size={16} />
      </Button>
    </nav>
  )
}
