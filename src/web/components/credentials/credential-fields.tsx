import { Check, Circle } from 'lucide-react'
import { Field, type FieldProps } from '../form-controls.tsx'
import { t } from '../../locales/translate.ts'
import type { PasswordRules } from './password-rules.ts'

type CredentialProps = Partial<FieldProps>

export const KeyHint = () => (
  <p>
    {t('access.keyHint')} <code className="text-text">security/api_key.txt</code>.
  </p>
)

/** The installation key; readable only when entered for the first time. */
export const KeyField = ({
  isReadable = false,
  ...field
}: CredentialProps & { isReadable?: boolean }) => (
  <Field
    label={t('access.key')}
    name="installation-key"
    type={isReadable ? 'text' : 'password'}
    autoComplete="off"
    required
    spellCheck={false}
    hint={<KeyHint />}
    {...field}
  />
)

/** Longest user name, as on the server. */
const nameMax = 64

/** `isOther`: that of somebody else, which the browser neither knows nor is to keep. */
export const NameField = ({
  isOther = false,
  ...field
}: CredentialProps & { isOther?: boolean }) => (
  <Field
    label={t('access.username')}
    name={isOther ? 'other-username' : 'username'}
    autoComplete={isOther ? 'off' : 'username'}
    autoCapitalize="none"
    spellCheck={false}
    maxLength={nameMax}
    required
    {...field}
  />
)

/** A new password with its rules. */
export const NewPasswordField = ({
  rules,
  ...field
}: CredentialProps & { rules: PasswordRules; label: string }) => (
  <Field
    name="new-password"
    type="password"
    autoComplete="new-password"
    required
    hint={<Rules rules={rules} />}
    {...field}
  />
)

/** The password rules, each with its state while typing. */
export function Rules({ rules }: { rules: PasswordRules }) {
  const lines = [
    { text: t('rule.length'), isMet: rules.isLongEnough },
    { text: t('rule.classes'), isMet: rules.hasThreeClasses },
    { text: t('rule.name'), isMet: rules.differsFromName },
  ]
  return (
    <ul className="space-y-1">
      {lines.map(({ text, isMet }) => (
        <li key={text} className={isMet ? 'flex gap-2 text-text' : 'flex gap-2'}>
          {isMet ? (
            <Check size={14} className="mt-0.5 flex-none text-cache" />
          ) : (
            <Circle size={14} className="mt-0.5 flex-none text-edge" />
          )}
          {text}
          <span className="sr-only">{isMet ? t('rule.met') : t('rule.open')}</span>
        </li>
      ))}
    </ul>
  )
}
