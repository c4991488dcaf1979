import { getRouteApi, Link } from '@tanstack/react-router'
import {
  useAddresses,
  useClientGroups,
  useClientReport,
  useExclusions,
  useHostnames,
} from '../../api/client-queries.ts'
import { useIsAccount, useGames, useDevices } from '../../api/queries.ts'
import { useClientTraffic } from '../../api/report-queries.ts'
import { Refusal } from '../../api/refusal.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { writeRange, type Range } from '../../app/range.ts'
import { useRange } from '../../app/use-address.ts'
import { useNow } from '../../app/clock.ts'
import { Card, Notice, NoticeCard, Pending, Trouble, Waiting, Row } from '../../components/card.tsx'
import { Figure, Time } from '../../components/figures.tsx'
import { FlowCard } from '../../components/flow/flow-card.tsx'
import { HourStrip } from '../../components/hour-strip.tsx'
import { AllTime, explain, Total, Totals } from '../../components/totals.tsx'
import { byteText, countText, rateAmount } from '../../format/numbers.ts'
import { agoText, browserZone, timeText } from '../../format/times.ts'
import { useSpeeds } from '../../live/store.ts'
import { t } from '../../locales/translate.ts'
import { DownloadsList } from '../../components/downloads/list.tsx'
import { isName } from '../../app/clients/draft.ts'
import { groupOf } from '../../app/clients/membership.ts'
import { countingsOf } from '../../app/clients/counting.ts'
import { shortName } from '../../app/clients/tree.ts'
import { RankedList } from '../../components/ranking.tsx'
import { gameRow } from '../../app/game-shares.ts'
import {
  GroupChoice,
  NamePencil,
  CountingChoice,
  DeviceChoice,
} from '../../components/clients/client-controls.tsx'
import { DeviceIcon } from '../../components/clients/device-icon.tsx'

const route = getRouteApi('/clients/$ip')
type Report = ReturnType<typeof useClientReport>

const numbers = {
  bytes: 'client.period.totalBytes',
  downloads: 'client.period.totalDownloads',
  ratio: 'client.period.cacheHitPercent',
} as const
const columns =
  'mb-3 grid grid-cols-[minmax(0,1fr)] gap-3 lg:grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)]'

const isNoAddress = (error: Error | null): boolean =>
  error instanceof Refusal && error.status === 400

const titleOf = (name: string, nickname: string | undefined, isOwnName: boolean): string => {
  if (nickname === undefined) return name
  return isOwnName ? nickname : `${name} · ${nickname}`
}

/** One client: identity, current and past traffic, games and downloads. */
export function Page() {
  const { ip } = route.useParams()
  const isAccount = useIsAccount()
  const range = useRange()
  const report = useClientReport(ip)
  const traffic = useClientTraffic(ip, range)
  const hostname = useHostnames().data?.hostnames[ip] ?? report.data?.hostname ?? null
  const name = shortName(hostname ?? undefined) ?? ip
  const group = groupOf(useClientGroups().data, ip)
  const nickname = group?.nickname ?? report.data?.group?.nickname
  return (
    <PageFrame
      title={titleOf(name, nickname, group !== null && isName(group))}
      back={{ to: '/clients', label: t('nav.clients') }}
      tools={<RangePicker />}
    >
      {!isAccount ? (
        <Alone title={t('trouble.forbidden')}>{t('trouble.forbiddenText')}</Alone>
      ) : isNoAddress(report.error) ? (
        <Alone title={t('client.noAddress')}>{t('client.noAddressText')}</Alone>
      ) : report.data === null ? (
        <div className={columns}>
          <Unknown ip={ip} />
          <IdentityCard ip={ip} name={name} hostname={hostname} />
        </div>
      ) : (
        <>
          <RangeTotals ip={ip} range={range} />
          <div className={columns}>
            <FlowCard title={t('client.traffic')} traffic={traffic.data} />
            <IdentityCard ip={ip} name={name} hostname={hostname} />
            <GamesCard ip={ip} range={range} />
            <Hours traffic={traffic} />
          </div>
          <Ever report={report} />
          <DownloadsList fixed={{ client: ip }} />
        </>
      )}
    </PageFrame>
  )
}

function Alone({ title, children }: { title: string; children: string }) {
  return <NoticeCard title={title}>{children}</NoticeCard>
}

/** Shown for clients without downloads and for hidden ones. */
function Unknown({ ip }: { ip: string }) {
  const rules = useExclusions().data?.rules
  const isHidden = countingsOf(rules ?? []).get(ip) === 'hide'
  return (
    <div className="card flex">
      <Notice title={t(isHidden ? 'client.hidden' : 'client.none')} className="flex-1 py-16">
        {t(isHidden ? 'client.hiddenText' : 'client.noneText')}
      </Notice>
    </div>
  )
}

/** Sums of the range. */
function RangeTotals({ ip, range }: { ip: string; range: Range }) {
  const { data, error } = useAddresses(range)
  const speed = useSpeeds()?.clientSpeeds.find(({ clientIp }) => clientIp === ip)
  const stats = data?.find(({ clientIp }) => clientIp === ip)
  if (error !== null && data === undefined) {
    return (
      <div className="card mb-3 p-5">
        <Trouble error={error} />
      </div>
    )
  }
  return (
    <Totals
      label={t('client.totals')}
      cached={stats?.totalCacheHitBytes ?? 0}
      fetched={stats?.totalCacheMissBytes ?? 0}
      downloads={stats?.totalDownloads ?? 0}
      explained={{ range }}
      numbers={numbers}
      isLoading={data === undefined}
    >
      <Total name={t('lead.now')}>
        <Figure amount={rateAmount(speed?.bytesPerSecond ?? 0)} className="live-figure" />
      </Total>
    </Totals>
  )
}

type ClientTraffic = ReturnType<typeof useClientTraffic>

/** The hours of the day in which this client downloads. */
function Hours({ traffic: { data, error } }: { traffic: ClientTraffic }) {
  const hours = data?.hoursOfDay ?? []
  const peak = hours.toSorted((a, b) => b.servedBytes - a.servedBytes)[0]
  const isEmpty = peak === undefined || peak.servedBytes === 0
  const zone = data?.timeZone
  const isForeign = zone !== undefined && zone !== browserZone()
  return (
    <Card
      title={t('client.hours')}
      note={isForeign ? t('client.hoursZone', { zone }) : t('client.hoursNote')}
    >
      {data === undefined && <Pending error={error} rows={1} />}
      {data !== undefined && isEmpty && <Notice title={t('hours.none')} className="py-3" />}
      {data !== undefined && !isEmpty && (
        <>
          <HourStrip hours={hours.map(({ hour, servedBytes }) => ({ hour, bytes: servedBytes }))} />
          <p className="mt-2 text-small text-dim">
            {t('client.hoursPeak', {
              from: timeText(`${peak.hour}:00`),
              to: timeText(`${(peak.hour + 1) % 24}:00`),
              bytes: byteText(peak.servedBytes),
            })}
          </p>
        </>
      )}
    </Card>
  )
}

/** Figures independent of the range. */
function Ever({ report: { data } }: { report: Report }) {
  const now = useNow(60_000)
  if (data === null || data === undefined) return null
  return (
    <AllTime of="client" totals={data.totals}>
      <Total {...explain('client.games', t('client.games'))}>{countText(data.games)}</Total>
      <Total {...explain('client.averageBytesPerSecond', t('client.speed'))}>
        <Figure amount={rateAmount(data.averageBytesPerSecond)} />
      </Total>
      <Total {...explain('client.firstSeenUtc', t('client.first'))}>
        <Time at={data.firstSeenUtc} now={now} />
      </Total>
      <Total {...explain('client.lastSeenUtc', t('client.last'))}>
        <Time at={data.lastSeenUtc} now={now} text={agoText} />
      </Total>
    </AllTime>
  )
}

const shownMax = 6

/** The games of this client, by bytes. */
export function GamesCard({ ip, range }: { ip: string; range: Range }) {
  const query = { Client: ip, Sort: 'largest', Page: 1, PageSize: shownMax } as const
  const { data, error } = useGames(query, range)
  const all = (
    <Link
      to="/downloads"
      search={{ ...writeRange(range), client: ip, group: 'game', sort: 'largest' }}
      className="hover:text-text"
    >
      {t('games.all')} ›
    </Link>
  )
  return (
    <Card
      title={t('client.games')}
      note={t('client.gamesNote')}
      action={data !== undefined && data.totalItems > shownMax ? all : undefined}
    >
      {data === undefined && <Pending error={error} rows={4} />}
      {data?.items.length === 0 && <Notice title={t('client.gamesNone')} />}
      <RankedList rows={(data?.items ?? []).map((row) => gameRow(row, range))} />
    </Card>
  )
}

interface IdentityCardProps {
  ip: string
  name: string
  hostname: string | null
}

/** Host name, group and counting of a client. */
export function IdentityCard({ ip, name, hostname }: IdentityCardProps) {
  const groups = useClientGroups().data
  const rules = useExclusions().data?.rules
  const basis = useDevices().data?.find(({ clientIp }) => clientIp === ip)?.basis
  const held = groupOf(groups, ip)
  const group = held === null || isName(held) ? null : held
  const now = countingsOf(rules ?? []).get(ip) ?? 'counted'
  if (groups === undefined || rules === undefined) {
    return (
      <Card title={t('client.who')}>
        <Waiting rows={3} />
      </Card>
    )
  }
  return (
    <Card title={t('client.who')}>
      <Row title={t('client.address')}>
        <span className="figure flex min-w-0 items-center gap-2 wrap-anywhere">
          <DeviceIcon ip={ip} />
          {ip}
        </span>
      </Row>
      {group === null && (
        <Row title={t('client.name')}>
          {held === null ? (
            <span className="text-dim">{t('client.noOwnName')}</span>
          ) : (
            <span>{held.nickname}</span>
          )}
          <NamePencil ip={ip} />
        </Row>
      )}
      <Row title={t('client.hostname')}>
        {hostname === null ? (
          <Link to="/settings/clients" className="py-0.5 text-dim hover:text-text">
            {t('client.noName')} ›
          </Link>
        ) : (
          <span className="break-all">{hostname}</span>
        )}
      </Row>
      <Row title={t('client.device')} note={t(deviceNotes[basis ?? 'none'])}>
        <DeviceChoice ip={ip} name={name} />
      </Row>
      <Row
        title={t('client.group')}
        note={
          <Link
            to="/settings/clients"
            search={{ open: group === null ? 'new' : String(group.id) }}
            className="link"
          >
            {t(group === null ? 'group.create' : 'client.editGroup')}
          </Link>
        }
      >
        <GroupChoice ip={ip} name={name} groups={groups} />
      </Row>
      <Row title={t('client.counting')} note={t(notes[now])}>
        <CountingChoice ip={ip} name={name} counting={now} />
      </Row>
    </Card>
  )
}

const deviceNotes = {
  chosen: 'device.byChoice',
  name: 'device.byName',
  services: 'device.byServices',
  none: 'device.byNothing',
} as const

const notes = {
  counted: 'counting.countedNote',
  exclude: 'counting.excludeNote',
  hide: 'counting.hideNote',
} as const
