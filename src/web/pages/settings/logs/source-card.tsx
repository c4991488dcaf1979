import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { Confirm, Row, StateLine } from '../../../components/setting.tsx'
import { Button } from '../../../components/button.tsx'
import { byteText, countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { logsKey, useLogCounts, type LogPositions } from './queries.ts'
import { ServiceTable } from './service-table.tsx'
import { problemOf, unreadOf } from './unread.ts'

/** One datasource: read position, skipped lines, services and files. */
export function SourceCard({ source }: { source: LogPositions }) {
  const { datasource, logPath } = source
  const { save, isBusy } = useSave({ stale: [logsKey, keys.operations] })
  const { isBusy: isReading } = useJobs(['logProcessing'])
  const { isBusy: isRemoving } = useJobs(['logRemoval'])
  const counts = useLogCounts().data?.find((known) => known.datasource === datasource)
  const one = { datasourceName: datasource }
  const isWritable = counts?.logsWritable === true
  return (
    <Card title={datasource} note={logPath}>
      <Row title={t('logs.readSoFar')} note={<ReadState source={source} />}>
        <Button
          disabled={isBusy || isReading}
          onClick={() =>
            save({
              run: () => unwrap(api.logs.process(one).post()),
              done: t('logs.readingStarted'),
            })
          }
        >
          {t('logs.readNow')}
        </Button>
      </Row>
      <Row title={t('logs.unread')} note={<Unread source={source} />} />
      <Row title={t('logs.position')} note={t('logs.positionNote')}>
        <Confirm
          label={t('logs.toStart')}
          consequence={t('logs.toStartText')}
          isBusy={isBusy}
          disabled={isReading || isRemoving}
          onConfirm={() =>
            save({
              run: () => unwrap(api.logs.position(one).patch({ position: 0 })),
              done: t('logs.atStart'),
            })
          }
        />
        <Confirm
          label={t('logs.toEnd')}
          consequence={t('logs.toEndText')}
          isBusy={isBusy}
          disabled={isReading || isRemoving}
          onConfirm={() =>
            save({ run: () => unwrap(api.logs.position(one).patch({})), done: t('logs.atEnd') })
          }
        />
      </Row>
      <Row
        title={t('logs.file')}
        note={
          counts === undefined || isWritable ? (
            t(source.layout === 'monolithic' ? 'logs.fileNote' : 'logs.filesNote')
          ) : (
            <StateLine tone="attention">
              {t('logs.readOnly')} {t('logs.readOnlyFix', { path: logPath })}
            </StateLine>
          )
        }
      >
        <Confirm
          label={t('logs.deleteFile')}
          consequence={
            source.backlogBytes > 0
              ? t('logs.deleteFileUnread', { bytes: byteText(source.backlogBytes) })
              : t('logs.deleteFileText')
          }
          isBusy={isBusy}
          disabled={!isWritable || isRemoving}
          onConfirm={() =>
            save({
              run: () => unwrap(api.logs.datasources(one).file.delete()),
              done: t('logs.fileDeleted'),
            })
          }
        />
      </Row>
      {counts !== undefined && <ServiceTable counts={counts} isBusy={isRemoving} />}
    </Card>
  )
}

function ReadState({ source }: { source: LogPositions }) {
  const problem = problemOf(source)
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
          <span className="text-text">{problem.title}</span> {problem.remedy}
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
