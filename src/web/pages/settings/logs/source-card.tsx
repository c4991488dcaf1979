import { api, unwrap, keys } from '../../../api/client.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { logProblems, useRemedies } from '../../../app/remedies.ts'
import { Card, Row, StateLine } from '../../../components/card.tsx'
import { Mark } from '../../../components/artwork.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { byteText, countText, share } from '../../../format/numbers.ts'
import { serviceName } from '../../../format/services.ts'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { logsKey, useLogCounts, type LogCounts, type LogPositions } from './queries.ts'

/** One datasource: read position, skipped lines, services and files. */
export function SourceCard({ source }: { source: LogPositions }) {
  const { datasource, logPath } = source
  const { isBusy: isReading } = useJobs(['logProcessing'])
  const { isBusy: isRemoving } = useJobs(['logRemoval'])
  const counts = useLogCounts().data?.find((known) => known.datasource === datasource)
  const one = { datasourceName: datasource }
  const isWritable = counts?.logsWritable === true
  const remedyText = useRemedies()
  return (
    <Card stale={[logsKey, keys.operations]} title={datasource} note={logPath}>
      <Row title={t('logs.readSoFar')} note={<ReadState source={source} />}>
        <Action
          label={t('logs.readNow')}
          run={() => unwrap(api.logs.process(one).post())}
          done={t('logs.readingStarted')}
          disabled={isReading}
        />
      </Row>
      <Row title={t('logs.unread')} note={<Unread source={source} />} />
      <Row title={t('logs.position')} note={t('logs.positionNote')}>
        <Action
          label={t('logs.toStart')}
          consequence={t('logs.toStartText')}
          run={() => unwrap(api.logs.position(one).patch({ position: 0 }))}
          done={t('logs.atStart')}
          disabled={isReading || isRemoving}
        />
        <Action
          label={t('logs.toEnd')}
          consequence={t('logs.toEndText')}
          run={() => unwrap(api.logs.position(one).patch({}))}
          done={t('logs.atEnd')}
          disabled={isReading || isRemoving}
        />
      </Row>
      <Row
        title={t('logs.file')}
        note={
          counts === undefined || isWritable ? (
            t(source.layout === 'monolithic' ? 'logs.fileNote' : 'logs.filesNote')
          ) : (
            <StateLine tone="quiet">
              {t('logs.readOnly')} {remedyText('logs.readOnlyFix', { path: logPath })}
            </StateLine>
          )
        }
      >
        <Action
          label={t('logs.deleteFile')}
          consequence={
            source.backlogBytes > 0
              ? t('logs.deleteFileUnread', { bytes: byteText(source.backlogBytes) })
              : t('logs.deleteFileText')
          }
          run={() => unwrap(api.logs.datasources(one).file.delete())}
          done={t('logs.fileDeleted')}
          disabled={!isWritable || isRemoving}
        />
      </Row>
      {counts !== undefined && <ServiceTable counts={counts} isBusy={isRemoving} />}
    </Card>
  )
}

function ReadState({ source }: { source: LogPositions }) {
  const remedyText = useRemedies()
  const problem = source.problem === 'none' ? null : logProblems[source.problem]
  const { position, totalLines, totalLinesPartial, backlogBytes, sourceCount } = source
  const lines = t(totalLinesPartial ? 'logs.linesAtLeast' : 'logs.lines', {
    done: countText(position),
    total: countText(totalLines),
  })
  const files = tn('logs.files', sourceCount)
  return (
    <>
      {problem === null ? (
        <StateLine tone={backlogBytes > 0 ? 'quiet' : 'good'}>
          {backlogBytes > 0
            ? t('logs.backlog', { bytes: byteText(backlogBytes) })
            : t('logs.allRead')}
        </StateLine>
      ) : (
        <StateLine tone="attention">
          <span className="text-text">{t(problem.label)}</span>{' '}
          {remedyText(problem.remedy, { path: source.logPath })}
        </StateLine>
      )}
      <span className="figure block">
        {lines} · {files}
      </span>
    </>
  )
}

function Unread({ source }: { source: LogPositions }) {
  const reasons = unreadOf(source)
  const { filesWithErrors } = source
  if (reasons.length === 0 && filesWithErrors.length === 0) {
    return <StateLine tone="good">{t('logs.allUnderstood')}</StateLine>
  }
  return (
    <ul className="mt-1 space-y-0.5">
      {reasons.map(({ label, count }) => (
        <li key={label} className="flex gap-3">
          <span className="figure text-text">{countText(count)}</span>
          <span>{label}</span>
        </li>
      ))}
      {filesWithErrors.map((name) => (
        <li key={name} className="break-all">
          <StateLine tone="attention">{t('logs.damagedFile', { name })}</StateLine>
        </li>
      ))}
    </ul>
  )
}

type LeftOut = LogCounts['leftOut'][number]

interface ServiceTableProps {
  counts: LogCounts
  /** A removal of lines is running. */
  isBusy: boolean
}

const leftText = ({ file, reason }: LeftOut) =>
  t('logs.leftOutFile', { file: file ?? t('logs.leftOutFolder'), reason: t(`logs.left.${reason}`) })

/** Lines in the files by service; one service's lines can be removed from the files. */
function ServiceTable({ counts, isBusy: isRemoving }: ServiceTableProps) {
  const { datasource, serviceCounts, logsWritable, leftOut } = counts
  const rows = Object.entries(serviceCounts).toSorted(([, a], [, b]) => b - a)
  const most = Math.max(1, ...rows.map(([, count]) => count))
  const { services } = api.logs.datasources({ datasourceName: datasource })
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
            <div className="flex flex-wrap items-center gap-3">
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
              <Action
                label={t('logs.remove')}
                name={t('logs.removeOf', { service: serviceName(service) })}
                action={t('logs.removeLines')}
                consequence={tn('logs.removeText', count, {
                  service: serviceName(service),
                  datasource,
                })}
                run={() => unwrap(services({ service }).delete())}
                done={t('logs.removalStarted', { service: serviceName(service) })}
                disabled={!logsWritable || isRemoving}
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Why lines were not counted, most important first. */
const reasons = [
  ['unparsedLines', 'logs.unparsed'],
  ['invalidEncodingLines', 'logs.encoding'],
  ['overlongLines', 'logs.overlong'],
  ['impossibleTimeLines', 'logs.impossibleTime'],
  ['impossibleCountLines', 'logs.impossibleCount'],
  ['hintlessHttpDetailedLines', 'logs.hintless'],
  ['skippedFallbackLines', 'logs.fallback'],
  ['ignoredLines', 'logs.ignored'],
  ['incompleteFinalRecords', 'logs.incomplete'],
] as const satisfies readonly (readonly [counter: keyof LogPositions, label: Key])[]

type Counter = (typeof reasons)[number][0]

const unreadOf = (source: Pick<LogPositions, Counter>): { label: string; count: number }[] =>
  reasons.flatMap(([counter, label]) =>
    source[counter] > 0 ? [{ label: t(label), count: source[counter] }] : [],
  )
