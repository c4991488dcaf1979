import {
  createContext,
  use,
  type ComponentProps,
  useId,
  useState,
  type ChangeEvent,
  type InputHTMLAttributes,
  type ReactNode,
} from 'react'
import { clsx } from 'clsx'
import { t, type Key } from '../locales/translate.ts'
import { Check, Minus, Search } from 'lucide-react'

/** Title of the setting around a control. */
export const ControlLabel = createContext('')

/** Accessible name of a control: its own label, else the title of the setting around it. */
export function useControlLabel(label: string | undefined): string {
  const title = use(ControlLabel)
  return label ?? title
}

/** The default button; it submits a form only when its type says so. */
export function Button({ className, ...button }: ComponentProps<'button'>) {
  return <button type="button" {...button} className={clsx('control', className)} />
}

interface IconButtonProps {
  /** For screen readers, and where the pointer rests. */
  label: string
  isOff: boolean
  onClick: () => void
  children: ReactNode
}

/** A quiet button of a row, with an icon. */
export const IconButton = ({ label, isOff, onClick, children }: IconButtonProps) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    disabled={isOff}
    onClick={onClick}
    className="rounded-control p-2 text-dim hover:text-text disabled:opacity-40"
  >
    {children}
  </button>
)

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  onSubmit: () => void
}

/** A form handled by the page; enclosing forms do not receive its submit event. */
export const Form = ({ onSubmit, ...form }: FormProps) => (
  <form
    {...form}
    onSubmit={(event) => {
      event.preventDefault()
      event.stopPropagation()
      onSubmit()
    }}
  />
)

export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  /** Visible help, or live rules. */
  hint?: ReactNode
  /** Why the value was refused. */
  problem?: string | undefined
  /** Has focus when its popover opens. */
  'data-focus'?: boolean
}

/** For codes, names and addresses: the browser neither completes nor corrects them. */
export const verbatim = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const

/** Texts of a form, and what binds a field to one of them. */
export function useTexts<Name extends string>(initial: Readonly<Record<Name, string>>) {
  const [texts, setTexts] = useState(initial)
  const bind = (name: Name) => ({
    value: texts[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) =>
      // A password manager fills several fields at once.
      setTexts((before) => ({ ...before, [name]: target.value })),
  })
  return { texts, setTexts, bind }
}

/** A labelled input; screen readers read hint and problem with it. */
export function Field({ label, hint, problem, ...input }: FieldProps) {
  const id = useId()
  const hasProblem = problem !== undefined && problem !== ''
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-small font-medium">
        {label}
      </label>
      <input
        {...input}
        id={id}
        className="input"
        aria-invalid={hasProblem}
        aria-describedby={`${id}-hint`}
      />
      <div id={`${id}-hint`} className="mt-1.5 text-small text-dim">
        {hasProblem && <p className="text-bad">{problem}</p>}
        {hint}
      </div>
    </div>
  )
}

/** A value of a list; null and undefined stand for the one that means none or all. */
export type Choosable = string | number | boolean | null | undefined
/** Its text in the DOM. */
const domText = (value: Choosable): string => String(value ?? '')

export interface ChoiceProps<T extends Choosable> {
  /** Omitted where the setting's title is the label. */
  label?: string | undefined
  value: T
  options: readonly { value: NoInfer<T>; label: string }[]
  onChange: (value: NoInfer<T>) => void
  disabled?: boolean
}

/** Options with these texts. */
export const choices = <T extends string>(texts: Readonly<Record<T, Key>>) =>
  // The keys of the literal.
  (Object.keys(texts) as T[]).map((value) => ({ value, label: t(texts[value]) }))

/** Each of these values with its text. */
export const optionsOf = <T extends Choosable>(values: readonly T[], text: (value: T) => string) =>
  values.map((value) => ({ value, label: text(value) }))

/** Numbers to choose from; the current one, which may come from elsewhere, is one of them. */
export const numberOptions = (
  known: readonly number[],
  current: number,
  text: (value: number) => string,
) =>
  optionsOf(
    [...new Set([...known, current])].toSorted((a, b) => a - b),
    text,
  )

/** A select list, using the platform's own control. */
export function Choice<T extends Choosable>(props: ChoiceProps<T> & { className?: string }) {
  const { label, value, options, onChange, disabled = false, className } = props
  const isListed = options.some((option) => option.value === value)
  return (
    <select
      aria-label={useControlLabel(label)}
      className={clsx('control max-w-full', className)}
      value={domText(value)}
      disabled={disabled}
      onChange={({ target }) => {
        const chosen = options.find((option) => domText(option.value) === target.value)
        if (chosen !== undefined) onChange(chosen.value)
      }}
    >
      {!isListed && <option value={domText(value)}>{domText(value)}</option>}
      {options.map((option) => (
        <option key={domText(option.value)} value={domText(option.value)}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

/** A select of a form below its label. */
export const Select = <T extends Choosable>(props: ChoiceProps<T> & { label: string }) => (
  <label className="block">
    <span className="mb-1.5 block text-small font-medium">{props.label}</span>
    <Choice {...props} className="h-[38px] w-full" />
  </label>
)

/** A few choices side by side, with the current one visible. */
export function Segments<T extends Choosable>(props: ChoiceProps<T>) {
  const { label, value, options, onChange, disabled = false } = props
  return (
    <div
      role="group"
      aria-label={useControlLabel(label)}
      className="inline-flex rounded-control bg-raise p-0.5"
    >
      {options.map((option) => (
        <button
          key={domText(option.value)}
          type="button"
          aria-pressed={option.value === value}
          disabled={disabled}
          onClick={() => onChange(option.value)}
          className={clsx(
            'rounded-[6px] px-2.5 py-[3px] text-small disabled:opacity-60',
            option.value === value ? 'bg-panel font-medium text-text' : 'text-dim hover:text-text',
          )}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}

interface SwitchProps {
  /** Omitted where the setting's title is the label. */
  label?: string | undefined
  isOn: boolean
  onChange: (isOn: boolean) => void
  disabled?: boolean
}

/** Saves immediately; its state is always visible. */
export const Switch = ({ label, isOn, onChange, disabled = false }: SwitchProps) => (
  <button
    type="button"
    role="switch"
    aria-checked={isOn}
    aria-label={useControlLabel(label)}
    disabled={disabled}
    onClick={() => onChange(!isOn)}
    className={clsx(
      'relative h-6 w-10 flex-none rounded-full border transition-colors disabled:opacity-50',
      isOn ? 'border-transparent bg-cache' : 'border-edge bg-raise',
    )}
  >
    <span
      className={clsx(
        'absolute top-[3px] left-[3px] size-4 rounded-full transition-transform',
        isOn ? 'translate-x-4 bg-on-accent' : 'bg-edge',
      )}
    />
  </button>
)

interface TickProps {
  label: string
  /** `mixed`: partly selected. */
  state: boolean | 'mixed'
  disabled?: boolean
  onToggle: () => void
}

/** A checkbox, also inside a row: clicks and keys on it do not open the row. */
export function Tick({ label, state, disabled = false, onToggle }: TickProps) {
  const Shape = state === 'mixed' ? Minus : Check
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={state}
      aria-label={label}
      disabled={disabled}
      onClick={onToggle}
      // Enter would open the row.
      onKeyDown={(event) => event.key === 'Enter' && event.stopPropagation()}
      className="-m-2.5 grid size-10 place-items-center disabled:opacity-40"
    >
      <span
        className={clsx(
          'grid size-[18px] place-items-center rounded-[5px] border',
          state === false ? 'border-edge' : 'border-transparent bg-cache text-on-accent',
        )}
      >
        {state !== false && <Shape size={13} strokeWidth={3} />}
      </span>
    </button>
  )
}

interface SearchFieldProps {
  /** For screen readers; visible if there is no hint. */
  label: string
  hint?: string
  value: string
  onChange: (text: string) => void
  className?: string
}

const lettersMax = 200

/** A search field that filters a list. */
export const SearchField = ({ label, hint, value, onChange, className }: SearchFieldProps) => (
  <label className={clsx('control min-w-0 flex-1 focus-within:border-edge', className)}>
    <Search size={15} className="flex-none text-dim" />
    <span className="sr-only">{label}</span>
    <input
      type="search"
      className="min-w-0 flex-1 bg-transparent outline-none placeholder:text-dim"
      placeholder={hint ?? label}
      maxLength={lettersMax}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  </label>
)
