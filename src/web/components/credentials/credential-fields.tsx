import { Field } from '../form-controls.tsx'
import { t } from '../../locales/translate.ts'
import type { PasswordRules } from './password-rules.ts'
import { Rules } from './rules.tsx'

interface TextInput {
  value: string
  onValue: (value: string) => void
  /** The server's error for this field. */
  problem?: string | undefined
  autoFocus?: boolean
}

function KeyHint() {
  return (
    <p>
      {t('access.keyHint')} <code className="text-text">security/api_key.txt</code>.
    </p>
  )
}

/** The installation key; readable only when entered for the first time. */
export function KeyField({
  value,
  onValue,
  problem,
  autoFocus,
  isReadable = false,
}: TextInput & { isReadable?: boolean }) {
  return (
    <Field
      label={t('access.key')}
      name="installation-key"
      type={isReadable ? 'text' : 'password'}
      autoComplete="off"
      autoFocus={autoFocus}
      required
      spellCheck={false}
      value={value}
      onChange={({ target }) => onValue(target.value)}
      hint={<KeyHint />}
      problem={problem}
    />
  )
}

/** Longest user name, as on the server. */
const nameMax = 64

/** `isOther`: that of somebody else, which the browser neither knows nor is to keep. */
export function NameField({
  value,
  onValue,
  problem,
  autoFocus,
  label = t('access.username'),
  isOther = false,
}: TextInput & { label?: string; isOther?: boolean }) {
  return (
    <Field
      label={label}
      name={isOther ? 'other-username' : 'username'}
      autoComplete={isOther ? 'off' : 'username'}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={nameMax}
      required
      autoFocus={autoFocus}
      value={value}
      onChange={({ target }) => onValue(target.value)}
      problem={problem}
    />
  )
}

/** A new password with its rules. */
export function NewPasswordField({
  value,
  onValue,
  problem,
  rules,
  label,
  name = 'new-password',
}: TextInput & { rules: PasswordRules; label: string; name?: string }) {
  return (
    <Field
      label={label}
      name={name}
      type="password"
      autoComplete="new-password"
      required
      value={value}
      onChange={({ target }) => onValue(target.value)}
      hint={<Rules rules={rules} />}
      problem={problem}
    />
  )
}
