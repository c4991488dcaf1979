import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Mark } from '../../../components/mark.tsx'
import { Button } from '../../../components/button.tsx'
import { countText, share } from '../../../format/numbers.ts'
import { serviceName } from '../../../format/services.ts'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { logsKey, type LogCounts } from './queries.ts'

type LeftOut = LogCounts['leftOut'][number]

interface ServiceTableProps {
  counts: LogCounts
  /** A removal of lines is running. */
  isBusy: boolean
}

const leftReasons = {
  damaged: 'logs.leftDamaged',
  denied: 'logs.leftDenied',
  disk_error: 'logs.leftDiskError',
  missing: 'logs.leftMissing',
  no_answer: 'logs.leftNoAnswer',
  not_a_file: 'logs.leftNoFile',
  too_many: 'logs.leftTooMany',
} as const satisfies Record<LeftOut['reason'], Key>

const leftText = ({ file, reason }: LeftOut) =>
  t('logs.leftOutFile', { file: file ?? t('logs.leftOutFolder'), reason: t(leftReasons[reason]) })

/** Lines in the files by service; one service's lines can be removed from the files. */
export function ServiceTable({ counts, isBusy: isRemoving }: ServiceTableProps) {
  const { datasource, serviceCounts, logsWritable, leftOut } = counts
  const [asked, setAsked] = useState<string | null>(null)
  const { save, isBusy } = useSave({ stale: [logsKey, keys.operations] })
  const rows = Object.entries(serviceCounts).toSorted(([, a], [, b]) => b - a)
  const most = Math.max(1, ...rows.map(([, count]) => count))
  const remove = (service: string) => {
    const where = { datasourceName: datasource }
    setAsked(null)
    save({
      run: () => unwrap(api.logs.datasources(where).services({ service }).delete()),
      done: t('logs.removalStarted', { service: serviceName(service) }),
    })
  }
  return (
    <section aria-label={t('logs.services')} className="border-t border-line pt-3">
      <h3 className="mb-1">{t('logs.services')}</h3>
      <p className="mb-1.5 text-small text-dim">
        {t(rows.length === 0 ? 'logs.noServices' : 'logs.servicesNote')}
        {leftOut.length > 0 && ` ${t('logs.leftOut', { files: leftOut.map(leftText).join(', ') })}`}
      </p>
      <ul>
        {rows.map(([service, count]) => (
          <li key={service} className="border-line py-2 not-last:border-b">
            <div className="flex items-center gap-3">
              <Mark name={serviceName(service)} service={service} />
              <span className="min-w-0 font-medium break-words max-sm:flex-1 sm:w-[120px]">
                {serviceName(service)}
              </span>
              <span aria-hidden="true" className="h-1.5 min-w-0 flex-1 max-sm:hidden">
                <span
                  className="block h-1.5 rounded-bar bg-edge"
                  style={{ width: `${share(count, most)}%` }}
                />
              </span>
              <span className="figure ml-auto text-right sm:w-[90px]">{countText(count)}</span>
              <Button
                className="h-8"
                aria-label={t('logs.removeOf', { service: serviceName(service) })}
                aria-expanded={asked === service}
                disabled={!logsWritable || isBusy || isRemoving}
                onClick={() => setAsked(asked === service ? null : service)}
              >
                {t('logs.remove')}
              </Button>
            </div>
            {asked === service && (
              <div
                role="group"
                aria-label={t('logs.removeOf', { service: serviceName(service) })}
                className="mt-2 rounded-control bg-raise p-3"
              >
                <p className="mb-2.5 max-w-[64ch] text-[13px]">
                  {tn('logs.removeText', count, { service: serviceName(service), datasource })}
                </p>
                <div className="flex flex-wrap gap-2">
                  <Button autoFocus className="border-bad text-bad" onClick={() => remove(service)}>
                    {t('logs.removeLines')}
                  </Button>
                  <Button onClick={() => setAsked(null)}>{t('action.cancel')}</Button>
                </div>
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
