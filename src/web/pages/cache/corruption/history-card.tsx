import { X } from 'lucide-react'
import { api, unwrap } from '../../../api/eden.ts'
import { useNow } from '../../../app/use-now.ts'
import { Card } from '../../../components/card.tsx'
import { Dot } from '../../../components/figures.tsx'
import { Notice, Waiting } from '../../../components/notice.tsx'
import { countText } from '../../../format/numbers.ts'
import { momentText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { corruptionKey, type Method, type Scan } from './queries.ts'
import type { CorruptionSearch } from './search.ts'

interface HistoryCardProps {
  scans: readonly Scan[] | undefined
  /** The displayed scan. */
  shown: string | undefined
  onChange: (part: CorruptionSearch) => void
}

const methods: readonly Method[] = ['structural', 'repeated_miss']

/** The last three scans of each method; their findings can be viewed again. */
export function HistoryCard({ scans, shown, onChange }: HistoryCardProps) {
  return (
    <Card title={t('corruption.history')} note={t('corruption.historyNote')}>
      {scans === undefined && <Waiting rows={2} />}
      {scans !== undefined && scans.length === 0 && (
        <Notice title={t('corruption.never')} className="py-4" />
      )}
      <div className="grid gap-x-8 gap-y-4 lg:grid-cols-2">
        {methods.map((method) => {
          const own = (scans ?? []).filter((scan) => scan.method === method)
          if (own.length === 0) return null
          return (
            <section key={method} className="min-w-0">
              <h3 className="mb-1 text-small font-medium text-dim">
                {t(method === 'structural' ? 'corruption.structural' : 'corruption.missed')}
              </h3>
              <ul>
                {own.map((scan) => (
                  <Past key={scan.id} scan={scan} isShown={scan.id === shown} onChange={onChange} />
                ))}
              </ul>
            </section>
          )
        })}
      </div>
    </Card>
  )
}

interface PastProps {
  scan: Scan
  isShown: boolean
  onChange: (part: CorruptionSearch) => void
}

function Past({ scan, isShown, onChange }: PastProps) {
  const { save, isBusy } = useSave({ stale: [corruptionKey] })
  const now = useNow(60_000)
  const time = momentText(new Date(scan.completedAt), now)
  const open = () =>
    onChange({
      method: scan.method === 'repeated_miss' ? 'missed' : undefined,
      scan: scan.isCurrent ? undefined : scan.id,
      service: undefined,
      open: undefined,
    })
  return (
    <li className="flex items-center gap-3 border-line py-1.5 not-last:border-b">
      <Dot tone={scan.total === 0 ? 'good' : scan.isCurrent ? 'attention' : 'quiet'} />
      <button
        type="button"
        aria-pressed={isShown}
        onClick={open}
        className="figure flex min-h-6 min-w-0 flex-1 flex-wrap items-center gap-x-2.5 text-left text-[13px] hover:underline"
      >
        <span className="font-medium">{time}</span>
        <span>
          {scan.total === 0
            ? t('corruption.foundNone')
            : `${countText(scan.total)} · ${tn('corruption.inServices', Object.keys(scan.counts).length)}`}
        </span>
        <span className="text-dim">
          {t(scan.isCurrent ? 'corruption.isCurrent' : 'corruption.isPast')}
        </span>
      </button>
      <button
        type="button"
        className="rounded-control p-2 text-dim hover:text-text"
        aria-label={t('corruption.forget', { time })}
        title={t('corruption.forget', { time })}
        disabled={isBusy}
        onClick={() =>
          save({
            run: () => unwrap(api.cache.corruption.history({ scanId: scan.id }).delete()),
            done: t('corruption.forgotten'),
            after: () => onChange({ scan: undefined, open: undefined }),
          })
        }
      >
        <X size={14} />
      </button>
    </li>
  )
}
