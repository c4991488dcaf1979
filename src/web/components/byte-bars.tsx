import { clsx } from 'clsx'
import { useState } from 'react'
import { byteText } from '../format/numbers.ts'
import { clockText, dayText } from '../format/times.ts'
import { t } from '../locales/translate.ts'

export interface BytesOfSpan {
  /** Start of the span. */
  at: Date
  cached: number
  fetched: number
}

interface ByteBarsProps {
  spans: readonly BytesOfSpan[]
  /** Length of one span. */
  minutes: number
  label: string
}

const dayMinutes = 1440
/** Marks on the time axis. */
const marks = 5

/** Bytes per span as stacked bars: cached below fetched. */
export function ByteBars({ spans, minutes, label }: ByteBarsProps) {
  const [shown, setShown] = useState<number | null>(null)
  const most = Math.max(1, ...spans.map(({ cached, fetched }) => cached + fetched))
  // The service's days are UTC days; their middle falls on the same local day almost everywhere.
  const textOf = (at: Date) =>
    minutes >= dayMinutes ? dayText(new Date(at.getTime() + minutes * 30_000)) : clockText(at)
  const height = (bytes: number) => `${(bytes / most) * 100}%`
  const under = shown === null ? undefined : spans[shown]
  const step = Math.max(1, Math.ceil(spans.length / marks))
  return (
    <figure aria-label={label} className="flex min-h-[212px] flex-1 flex-col">
      <p className="figure mb-1 flex h-5 justify-between gap-3 text-tiny text-dim">
        <span>{byteText(most)}</span>
        {under !== undefined && (
          <span className="text-text">
            {textOf(under.at)}: {byteText(under.cached + under.fetched)}
          </span>
        )}
      </p>
      <ol
        className="flex min-h-[140px] flex-1 items-stretch gap-[2px] border-y border-line sm:gap-[3px]"
        onPointerLeave={() => setShown(null)}
      >
        {spans.map(({ at, cached, fetched }, index) => {
          const text = t('bytes.composition', {
            cached: byteText(cached),
            fetched: byteText(fetched),
            percent: `${Math.round((cached / Math.max(1, cached + fetched)) * 100)} %`,
          })
          return (
            <li
              key={at.getTime()}
              title={`${textOf(at)}: ${text}`}
              onPointerEnter={() => setShown(index)}
              className={clsx(
                'flex min-w-0 flex-1 flex-col justify-end gap-px',
                index === shown && 'bg-raise',
              )}
            >
              <span className="sr-only">
                {textOf(at)}: {text}
              </span>
              <span
                className="rounded-t-[2px] bg-fetched opacity-75"
                style={{ height: height(fetched) }}
              />
              <span className="bg-cache" style={{ height: height(cached) }} />
            </li>
          )
        })}
      </ol>
      <div aria-hidden="true" className="figure relative mt-1.5 h-4 text-tiny text-dim">
        {spans.map(({ at }, index) =>
          index % step === Math.floor(step / 2) ? (
            <span
              key={at.getTime()}
              className="absolute -translate-x-1/2 whitespace-nowrap"
              style={{ left: `${((index + 0.5) / spans.length) * 100}%` }}
            >
              {textOf(at)}
            </span>
          ) : null,
        )}
      </div>
    </figure>
  )
}
