import { useId, useState } from 'react'
import { useDatasources } from '../../../api/cache-queries.ts'
import { useAddresses } from '../../../api/client-queries.ts'
import { useClientNames } from '../../../api/queries.ts'
import { Card } from '../../../components/card.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Button } from '../../../components/button.tsx'
import { clientName } from '../../../format/clients.ts'
import { t, tn } from '../../../locales/translate.ts'
import { Choice } from '../../../components/choice.tsx'
import { Form } from '../../../components/form.tsx'
import { spans, type DoctorSearch } from './search.ts'

interface AskCardProps {
  search: DoctorSearch
  onChange: (part: DoctorSearch) => void
}

const seenIn = { span: '30d' } as const
const spanText = (minutes: number) =>
  minutes < 60 ? tn('doctor.minutes', minutes) : tn('doctor.hours', minutes / 60)

/** Two starting points: the affected client, or the object. */
export function AskCard({ search, onChange }: AskCardProps) {
  return (
    <div className="mb-3 grid grid-cols-[minmax(0,1fr)] gap-3 lg:grid-cols-2">
      <ByClient search={search} onChange={onChange} />
      <ByAddress onChange={onChange} />
    </div>
  )
}

function ByClient({ search, onChange }: AskCardProps) {
  const [client, setClient] = useState(search.client ?? '')
  const [minutes, setMinutes] = useState(String(search.minutes ?? 60))
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
          options={[{ value: '', label: t('doctor.anyClient') }, ...known]}
          onChange={setClient}
        />
        <Segments
          label={t('doctor.span')}
          value={minutes}
          options={spans.map((span) => ({ value: String(span), label: spanText(span) }))}
          onChange={setMinutes}
        />
        <Button
          className="primary ml-auto h-[34px]"
          onClick={() =>
            onChange({ client: client === '' ? undefined : client, minutes: Number(minutes) })
          }
        >
          {t('doctor.look')}
        </Button>
      </div>
    </Card>
  )
}

function ByAddress({ onChange }: Pick<AskCardProps, 'onChange'>) {
  const id = useId()
  const sources = useDatasources().data?.items ?? []
  const [url, setUrl] = useState('')
  const [source, setSource] = useState<string | null>(null)
  const chosen = source ?? sources[0]?.name
  const submit = () => {
    if (url.trim() === '' || chosen === undefined) return
    onChange({ url: url.trim(), source: chosen, tag: undefined })
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
