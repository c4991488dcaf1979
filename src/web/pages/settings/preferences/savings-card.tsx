import { useState } from 'react'
import type { Savings } from '../../../../dashboard/savings/model.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useSavings } from '../../../api/queries.ts'
import { useSave, type Saving } from '../../../app/use-save.ts'
import { Card } from '../../../components/card.tsx'
import { Form } from '../../../components/form.tsx'
import { Pending } from '../../../components/notice.tsx'
import { ChoiceSetting } from '../../../components/setting-controls.tsx'
import { Setting } from '../../../components/setting.tsx'
import { countText } from '../../../format/numbers.ts'
import { region, t } from '../../../locales/translate.ts'

/** Line speed and price, with which the overview converts saved bytes; of the installation. */
export function SavingsCard() {
  const { data, error } = useSavings()
  const saving = useSave({ stale: [keys.savings] })
  if (data === undefined) return <Pending error={error} rows={3} />
  const put = (part: Partial<Savings>) => unwrap(api.ext.savings.put({ ...data, ...part }))
  return (
    <Card title={t('savings.title')}>
      <DecimalSetting
        id="savings.line"
        value={data.lineMbitPerSecond}
        unit="Mbit/s"
        range={[0.1, 1_000_000]}
        write={(lineMbitPerSecond) => put({ lineMbitPerSecond })}
        saving={saving}
      />
      <DecimalSetting
        id="savings.price"
        value={data.pricePerGb}
        unit={data.currency}
        range={[0.0001, 10_000]}
        write={(pricePerGb) => put({ pricePerGb })}
        saving={saving}
      />
      <ChoiceSetting
        id="savings.currency"
        value={data.currency}
        options={currencies()}
        write={(currency) => put({ currency })}
        saving={saving}
      />
    </Card>
  )
}

function currencies(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames(region(), { type: 'currency' })
  return Intl.supportedValuesOf('currency').map((value) => {
    const name = names.of(value) ?? value
    return { value, label: name === value ? value : `${value} – ${name}` }
  })
}

interface DecimalSettingProps {
  id: 'line.volume' | 'savings.line' | 'savings.price'
  value: number | null
  unit: string
  range: readonly [least: number, most: number]
  write: (value: number | null) => Promise<unknown>
  saving: Saving
}

/** A number with decimals, or empty for none; saved with Enter or on blur. */
export function DecimalSetting({ id, value, unit, range, write, saving }: DecimalSettingProps) {
  const [least, most] = range
  /** Unsaved input; null shows the stored value. */
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? (value === null ? '' : String(value))
  // A decimal comma is what many keyboards have.
  const number = Number(text.replace(',', '.'))
  const isRight = text === '' || (number >= least && number <= most)
  const save = () => {
    if (typed === null || !isRight) return
    setTyped(null)
    const next = text === '' ? null : number
    if (next !== value) saving.change(write, [next, value])
  }
  const shown = value === null ? t('controls.none') : `${countText(value)} ${unit}`
  const problem = (
    <span role="alert" className="text-bad">
      {t('savings.range', { least: countText(least), most: countText(most) })}
    </span>
  )
  return (
    <Setting id={id} value={shown} state={isRight ? undefined : problem}>
      <Form onSubmit={save} className="flex items-center gap-2">
        <input
          aria-label={`${t(id)} (${unit})`}
          aria-invalid={!isRight}
          inputMode="decimal"
          placeholder={t('controls.none')}
          className="input figure h-[34px] w-[104px] text-right"
          value={text}
          disabled={saving.isBusy}
          onChange={({ target }) => setTyped(target.value.trim())}
          onBlur={save}
        />
        <span aria-hidden="true" className="w-[44px] text-small text-dim">
          {unit}
        </span>
      </Form>
    </Setting>
  )
}
