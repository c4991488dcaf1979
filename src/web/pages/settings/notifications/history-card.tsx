import { api } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead } from '../../../api/queries.ts'
import { reasonText } from '../../../api/refusal-text.ts'
import { useNow } from '../../../app/use-now.ts'
import { Card } from '../../../components/card.tsx'
import { Dot } from '../../../components/figures.tsx'
import { Nothing, Pending } from '../../../components/notice.tsx'
import { Time } from '../../../components/time.tsx'
import { t } from '../../../locales/translate.ts'
import { refreshMs } from './queries.ts'

/** The last notifications: when, about what, to whom, and how each ended. */
export function HistoryCard() {
  const read = api.ext.notifications.history.get
  const key = [...keys.notifications, 'history']
  const { data, error } = useAccountRead(key, read, { refetchInterval: refreshMs })
  const now = useNow(30_000)
  return (
    <Card title={t('notify.history')} note={t('notify.historyNote')}>
      {data === undefined && <Pending error={error} rows={3} />}
      {data?.entries.length === 0 && <Nothing title={t('notify.neverSent')} />}
      <ol aria-label={t('notify.history')} className="divide-y divide-line">
        {data?.entries.map(({ atUtc, kind, title, target, error: reason }) => (
          <li key={`${atUtc} ${target} ${title}`} className="flex gap-2.5 py-2.5">
            <span className="mt-[7px] flex flex-none">
              <Dot tone={reason === null ? 'good' : 'bad'} />
            </span>
            <span className="min-w-0 flex-1 wrap-anywhere">
              {title}
              <span className="block text-small text-dim">
                {t(`notify.about.${kind}`)} · {target} ·{' '}
                {reason === null
                  ? t('notify.delivered')
                  : t('notify.givenUp', { reason: reasonText(reason) })}
              </span>
            </span>
            <Time at={atUtc} now={now} className="text-small text-dim" />
          </li>
        ))}
      </ol>
    </Card>
  )
}
