import { clsx } from 'clsx'
import { useState, type ReactNode, useEffect, useRef } from 'react'
import { type ControlId, defaultText } from '../app/controls.ts'
import type { Saving } from '../app/use-save.ts'
import { countText } from '../format/numbers.ts'
import { t } from '../locales/translate.ts'
import {
  Button,
  Choice,
  Form,
  Segments,
  Switch,
  numberOptions,
  type Choosable,
} from './form-controls.tsx'
import { useSaving, line, Sides } from './card.tsx'
import { useLocation } from '@tanstack/react-router'
import { useIsShown } from './settled.tsx'

interface SettingProps {
  id: ControlId
  /** The current value in words: without it, or when it differs, the default is shown. */
  value?: string
  /** The default, where it depends on the installation; null: of the entries below, each its own. */
  standard?: string | null | undefined
  /** The current state, as far as the control does not show it. */
  state?: ReactNode
  /** The control; without it the settings of the rows below. */
  children?: ReactNode
}

/** Scrolls to the setting that the address names, and focuses its control. */
function useWanted(id: ControlId) {
  const place = useRef<HTMLDivElement>(null)
  // The key differs for each visit, so a setting that is wanted again is shown again.
  const visit = useLocation({ select: ({ hash, state }) => (hash === id ? state.__TSR_key : null) })
  const isShown = useIsShown()
  useEffect(() => {
    if (
      visit === null ||
      !isShown ||
      place.current !== document.querySelector(`[data-setting="${id}"]`)
    )
      return
    place.current?.scrollIntoView({ block: 'center' })
    const control = place.current?.querySelector<HTMLElement>('button, select, input')
    control?.focus({ preventScroll: true })
  }, [visit, id, isShown])
  return { place, isWanted: visit !== null }
}

/** Whether the address names one of these settings, which are shown on demand. */
export const useIsWanted = (ids: readonly ControlId[]): boolean =>
  useLocation({ select: ({ hash }) => ids.some((id) => id === hash) })

/**
 * A setting with its effect, its control, and its default where another value is chosen; `controls`
 * lists all of them.
 */
export function Setting({ id, value, standard = defaultText(id), state, children }: SettingProps) {
  const { place, isWanted } = useWanted(id)
  const note = (
    <>
      {t(`${id}.effect`)}{' '}
      {standard !== null && value !== standard && (
        <span className="inline-block">{t('controls.default', { value: standard })}</span>
      )}
      {state !== undefined && <div className="mt-0.5">{state}</div>}
    </>
  )
  return (
    <div
      ref={place}
      data-setting={id}
      className={clsx(line, isWanted && 'rounded-control outline-2 outline-offset-4 outline-edge')}
    >
      <Sides title={t(id)} note={note}>
        {children}
      </Sides>
    </div>
  )
}

/** A stored value: what it is now, and how another one is stored. Undo stores the old one. */
interface SavedProps<Value> {
  value: Value
  write: (value: Value) => Promise<unknown>
  /** Where it is not that of the card or row. */
  saving?: Saving
  /** Toast after a change, in place of "Saved". */
  saved?: (value: Value) => string
  /** Omitted where the title of its row is the label. */
  label?: string
  disabled?: boolean
}

interface Stored<Value> extends SavedProps<Value> {
  id: ControlId
  /** The default, where it depends on the installation. */
  standard?: Value
  /** The current state, as far as the control does not show it. */
  state?: ReactNode
}

export const onOff = (isOn: boolean): string => t(isOn ? 'controls.on' : 'controls.off')

/** A switch whose state is stored at once. */
export function SavedSwitch({ value, write, saving, saved, label, disabled }: SavedProps<boolean>) {
  const { change, isBusy } = useSaving(saving)
  return (
    <Switch
      label={label}
      isOn={value}
      disabled={isBusy || disabled === true}
      onChange={(next) => change(write, [next, value], saved?.(next))}
    />
  )
}

export const SwitchSetting = ({ id, standard, state, ...stored }: Stored<boolean>) => (
  <Setting
    id={id}
    value={onOff(stored.value)}
    standard={standard === undefined ? undefined : onOff(standard)}
    state={state}
  >
    <SavedSwitch {...stored} />
  </Setting>
)

interface Offered<Value> {
  options: readonly { value: NoInfer<Value>; label: string }[]
  /** Side by side instead of a list: for a few short ones. */
  isFlat?: boolean
}

/** One of several values, stored at once. */
export function SavedChoice<Value extends Choosable>(props: SavedProps<Value> & Offered<Value>) {
  const { value, write, options, saved, label, isFlat = false, disabled = false } = props
  const { change, isBusy } = useSaving(props.saving)
  const Control = isFlat ? Segments : Choice
  return (
    <Control
      label={label}
      value={value}
      options={options}
      disabled={isBusy || disabled}
      onChange={(next) => change(write, [next, value], saved?.(next))}
    />
  )
}

interface ChoiceSettingProps<Value> extends Stored<Value>, Offered<Value> {
  /** Further controls of the setting. */
  children?: ReactNode
}

/** One of several values; a stored one that is not offered is shown as it is. */
export function ChoiceSetting<Value extends Choosable>(props: ChoiceSettingProps<Value>) {
  const { id, standard, state, children, ...stored } = props
  const labelOf = (wanted: Value) =>
    stored.options.find((option) => option.value === wanted)?.label ?? String(wanted)
  return (
    <Setting
      id={id}
      value={labelOf(stored.value)}
      standard={standard === undefined ? undefined : labelOf(standard)}
      state={state}
    >
      <SavedChoice {...stored} />
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
  <ChoiceSetting {...stored} options={numberOptions(known, stored.value, text)} />
)

interface AmountSettingProps extends Stored<number | null> {
  unit: string
  range: readonly [least: number, most: number]
  isDecimal?: boolean
}

/** A number, or empty for none; saved with Enter or on blur. */
export function AmountSetting(props: AmountSettingProps) {
  const { id, value, write, saved, state, unit, isDecimal = false } = props
  const saving = useSaving(props.saving)
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

interface ConfirmProps {
  label: string
  /** For screen readers, where several have the same label. */
  name?: string | undefined
  /** The second click, where the label is short for it. */
  action?: string
  /** One sentence: what will be deleted. */
  consequence: string
  isBusy?: boolean
  disabled?: boolean
  onConfirm: () => void
}

/** For actions that can't be undone: the first click shows the consequence, the second acts. */
export function Confirm(props: ConfirmProps) {
  const { label, name, action = label, consequence, isBusy, disabled, onConfirm } = props
  const [isOpen, setIsOpen] = useState(false)
  if (!isOpen) {
    return (
      <Button
        aria-label={name}
        disabled={disabled === true || isBusy === true}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </Button>
    )
  }
  return (
    <div role="group" aria-label={name ?? label} className="w-full rounded-control bg-raise p-3">
      <p className="mb-2.5 max-w-[60ch] text-[13px]">{consequence}</p>
      <div className="flex flex-wrap gap-2">
        <Button
          autoFocus
          className="border-bad text-bad"
          disabled={isBusy}
          onClick={() => {
            setIsOpen(false)
            onConfirm()
          }}
        >
          {action}
        </Button>
        <Button onClick={() => setIsOpen(false)}>{t('action.cancel')}</Button>
      </div>
    </div>
  )
}

interface ActionProps {
  label: string
  /** The label while it runs. */
  busy?: string
  /** For screen readers, where several have the same label. */
  name?: string
  run: () => Promise<unknown>
  /** Reverts it; offered by the toast. */
  undo?: () => Promise<unknown>
  saving?: Saving
  /** Toast on success. */
  done?: string | undefined
  /** For what can't be undone: it is shown and has to be confirmed. */
  consequence?: string
  /** What confirms it, where that says more than the label. */
  action?: string
  disabled?: boolean
  /** Called on success. */
  after?: () => void
  className?: string
  /** An icon in the place of the label. */
  children?: ReactNode
}

/** A button that starts something. */
export function Action({ run, undo, done, after, ...look }: ActionProps) {
  const { label, name, busy = label, consequence, action = label } = look
  const { disabled = false, className, children } = look
  const { save, isBusy } = useSaving(look.saving)
  const act = () => save({ run, done, undo, after })
  return consequence === undefined ? (
    <Button
      aria-label={name ?? (children === undefined ? undefined : label)}
      className={className}
      disabled={isBusy || disabled}
      onClick={act}
    >
      {children ?? (isBusy ? busy : label)}
    </Button>
  ) : (
    <Confirm
      label={label}
      name={name}
      action={action}
      consequence={consequence}
      isBusy={isBusy}
      disabled={disabled}
      onConfirm={act}
    />
  )
}
