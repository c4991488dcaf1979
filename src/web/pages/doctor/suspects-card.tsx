import { useClientNames } from '../../api/queries.ts'
import { Card } from '../../components/card.tsx'
import { DataList, type Column } from '../../components/data-list.tsx'
import { Mark } from '../../components/mark.tsx'
import { Notice, Pending } from '../../components/notice.tsx'
import { StateLine } from '../../components/setting.tsx'
import { Named } from '../../components/named.tsx'
import { clientName } from '../../format/clients.ts'
import { countText } from '../../format/numbers.ts'
import { serviceName } from '../../format/services.ts'
import { momentText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'
import { useSuspects, type Suspect } from './queries.ts'
import type { DoctorSearch } from './search.ts'
import { suspectText } from './words.ts'

interface SuspectsCardProps {
  search: DoctorSearch
  onChange: (part: DoctorSearch) => void
}

const columnsOf = (names: Record<string, string>): Column<Suspect>[] => [
  {
    id: 'mark',
    header: '',
    width: '34px',
    cell: ({ service }) => <Mark name={serviceName(service)} service={service} />,
  },
  {
    header: t('doctor.object'),
    width: 'minmax(0,1fr)',
    cell: (suspect) => <Named name={suspect.path} note={suspectText(suspect)} />,
  },
  {
    header: t('column.client'),
    width: '140px',
    from: 'md',
    cell: ({ client }) => clientName(client, null, names),
  },
  {
    header: t('doctor.inCache'),
    width: '90px',
    from: 'lg',
    cell: ({ isInIndex }) => (
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
          <StateLine tone="attention">
            {datasource}: {problem ?? t('doctor.isCut')}
          </StateLine>
        </div>
      ))}
      {data !== undefined && data.suspects.length === 0 && (
        <Notice tone="good" title={t('doctor.noSuspects')} className="py-10">
          {t('doctor.noSuspectsText')}
        </Notice>
      )}
      {data !== undefined && data.suspects.length > 0 && (
        <div className="-mx-[18px] -mb-[18px] border-t border-line">
          <DataList
            label={t('doctor.suspects')}
            columns={columnsOf(names)}
            rows={data.suspects}
            rowKey={({ datasource, client, tag, path, slice }) =>
              [datasource, client, tag, path, slice].join(' ')
            }
            isOld={isPlaceholderData || isFetching}
            onOpen={(suspect) =>
              onChange({ url: addressOf(suspect), source: suspect.datasource, tag: suspect.tag })
            }
          />
        </div>
      )}
    </Card>
  )
}
