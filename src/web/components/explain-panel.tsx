import { Link } from '@tanstack/react-router'
import type { ExampleRow, Explanation } from '../../api/downloads/explain/model.ts'
import { api } from '../api/eden.ts'
import { scopeQuery, useClientNames, useIsAccount, useRead } from '../api/queries.ts'
import { useEventName } from '../api/event-queries.ts'
import { rangeKey } from '../app/range.ts'
import { useNow } from '../app/use-now.ts'
import { clientName } from '../format/clients.ts'
import { byteText, countText, percentLead, rateText } from '../format/numbers.ts'
import { serviceName } from '../format/services.ts'
import { durationText, fullMomentText, momentText } from '../format/times.ts'
import { t, tn, type Key } from '../locales/translate.ts'
import { SidePanel } from './side-panel.tsx'
import type { Explained } from './explained.ts'
import { formulaKeys, sourceKeys } from './explain-texts.ts'
import { Composition } from './figures.tsx'
import { Mark } from './mark.tsx'
import { Pending } from './notice.tsx'
import { Named } from './named.tsx'
import { keys } from '../api/keys.ts'

const reasonLabels: Record<Explanation['excluded'][number]['reason'], Key> = {
  prefill: 'explain.prefill',
  hiddenClients: 'explain.hidden',
  excludedClients: 'explain.excluded',
  outsideRange: 'explain.outside',
}

function useExplanation({ number, range, client, service, game, download }: Explained) {
  // What is not part of the question must not stand in the address.
  const about = {
    ...(client === undefined ? {} : { client }),
    ...(service === undefined ? {} : { service }),
    ...(game === undefined ? {} : { game }),
    ...(download === undefined ? {} : { download }),
  }
  return useRead(
    [...keys.batch, 'explain', number, range === undefined ? '' : rangeKey(range), about],
    (asking) => {
      const query = { ...(range === undefined ? {} : scopeQuery(range)), ...about }
      return api.ext.explain({ number }).get({ query, ...asking })
    },
  )
}

const texts: Partial<Record<Explanation['unit'], (value: number) => string>> = {
  bytes: byteText,
  bytesPerSecond: rateText,
  ratio: (value) => `${percentLead(value * 100)} %`,
  percent: (value) => `${percentLead(value)} %`,
  seconds: durationText,
  days: (value) => `${countText(Math.floor(value))} ${tn('unit.days', Math.floor(value))}`,
  bytesPerDay: (value) => t('explain.perDay', { bytes: byteText(value) }),
}

function valueText({ value, unit }: Explanation): string {
  if (value === null) return '–'
  if (typeof value === 'string') {
    return unit === 'instant' ? fullMomentText(new Date(value)) : serviceName(value)
  }
  return texts[unit]?.(value) ?? countText(value)
}

interface ExplainPanelProps {
  explained: Explained
  onClose: () => void
}

export function ExplainPanel({ explained, onClose }: ExplainPanelProps) {
  const { data, error } = useExplanation(explained)
  return (
    <SidePanel title={explained.name} isOpen onClose={onClose}>
      {data === undefined ? <Pending error={error} rows={5} /> : <Known explanation={data} />}
    </SidePanel>
  )
}

function Known({ explanation }: { explanation: Explanation }) {
  const { formula, source, excluded, rows, value, unit } = explanation
  const formulaKey = formulaKeys[formula]
  const sourceKey = sourceKeys[source]
  const left = excluded.filter(({ count }) => count > 0)
  return (
    <div className="space-y-5">
      <div>
        <p className="figure text-[26px] leading-8 font-bold tracking-tight">
          {valueText(explanation)}
        </p>
        {typeof value === 'number' && unit === 'bytes' && (
          <p className="figure text-small text-dim">
            {t('explain.exactly', { bytes: countText(value) })}
          </p>
        )}
      </div>
      <dl className="space-y-3">
        <Fact name={t('explain.formula')}>
          {formulaKey === undefined ? formula : t(formulaKey)}
        </Fact>
        <Fact name={t('explain.source')}>{sourceKey === undefined ? source : t(sourceKey)}</Fact>
        <Fact name={t('explain.range')}>
          <RangeText range={explanation.range} />
        </Fact>
        {excluded.length > 0 && (
          <Fact name={t('explain.leftOut')}>
            {left.length === 0 ? (
              t('explain.nothingLeftOut')
            ) : (
              <ul>
                {left.map(({ reason, count }) => (
                  <li key={reason} className="flex justify-between gap-4">
                    <span>{t(reasonLabels[reason])}</span>
                    <span className="figure text-dim">{tn('count.downloads', count)}</span>
                  </li>
                ))}
              </ul>
            )}
          </Fact>
        )}
      </dl>
      {rows.length > 0 && (
        <section aria-label={t('explain.rows')}>
          <h3 className="mb-1 text-small text-dim">{t('explain.rows')}</h3>
          <ul>
            {rows.map((row, index) => (
              // Sums have no id; the list is never changed in place.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={row.downloadId ?? index} className="border-line not-last:border-b">
                <Row row={row} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-small text-dim">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function RangeText({ range }: { range: Explanation['range'] }) {
  const now = useNow(60_000)
  const event = useEventName(range.eventId ?? undefined)
  const { kind, startTimeUtc, endTimeUtc } = range
  const moment = (at: string | null) => (at === null ? '…' : momentText(new Date(at), now))
  const times =
    startTimeUtc === null && endTimeUtc === null
      ? t(kind === 'now' ? 'explain.now' : 'explain.always')
      : `${moment(startTimeUtc)} – ${moment(endTimeUtc)}`
  return <span className="figure">{event === '' ? times : `${times} · ${event}`}</span>
}

function Row({ row }: { row: ExampleRow }) {
  const now = useNow(60_000)
  const names = useClientNames()
  const isAccount = useIsAccount()
  const { downloadId, clientIp, service, gameName, atUtc, hitBytes, missBytes, servedBytes } = row
  const client = clientIp === null ? null : clientName(clientIp, null, names)
  const title = gameName ?? (service === null ? (client ?? '–') : serviceName(service))
  const at = atUtc === null ? null : momentText(new Date(atUtc), now)
  const line = (
    <>
      {service !== null && <Mark name={title} service={service} />}
      <span className="min-w-0 flex-1">
        <Named
          name={title}
          note={[client === title ? null : client, at].filter(Boolean).join(' · ')}
        />
      </span>
      <span className="w-[88px] flex-none text-right">
        <span className="figure block">{byteText(servedBytes)}</span>
        <Composition cached={hitBytes} fetched={missBytes} className="mt-1" />
      </span>
    </>
  )
  const className = 'flex items-center gap-3 py-2.5'
  if (downloadId !== null) {
    return (
      <Link to="/downloads/$id" params={{ id: String(downloadId) }} className={className}>
        {line}
      </Link>
    )
  }
  if (service === null && clientIp !== null && isAccount) {
    return (
      <Link to="/clients/$ip" params={{ ip: clientIp }} className={className}>
        {line}
      </Link>
    )
  }
  return <div className={className}>{line}</div>
}
