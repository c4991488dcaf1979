import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { reasonText } from '../../../api/refusal-text.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useNow } from '../../../app/clock.ts'
import { Button, Field, Form, optionsOf } from '../../../components/form-controls.tsx'
import { Card, Pending, Problem, Row, StateLine } from '../../../components/card.tsx'
import { Facts, type Tone } from '../../../components/figures.tsx'
import { Action, ChoiceSetting } from '../../../components/setting-controls.tsx'
import { Table } from '../../../components/table.tsx'
import { countText, percentText } from '../../../format/numbers.ts'
import { serviceName } from '../../../format/services.ts'
import { sinceText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { useStatusCheck, type Result, type State } from './queries.ts'
import { DomainState, ServicesCard } from './services-card.tsx'
import { useJobs } from '../../../app/use-jobs.ts'
import { faultsOf, type Fault } from './faults.ts'

/** Whether the network's DNS leads clients to the cache. */
export function Page() {
  const { data, error } = useStatusCheck()
  return (
    <SettingsPage title={t('settings.status-check')}>
      {data === undefined && <Pending error={error} rows={6} />}
      {data !== undefined && (
        <>
          <VerdictCard state={data} />
          {data.lastResult !== null && <ServicesCard result={data.lastResult} />}
          {data.lastResult !== null && <ContentCard result={data.lastResult} />}
          <SingleCard />
          <SourceCard state={data} />
        </>
      )}
    </SettingsPage>
  )
}

const testDomain = (domain: string) => unwrap(api['status-check']['test-domain'].post({ domain }))
type Data = Awaited<ReturnType<typeof testDomain>>

/** One domain of the operator's choice. */
function SingleCard() {
  const [domain, setDomain] = useState('')
  const test = useMutation({ mutationFn: testDomain })
  return (
    <Card title={t('statusCheck.single')} note={t('statusCheck.singleNote')}>
      <Form onSubmit={() => test.mutate(domain)} className="flex flex-wrap items-end gap-2">
        <div className="min-w-[240px] flex-1">
          <Field
            label={t('statusCheck.domain')}
            value={domain}
            placeholder="lancache.steamcontent.com"
            onChange={(event) => setDomain(event.target.value)}
          />
        </div>
        <Button type="submit" className="mb-1.5" disabled={domain.trim() === '' || test.isPending}>
          {t('statusCheck.test')}
        </Button>
      </Form>
      <Problem error={test.error} className="mt-2" />
      {test.data !== undefined && <Tested data={test.data} />}
    </Card>
  )
}

const heartbeatText = ({ servedBy }: NonNullable<Data['heartbeat']>) =>
  servedBy ?? t('statusCheck.fault.noCache')

function Tested({ data: { result, heartbeat } }: { data: Data }) {
  const { edgeProbe, latencyMs } = result
  return (
    <div className="mt-3">
      <DomainState domain={result} />
      <div className="pt-2">
        <Facts
          facts={[
            [t('statusCheck.addresses'), result.resolvedIps.join(', ')],
            [t('statusCheck.expected'), result.expectedIps.join(', ')],
            [t('statusCheck.heartbeat'), heartbeat === null ? null : heartbeatText(heartbeat)],
            [
              t('statusCheck.latency'),
              latencyMs === null ? null : t('statusCheck.ms', { ms: countText(latencyMs) }),
            ],
            [
              t('statusCheck.origin'),
              edgeProbe === null ? null : t(`statusCheck.protocol.${edgeProbe.protocolStatus}`),
            ],
          ]}
        />
      </div>
    </div>
  )
}

const modes = ['auto', 'bridge', 'host'] as const

/** Where the domains come from, and where their resolver is searched for. */
function SourceCard({ state }: { state: State }) {
  const { resolverMode, domainsSource } = state
  const refresh = () => unwrap(api['status-check']['refresh-domains'].post())
  return (
    <Card stale={[keys.statusCheck]} title={t('statusCheck.basis')}>
      <ChoiceSetting
        id="statusCheck.mode"
        isFlat
        state={t(`statusCheck.modeNote.${resolverMode}`)}
        value={resolverMode}
        options={optionsOf(modes, (mode) => t(`statusCheck.mode.${mode}`))}
        write={(mode) => unwrap(api['status-check']['resolver-mode'].post({ mode }))}
      />
      <Row title={t('statusCheck.list')} note={<Source source={domainsSource} />}>
        {!domainsSource.noFetch && <Action label={t('statusCheck.refresh')} run={refresh} />}
      </Row>
    </Card>
  )
}

function Source({ source }: { source: State['domainsSource'] }) {
  const now = useNow(30_000)
  const { repoUrl, branch, fetchedAtUtc, noFetch, error } = source
  const age =
    fetchedAtUtc === null
      ? t('statusCheck.shipped')
      : t('statusCheck.fetched', { time: sinceText(new Date(fetchedAtUtc), now) })
  return (
    <>
      <p className="wrap-anywhere">
        {repoUrl} ({branch}) · {age}
        {noFetch && ` · ${t('statusCheck.noFetch')}`}
      </p>
      {error !== null && (
        <StateLine tone="quiet">
          {t('statusCheck.listError', { reason: reasonText(error) })}
        </StateLine>
      )}
    </>
  )
}

type Path = Result['contentReport']['paths'][number]

const tones: Record<Path['protocolStatus'], Tone> = {
  notRun: 'quiet',
  bothUsable: 'good',
  httpUsable: 'good',
  httpsOnlyCandidate: 'attention',
  inconclusive: 'quiet',
}

/** Whether content that clients downloaded over HTTP still comes over HTTP. */
function ContentCard({ result: { contentReport } }: { result: Result }) {
  const { availability, paths } = contentReport
  return (
    <Card title={t('statusCheck.content')} note={t('statusCheck.contentNote')}>
      {availability !== 'available' && (
        <p className="text-small text-dim">{t(`statusCheck.samples.${availability}`)}</p>
      )}
      {paths.length > 0 && (
        <Table
          label={t('statusCheck.content')}
          head={[t('statusCheck.service'), t('statusCheck.host'), t('statusCheck.state')]}
        >
          {paths.map((path) => (
            <tr key={`${path.service} ${path.host}`} className="border-b border-line align-top">
              <td className="py-1.5 pr-3">{serviceName(path.service)}</td>
              <td className="py-1.5 pr-3 break-all">{path.host}</td>
              <td className="py-1.5">
                <StateLine tone={tones[path.protocolStatus]}>
                  {t(`statusCheck.protocol.${path.protocolStatus}`)}
                  {path.protocolReason === 'dohUnavailable' && `: ${t('statusCheck.noPublicDns')}`}
                </StateLine>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}

/** Names of a fault that are listed. */
const namesMax = 8

/** Whether DNS leads to the cache, what is wrong, and what to do about it. */
function VerdictCard({ state }: { state: State }) {
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
  const job = running[0]
  const isFine = faults.every(({ id }) => id === 'blocked')
  const time = result === null ? '' : sinceText(new Date(result.completedAtUtc), now)
  return (
    <Row
      stale={[keys.statusCheck, keys.operations]}
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
