import { Check, Circle } from 'lucide-react'
import { t } from '../../locales/translate.ts'
import type { PasswordRules } from './password-rules.ts'

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
