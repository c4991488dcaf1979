import { t, tn } from '../../../locales/translate.ts'
import { GateNote } from '../gate-note.tsx'
import { useGates } from '../use-gates.ts'
import { useStaleAfter } from '../../../app/use-jobs.ts'
import { ObjectView } from './object-view.tsx'
import { spans } from '../integrity/search.ts'
import { useIntegrity } from '../integrity/use-integrity.ts'
import { doctorKey, useSuspects, type Suspect } from './queries.ts'
import { useId, useState } from 'react'
import { useDatasources } from '../../../api/cache-queries.ts'
import { useAddresses } from '../../../api/client-queries.ts'
import { useClientNames } from '../../../api/queries.ts'
import { Card, Notice, Pending, StateLine } from '../../../components/card.tsx'
import { Segments, Button, Choice, Form, optionsOf } from '../../../components/form-controls.tsx'
import { clientName, serviceName } from '../../../format/services.ts'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { Mark } from '../../../components/artwork.tsx'
import { Named } from '../../../components/figures.tsx'
import { ClientName } from '../../../components/clients/device-icon.tsx'
import { countText } from '../../../format/numbers.ts'
import { momentText } from '../../../format/times.ts'
import { objectsOf, type SuspectObject } from './objects.ts'
import { suspectText } from './words.ts'

const stale = [[...doctorKey, 'object']]

/** Diagnoses a hanging download: finds the object, shows its slices and fetches it again. */
export function ObjectCheck() {
  const { search } = useIntegrity()
  const gates = useGates()
  useStaleAfter(['corruptionRemoval'], stale)
  const isObject = search.url !== undefined && search.source !== undefined
  return (
    <>
      <GateNote gates={gates.keys} consequence={t('corruption.gateSearch')} />
      {isObject ? (
        <ObjectView key={`${search.source} ${search.url}`} />
      ) : (
        <>
          {/* Two starting points: the affected client, or the object. */}
          <div className="mb-3 grid grid-cols-[minmax(0,1fr)] gap-3 lg:grid-cols-2">
            <ByClient />
            <ByAddress />
          </div>
          {search.minutes !== undefined && <SuspectsCard />}
        </>
      )}
    </>
  )
}

const seenIn = { span: '30d' } as const
const spanText = (minutes: number) =>
  minutes < 60 ? tn('doctor.minutes', minutes) : tn('doctor.hours', minutes / 60)

function ByClient() {
  const { search, change } = useIntegrity()
  const [client, setClient] = useState(search.client)
  const [minutes, setMinutes] = useState(search.minutes ?? 60)
  const addresses = useAddresses(seenIn).data ?? []
  const names = useClientNames()
  const known = addresses.map(({ clientIp }) => ({
    value: clientIp,
    label: clientName(clientIp, null, names),
  }))
  return (
    <Card title={t('doctor.byClient')}>
      <p className="mb-3 max-w-[64ch] text-[13px] text-dim">{t('doctor.byClientText')}</p>
      <div className="mt-auto flex flex-wrap items-center gap-2">
        <Choice
          label={t('column.client')}
          value={client}
          options={[{ value: undefined, label: t('doctor.anyClient') }, ...known]}
          onChange={setClient}
        />
        <Segments
          label={t('doctor.span')}
          value={minutes}
          options={optionsOf(spans, spanText)}
          onChange={setMinutes}
        />
        <Button className="primary ml-auto h-[34px]" onClick={() => change({ client, minutes })}>
          {t('doctor.look')}
        </Button>
      </div>
    </Card>
  )
}

function ByAddress() {
  const { change } = useIntegrity()
  const id = useId()
  const sources = useDatasources().data?.items ?? []
  const [url, setUrl] = useState('')
  const [source, setSource] = useState<string | null>(null)
  const chosen = source ?? sources[0]?.name
  const submit = () => {
    if (url.trim() === '' || chosen === undefined) return
    change({ url: url.trim(), source: chosen, tag: undefined })
  }
  return (
    <Card title={t('doctor.byAddress')}>
      <p id={id} className="mb-3 max-w-[64ch] text-[13px] text-dim">
        {t('doctor.byAddressText')}
      </p>
      <Form onSubmit={submit} className="mt-auto flex flex-wrap items-center gap-2">
        <input
          aria-label={t('doctor.address')}
          aria-describedby={id}
          className="input h-[34px] min-w-[200px] flex-1"
          placeholder="http://…/depot/…/chunk/…"
          spellCheck={false}
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        {sources.length > 1 && chosen !== undefined && (
          <Choice
            label={t('doctor.source')}
            value={chosen}
            options={sources.map(({ name }) => ({ value: name, label: name }))}
            onChange={setSource}
          />
        )}
        <Button type="submit" className="primary h-[34px]" disabled={url.trim() === ''}>
          {t('doctor.open')}
        </Button>
      </Form>
    </Card>
  )
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
function SuspectsCard() {
  const { search, change } = useIntegrity()
  const { data, error, isPlaceholderData, isFetching } = useSuspects(search)
  const names = useClientNames()
  const lines = data?.coverage.reduce((sum, { linesRead }) => sum + linesRead, 0) ?? 0
  const problems = data?.coverage.filter(({ problem, isCut }) => problem !== null || isCut) ?? []
  return (
    <Card title={t('doctor.suspects')} note={data && tn('doctor.linesRead', lines)}>
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
              change({ url: addressOf(first), source: first.datasource, tag: first.tag })
            }
          />
        </div>
      )}
    </Card>
  )
}
