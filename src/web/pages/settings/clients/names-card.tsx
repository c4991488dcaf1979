import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useHostnames, useHostnameSwitches } from '../../../api/client-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { refusalText } from '../../../api/refusal-text.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Field, verbatim } from '../../../components/field.tsx'
import { Form } from '../../../components/form.tsx'
import { Pending } from '../../../components/notice.tsx'
import { SwitchSetting } from '../../../components/setting-controls.tsx'
import { StateLine } from '../../../components/setting.tsx'
import { t, tn } from '../../../locales/translate.ts'

interface Switches {
  enabled: boolean
  showToGuests: boolean
}

const write = (switches: Switches) => unwrap(api.clients.hostnames.enabled.post(switches))

/** Whether host names are looked up, who sees them, and why some are missing. */
export function NamesCard() {
  const { data, error } = useHostnameSwitches()
  const saving = useSave({ stale: [keys.hostnames, ...keys.reports] })
  const common = { saving, saved: () => t('names.saved') }
  return (
    <Card title={t('names.title')} note={t('names.titleNote')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <>
          <SwitchSetting
            id="names.look"
            state={data.enabled && <NamesState />}
            value={data.enabled}
            write={(enabled) => write({ ...data, enabled })}
            {...common}
          />
          <SwitchSetting
            id="names.guests"
            value={data.showToGuests}
            write={(showToGuests) => write({ ...data, showToGuests })}
            disabled={!data.enabled}
            {...common}
          />
        </>
      )}
      <Lookup />
    </Card>
  )
}

function NamesState() {
  const { data, isFetching } = useHostnames()
  if (data === undefined || !data.enabled || (isFetching && data.reason === 'stillLooking')) {
    return <StateLine tone="quiet">{t('names.reason.stillLooking')}</StateLine>
  }
  const found = Object.keys(data.hostnames).length
  const isWell = data.reason === 'none' || data.reason === 'someUnnamed'
  return (
    <StateLine tone={isWell ? 'good' : 'attention'}>
      {tn('names.found', found)} {t(`names.reason.${data.reason}`)}
    </StateLine>
  )
}

/** Looks up a name's addresses on this network. */
function Lookup() {
  const [name, setName] = useState('')
  const lookup = useMutation({
    mutationFn: (hostname: string) => unwrap(api.clients.hostnames.resolve.post({ hostname })),
  })
  const submit = () => lookup.mutate(name)
  const { data, error, isPending } = lookup
  return (
    <Form onSubmit={submit} className="pt-3">
      <div className="flex items-end gap-2">
        <div className="min-w-0 max-w-[320px] flex-1">
          <Field
            label={t('resolve.label')}
            placeholder={t('resolve.placeholder')}
            {...verbatim}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <Button
          type="submit"
          className="mb-1.5 h-[38px]"
          disabled={isPending || name.trim() === ''}
        >
          {t('resolve.action')}
        </Button>
      </div>
      <div role="status" className="text-small">
        {error !== null && <p className="text-bad">{refusalText(error)}</p>}
        {data !== undefined && data.addresses.length > 0 && (
          <p>
            <span className="text-dim">{data.hostname}: </span>
            <span className="figure">{data.addresses.join(', ')}</span>
          </p>
        )}
        {data !== undefined && data.addresses.length === 0 && (
          <StateLine tone="quiet">
            {data.hostname}: {t(`resolve.reason.${data.reason}`)}
          </StateLine>
        )}
      </div>
    </Form>
  )
}
