import { ChevronDown } from 'lucide-react'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useEventName } from '../api/event-queries.ts'
import { Popover } from '../components/popover.tsx'
import { periodText } from '../format/times.ts'
import { t } from '../locales/translate.ts'
import { writeRange, type Range } from './range.ts'
import { useRange } from './use-address.ts'
import { lazyPart } from './lazy-part.ts'

const RangePanel = lazyPart(async () => (await import('./range-panel.tsx')).RangePanel, 'reports')

export function rangeLabel(range: Range): string {
  if ('span' in range) return t(`range.span.${range.span}`)
  return periodText(new Date(range.from * 1000), new Date(range.to * 1000), new Date())
}

/** The page's time range; part of the URL, so a link shows the same. */
export function RangePicker({ replace = false }: { replace?: boolean }) {
  const navigate = useNavigate()
  const value = useRange()
  const [wasOpened, setWasOpened] = useState(false)
  const event = useEventName(value.event)
  // An event is shown over all time.
  const label = event !== '' && 'span' in value && value.span === 'all' ? event : null
  const choose = (range: Range) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, page: undefined, ...writeRange(range) }),
      resetScroll: false,
      replace,
    })
  const face = (
    <>
      <span className="max-w-[38vw] truncate font-semibold md:max-w-[320px]">
        {label ?? [rangeLabel(value), event].filter(Boolean).join(' · ')}
      </span>
      <ChevronDown size={14} className="text-dim" />
    </>
  )
  return (
    <Popover
      label={t('range.label')}
      face={face}
      className="max-h-[calc(100dvh-16px)] w-[310px] overflow-y-auto"
      onOpen={() => setWasOpened(true)}
    >
      {(close) =>
        wasOpened && (
          <Suspense fallback={<div className="h-80" />}>
            <RangePanel
              value={value}
              onChange={(range) => {
                choose(range)
                close()
              }}
            />
          </Suspense>
        )
      }
    </Popover>
  )
}
