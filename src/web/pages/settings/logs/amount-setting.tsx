import { useState, type FormEvent, type ReactNode } from 'react'
import type { ControlId } from '../../../app/controls.ts'
import { Setting } from '../../../components/setting.tsx'
import { t } from '../../../locales/translate.ts'

interface AmountSettingProps {
  id: ControlId
  state?: ReactNode
  unit: string
  /** Null: disabled. */
  value: number | null
  max: number
  isBusy: boolean
  onChange: (value: number | null) => void
}

/** A whole number or empty; saved with Enter or on blur. */
export function AmountSetting(props: AmountSettingProps) {
  const { id, state, unit, value, max, isBusy, onChange } = props
  const shown = value === null ? '' : String(value)
  /** Unsaved input; null shows the stored value. */
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? shown
  const number = Number(text)
  const isRight = text === '' || (Number.isInteger(number) && number >= 1 && number <= max)
  const save = (event?: FormEvent) => {
    event?.preventDefault()
    if (typed === null || !isRight) return
    setTyped(null)
    if (text !== shown) onChange(text === '' ? null : number)
  }
  return (
    <Setting
      id={id}
      state={
        isRight ? (
          state
        ) : (
          <span role="alert" className="text-bad">
            {t('logs.amountRange', { max })}
          </span>
        )
      }
    >
      <form onSubmit={save} className="flex items-center gap-2">
        <input
          aria-label={`${t(id)} (${unit})`}
          aria-invalid={!isRight}
          inputMode="numeric"
          placeholder={t('logs.never')}
          className="input figure h-[34px] w-[104px] text-right"
          value={text}
          disabled={isBusy}
          onChange={({ target }) => setTyped(target.value.trim())}
          onBlur={() => save()}
        />
        <span aria-hidden="true" className="w-[34px] text-small text-dim">
          {unit}
        </span>
      </form>
    </Setting>
  )
}
