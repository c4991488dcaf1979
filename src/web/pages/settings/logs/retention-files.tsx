import type { LogRetentionReason } from '../../../../engines/logs/log-retention/log-retention-reasons.ts'
import { Dot } from '../../../components/figures.tsx'
import { Table } from '../../../components/table.tsx'
import { byteText, countText } from '../../../format/numbers.ts'
import { momentText } from '../../../format/times.ts'
import { useNow } from '../../../app/use-now.ts'
import { t, tn, type Key } from '../../../locales/translate.ts'
import type { LogRetentionFile, LogRetentionSource } from './queries.ts'

const actions: Record<LogRetentionFile['action'], { now: Key; dry: Key }> = {
  none: { now: 'logs.actionNone', dry: 'logs.actionNone' },
  rotate: { now: 'logs.actionRotate', dry: 'logs.dryRotate' },
  compress: { now: 'logs.actionCompress', dry: 'logs.dryCompress' },
  delete: { now: 'logs.actionDelete', dry: 'logs.dryDelete' },
}

const reasons: Readonly<Record<string, Key>> = {
  copyOrTooShort: 'logs.whyCopy',
  notToItsEnd: 'logs.whyNotToItsEnd',
  notShipped: 'logs.whyNotShipped',
  skippedRanges: 'logs.whySkipped',
  unfinishedLine: 'logs.whyUnfinished',
  unknownForm: 'logs.whyUnknownForm',
  unreadable: 'logs.whyUnreadable',
} satisfies Record<LogRetentionReason, Key>

/** Whether a file was counted completely, in words. */
function stateText({ isCurrent, isSafeToDelete, reason, reasonKey }: LogRetentionFile): string {
  const key = reasonKey === null ? undefined : reasons[reasonKey]
  if (key !== undefined) return t(key)
  if (reason !== null) return reason
  if (isCurrent) return t('logs.isCurrent')
  return t(isSafeToDelete ? 'logs.isSafe' : 'logs.notSafe')
}

/** A datasource's log files: what was counted, and what the settings do with them. */
export function LogRetentionFiles({ source, isOn }: { source: LogRetentionSource; isOn: boolean }) {
  const now = useNow(60_000)
  const { datasource, files } = source
  return (
    <section className="border-t border-line pt-3">
      <h3 className="mb-1.5 flex flex-wrap gap-x-2.5">
        {datasource}
        <span className="figure text-dim">
          {tn('logs.files', files.length)} · {byteText(source.bytes)}
        </span>
      </h3>
      {files.length > 0 && (
        <Table
          label={datasource}
          head={[
            t('logs.columnFile'),
            t('logs.columnSize'),
            t('logs.columnCounted'),
            t(isOn ? 'logs.columnNext' : 'logs.columnDry'),
          ]}
          ends={[1]}
          className="min-w-[520px]"
        >
          {files.map((file) => (
            <tr key={file.name} className="border-line align-top not-last:border-b">
              <td className="py-1.5 pr-3">
                <span className="block">{file.name}</span>
                <span className="block text-small text-dim">
                  {momentText(new Date(file.modifiedAt), now)}
                </span>
              </td>
              <td className="py-1.5 pr-3 text-right whitespace-nowrap">{byteText(file.bytes)}</td>
              <td className="py-1.5 pr-3">
                <span className="flex items-center gap-2">
                  <Dot tone={file.isSafeToDelete ? 'good' : 'quiet'} />
                  {stateText(file)}
                </span>
                {file.uncounted.length > 0 && (
                  <span className="block text-small text-dim">
                    {tn('logs.uncounted', file.uncounted.length)}{' '}
                    {file.uncounted
                      .slice(0, 3)
                      .map(({ fromByte, toByte }) =>
                        t('logs.byteRange', {
                          from: countText(fromByte),
                          to: toByte === null ? t('logs.itsEnd') : countText(toByte),
                        }),
                      )
                      .join(', ')}
                  </span>
                )}
              </td>
              <td className={file.action === 'none' ? 'py-1.5 text-dim' : 'py-1.5 font-medium'}>
                {t(actions[file.action][isOn ? 'now' : 'dry'])}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
