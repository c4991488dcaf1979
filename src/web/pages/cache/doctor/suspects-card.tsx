import { useClientNames } from '../../../api/queries.ts'
import { Card } from '../../../components/card.tsx'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { Mark } from '../../../components/mark.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { StateLine } from '../../../components/setting.tsx'
import { Named } from '../../../components/named.tsx'
import { ClientName } from '../../../components/clients/device-icon.tsx'
import { clientName } from '../../../format/clients.ts'
import { countText } from '../../../format/numbers.ts'
import { serviceName } from '../../../format/services.ts'
import { momentText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { objectsOf, type SuspectObject } from './objects.ts'
import { useSuspects, type Suspect } from './queries.ts'
import type { DoctorSearch } from './search.ts'
import { suspectText } from './words.ts'

interface SuspectsCardProps {
  search: DoctorSearch
  onChange: (part: DoctorSearch) => void
}

const slicesMax = 6

/** Numbers of the slices, cut off after a few. */
function slicesText(slices: readonly number[]): string {
  const shown = slices.slice(0, slicesMax).map(countText).join(', ')
  return tn('doctor.missing', slices.length, {
    slices: slices.length > slicesMax ? `${shown} …` : shown,
  })
}

const columnsOf = (names: Record<string, string>): Column<SuspectObject>[] => [
  {
    id: 'mark',
    header: '',
    width: '34px',
    cell: ({ first: { service } }) => <Mark name={serviceName(service)} service={service} />,
  },
  {
    header: t('doctor.object'),
    width: 'minmax(0,1fr)',
    cell: ({ first, slices }) => (
      <Named
        name={first.path}
        note={
          slices.length > 0 ? `${slicesText(slices)} · ${suspectText(first)}` : suspectText(first)
        }
      />
    ),
  },
  {
    header: t('column.client'),
    width: '140px',
    from: 'md',
    cell: ({ clients: [ip = '', ...others] }) =>
      others.length === 0 ? (
        <ClientName ip={ip} name={clientName(ip, null, names)} />
      ) : (
        tn('count.clients', others.length + 1)
      ),
  },
  {
    header: t('doctor.inCache'),
    width: '90px',
    from: 'lg',
    cell: ({ first: { isInIndex } }) => (
      <span className="text-dim">
        {isInIndex === null ? '–' : t(isInIndex ? 'doctor.yes' : 'doctor.no')}
      </span>
    ),
  },
  {
    header: t('doctor.times'),
    width: '70px',
    align: 'end',
    from: 'sm',
    cell: ({ asked }) => <span className="figure">{countText(asked)}</span>,
  },
  {
    header: t('column.seen'),
    width: '110px',
    align: 'end',
    from: 'lg',
    cell: ({ lastSeenUtc }) => (
      <span className="figure text-dim">{momentText(new Date(lastSeenUtc), new Date())}</span>
    ),
  },
]

/** Full URL if the log has the host, so that the same host is fetched again. */
const addressOf = ({ host, url }: Suspect): string =>
  url.startsWith('/') && host !== '' && host !== '-' ? `http://${host}${url}` : url

/** Repeatedly requested objects, most suspicious first. */
export function SuspectsCard({ search, onChange }: SuspectsCardProps) {
  const { data, error, isPlaceholderData, isFetching } = useSuspects(search)
  const names = useClientNames()
  const lines = data?.coverage.reduce((sum, { linesRead }) => sum + linesRead, 0) ?? 0
  const problems = data?.coverage.filter(({ problem, isCut }) => problem !== null || isCut) ?? []
  return (
    <Card
      title={t('doctor.suspects')}
      {...(data === undefined ? {} : { note: tn('doctor.linesRead', lines) })}
    >
      {data === undefined && <Pending error={error} rows={4} />}
      {problems.map(({ datasource, problem }) => (
        <div key={datasource} className="mb-2 text-[13px]">
          <StateLine tone={problem === null ? 'quiet' : 'attention'}>
            {datasource}: {problem ?? t('doctor.isCut')}
          </StateLine>
        </div>
      ))}
      {data !== undefined && data.suspects.length === 0 && (
        <Notice tone="good" title={t('doctor.noSuspects')} className="py-10">
          {`${tn('doctor.linesRead', lines)}. ${t('doctor.noSuspectsText')}`}
        </Notice>
      )}
      {data !== undefined && data.suspects.length > 0 && (
        <div className="-mx-[18px] -mb-[18px] border-t border-line">
          <DataList
            label={t('doctor.suspects')}
            columns={columnsOf(names)}
            rows={objectsOf(data.suspects)}
            rowKey={({ key }) => key}
            isOld={isPlaceholderData || isFetching}
            onOpen={({ first }) =>
              onChange({ url: addressOf(first), source: first.datasource, tag: first.tag })
            }
          />
        </div>
      )}
    </Card>
  )
}
