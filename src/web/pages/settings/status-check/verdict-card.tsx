import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useNow } from '../../../app/use-now.ts'
import { useSave } from '../../../app/use-save.ts'
import { Card } from '../../../components/card.tsx'
import { Facts } from '../../../components/facts.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { Row, StateLine } from '../../../components/setting.tsx'
import { countText, percentText } from '../../../format/numbers.ts'
import { sinceText } from '../../../format/since.ts'
import { t } from '../../../locales/translate.ts'
import { faultsOf, type Fault } from './faults.ts'
import type { Result, State } from './queries.ts'

/** Names of a fault that are listed. */
const namesMax = 8

/** Whether DNS leads to the cache, what is wrong, and what to do about it. */
export function VerdictCard({ state }: { state: State }) {
  const { lastResult } = state
  const faults = lastResult === null ? [] : faultsOf(lastResult)
  return (
    <Card title={t('statusCheck.verdict')}>
      <Verdict result={lastResult} faults={faults} />
      {faults.map((fault) => (
        <FaultLine key={fault.id} fault={fault} />
      ))}
      {lastResult !== null && <Figures result={lastResult} />}
    </Card>
  )
}

function Verdict({ result, faults }: { result: Result | null; faults: Fault[] }) {
  const now = useNow(30_000)
  const { running } = useJobs(['statusCheck'])
  const saving = useSave({ stale: [keys.statusCheck, keys.operations] })
  const job = running[0]
  const isFine = faults.every(({ id }) => id === 'blocked')
  const time = result === null ? '' : sinceText(new Date(result.completedAtUtc), now)
  return (
    <Row
      title={t(verdictKey(result, isFine))}
      note={
        job === undefined ? (
          <StateLine tone={result === null ? 'quiet' : isFine ? 'good' : 'attention'}>
            {result === null ? t('statusCheck.never') : t('statusCheck.last', { time })}
          </StateLine>
        ) : (
          <StateLine tone="good">
            {t('statusCheck.running')} · {percentText(job.percentComplete)}
          </StateLine>
        )
      }
    >
      <Action
        label={t('statusCheck.run')}
        run={() => unwrap(api['status-check'].run.post())}
        saving={saving}
        disabled={job !== undefined}
      />
    </Row>
  )
}

const verdictKey = (result: Result | null, isFine: boolean) => {
  if (result === null) return 'statusCheck.unknown'
  if (isFine) return 'statusCheck.fine'
  return result.summary.resolvedDomains === 0 ? 'statusCheck.broken' : 'statusCheck.partly'
}

function FaultLine({ fault: { id, names } }: { fault: Fault }) {
  const known = names.filter((name) => name !== '')
  const rest = known.length - namesMax
  return (
    <div className="border-b border-line py-3 last:border-b-0">
      <StateLine tone={id === 'blocked' ? 'quiet' : 'attention'}>
        {t(`statusCheck.fault.${id}`)}
      </StateLine>
      <p className="mt-1 text-small text-dim">{t(`statusCheck.remedy.${id}`)}</p>
      {known.length > 0 && (
        <p className="figure mt-1 text-small break-words text-dim">
          {known.slice(0, namesMax).join(', ')}
          {rest > 0 && ` ${t('statusCheck.more', { count: countText(rest) })}`}
        </p>
      )}
    </div>
  )
}

function Figures({ result }: { result: Result }) {
  const { summary, heartbeat, avgLatencyMs, dnsServer, expectedCacheIps } = result
  return (
    <div className="pt-3">
      <Facts
        facts={[
          [
            t('statusCheck.domains'),
            t('statusCheck.ofDomains', {
              count: countText(summary.resolvedDomains),
              total: countText(summary.totalDomains),
            }),
          ],
          [t('statusCheck.dnsServer'), dnsServer ?? t('statusCheck.systemDns')],
          [t('statusCheck.cacheAddress'), expectedCacheIps.join(', ')],
          [t('statusCheck.heartbeat'), heartbeat.servedBy ?? t('statusCheck.fault.noCache')],
          [
            t('statusCheck.latency'),
            avgLatencyMs === null ? null : t('statusCheck.ms', { ms: countText(avgLatencyMs) }),
          ],
        ]}
      />
    </div>
  )
}
