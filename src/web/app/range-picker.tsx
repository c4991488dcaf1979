import { ChevronDown } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useEventName } from '../api/event-queries.ts'
import { Popover } from '../components/popover.tsx'
import { periodText } from '../format/times.ts'
import { t } from '../locales/translate.ts'
import type { Range } from './range.ts'
import { lazyPart } from './lazy-part.ts'

const RangePanel = lazyPart(async () => (await import('./range-panel.tsx')).RangePanel, 'reports')

interface RangePickerProps {
  value: Range
  onChange: (range: Range) => void
}

export function rangeLabel(range: Range): string {
  if ('span' in range) return t(`range.span.${range.span}`)
  return periodText(new Date(range.from * 1000), new Date(range.to * 1000), new Date())
}

/** The page's time range; part of the URL, so a link shows the same. */
export function RangePicker({ value, onChange }: RangePickerProps) {
  const [wasOpened, setWasOpened] = useState(false)
  const event = useEventName(value.event)
  // An event is shown over all time.
  const label = event !== '' && 'span' in value && value.span === 'all' ? event : null
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
                onChange(range)
                close()
              }}
            />
          </Suspense>
        )
      }
    </Popover>
  )
}
