import { useId, useState, type ChangeEvent, type InputHTMLAttributes, type ReactNode } from 'react'

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
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
      setTexts({ ...texts, [name]: target.value }),
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
