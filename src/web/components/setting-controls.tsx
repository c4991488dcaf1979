import { clsx } from 'clsx'
import { useState, type ReactNode } from 'react'
import type { ControlId } from '../app/controls.ts'
import type { Saving } from '../app/use-save.ts'
import { countText } from '../format/numbers.ts'
import { t } from '../locales/translate.ts'
import { Button, Choice, Form, Segments, Switch } from './form-controls.tsx'
import { Confirm, Setting } from './setting.tsx'

/** A stored setting: what it is now, and how another value is stored. Undo stores the old one. */
interface Stored<Value> {
  id: ControlId
  value: Value
  write: (value: Value) => Promise<unknown>
  /** Of all settings that are stored together, so that only one of them changes at a time. */
  saving: Saving
  /** The default, where it depends on the installation. */
  standard?: Value
  /** Toast after a change, in place of "Saved". */
  saved?: (value: Value) => string
  /** The current state, as far as the control does not show it. */
  state?: ReactNode
  disabled?: boolean
}

export const onOff = (isOn: boolean): string => t(isOn ? 'controls.on' : 'controls.off')

export const SwitchSetting = (props: Stored<boolean>) => {
  const { id, value, write, saving, standard, saved, state, disabled = false } = props
  return (
    <Setting
      id={id}
      value={onOff(value)}
      standard={standard === undefined ? undefined : onOff(standard)}
      state={state}
    >
      <Switch
        isOn={value}
        disabled={saving.isBusy || disabled}
        onChange={(next) => saving.change(write, [next, value], saved?.(next))}
      />
    </Setting>
  )
}

interface ChoiceSettingProps<Value> extends Stored<Value> {
  options: readonly { value: NoInfer<Value>; label: string }[]
  /** Side by side instead of a list: for a few short ones. */
  isFlat?: boolean
  /** Further controls of the setting. */
  children?: ReactNode
}

/** One of several values; a stored one that is not offered is shown as it is. */
export function ChoiceSetting<Value extends string | number | boolean | null>(
  props: ChoiceSettingProps<Value>,
) {
  const { id, value, write, saving, options, standard, saved, state, children } = props
  const { isFlat = false, disabled = false } = props
  const Control = isFlat ? Segments : Choice
  const labelOf = (wanted: Value) =>
    options.find((option) => option.value === wanted)?.label ?? String(wanted)
  const choose = (text: string) => {
    const chosen = options.find((option) => String(option.value) === text)
    if (chosen !== undefined) saving.change(write, [chosen.value, value], saved?.(chosen.value))
  }
  return (
    <Setting
      id={id}
      value={labelOf(value)}
      standard={standard === undefined ? undefined : labelOf(standard)}
      state={state}
    >
      <Control
        value={String(value)}
        options={options.map((option) => ({ value: String(option.value), label: option.label }))}
        disabled={saving.isBusy || disabled}
        onChange={choose}
      />
      {children}
    </Setting>
  )
}

interface NumberSettingProps extends Stored<number> {
  known: readonly number[]
  text: (value: number) => string
}

/** One of some numbers; the stored one, which may come from elsewhere, is among them. */
export const NumberSetting = ({ known, text, ...stored }: NumberSettingProps) => (
  <ChoiceSetting
    {...stored}
    options={[...new Set([...known, stored.value])]
      .toSorted((a, b) => a - b)
      .map((value) => ({ value, label: text(value) }))}
  />
)

interface AmountSettingProps extends Stored<number | null> {
  unit: string
  range: readonly [least: number, most: number]
  isDecimal?: boolean
}

/** A number, or empty for none; saved with Enter or on blur. */
export function AmountSetting(props: AmountSettingProps) {
  const { id, value, write, saving, saved, state, unit, isDecimal = false } = props
  const [least, most] = props.range
  /** Unsaved input; null shows the stored value. */
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? String(value ?? '')
  // A decimal comma is what many keyboards have.
  const number = Number(text.replace(',', '.'))
  const isInRange = number >= least && number <= most
  const isRight = text === '' || (isInRange && (isDecimal || Number.isInteger(number)))
  const save = () => {
    if (typed === null || !isRight) return
    setTyped(null)
    const next = text === '' ? null : number
    if (next !== value) saving.change(write, [next, value], saved?.(next))
  }
  const none = t(isDecimal ? 'controls.none' : 'logs.never')
  const problem = (
    <span role="alert" className="text-bad">
      {isDecimal
        ? t('savings.range', { least: countText(least), most: countText(most) })
        : t('logs.amountRange', { max: most })}
    </span>
  )
  return (
    <Setting
      id={id}
      value={value === null ? none : `${countText(value)} ${unit}`}
      state={isRight ? state : problem}
    >
      <Form onSubmit={save} className="flex items-center gap-2">
        <input
          aria-label={`${t(id)} (${unit})`}
          aria-invalid={!isRight}
          inputMode={isDecimal ? 'decimal' : 'numeric'}
          placeholder={none}
          className="input figure h-[34px] w-[104px] text-right"
          value={text}
          disabled={saving.isBusy}
          onChange={({ target }) => setTyped(target.value.trim())}
          onBlur={save}
        />
        <span
          aria-hidden="true"
          className={clsx('text-small text-dim', isDecimal ? 'w-[44px]' : 'w-[34px]')}
        >
          {unit}
        </span>
      </Form>
    </Setting>
  )
}

interface ActionProps {
  label: string
  run: () => Promise<unknown>
  saving: Saving
  /** Toast on success. */
  done?: string | undefined
  /** For what can't be undone: it is shown and has to be confirmed. */
  consequence?: string
  /** What confirms it, where that says more than the label. */
  action?: string
  disabled?: boolean
  /** Called on success. */
  after?: () => void
}

/** A button that starts something. */
export function Action({ label, run, saving, done, disabled, after, ...confirm }: ActionProps) {
  const { consequence, action = label } = confirm
  const { save, isBusy } = saving
  const act = () => save({ run, done, after })
  return consequence === undefined ? (
    <Button disabled={isBusy || disabled === true} onClick={act}>
      {label}
    </Button>
  ) : (
    <Confirm
      label={label}
      action={action}
      consequence={consequence}
      isBusy={isBusy}
      disabled={disabled === true}
      onConfirm={act}
    />
  )
}
