import { useState } from 'react'
import { useNow } from '../../app/clock.ts'
import { Button, Field, Form } from '../form-controls.tsx'
import { StateLine } from '../card.tsx'
import { durationText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import type { CredentialChallenge } from '../../../prefill/hubs/payloads.ts'
import { authorizationCode, questions } from './questions.ts'

interface ChallengeFormProps {
  challenge: CredentialChallenge
  isBusy: boolean
  /** The last answer to this question was refused. */
  isAskedAgain?: boolean
  onAnswer: (credential: string) => void
  onCancel: () => void
}

/** Only web pages are opened, whatever a daemon sends. */
const safeUrl = (text: string | null): string | null =>
  text !== null && /^https?:\/\//i.test(text) ? text : null

/** One question of a sign-in: a field, a page to open, or a wait for the phone. */
export function ChallengeForm(props: ChallengeFormProps) {
  const { challenge, isBusy, isAskedAgain = false, onAnswer, onCancel } = props
  const [text, setText] = useState('')
  const { credentialType, email } = challenge
  const question = questions[credentialType]
  // Not every daemon says where a code was sent.
  const isSentAnywhere = question?.hint === 'prefill.emailCodeHint' && email === null
  const hint = isSentAnywhere ? undefined : question?.hint
  const submit = () => {
    onAnswer(credentialType === 'authorization-url' ? authorizationCode(text) : text)
    setText('')
  }
  return (
    <Form onSubmit={submit} className="max-w-[520px] space-y-4">
      <Elsewhere challenge={challenge} />
      {question?.label !== undefined && (
        <Field
          label={t(question.label)}
          name={`prefill-${credentialType}`}
          type={question.isSecret === true ? 'password' : 'text'}
          autoComplete={question.isCode === true ? 'one-time-code' : 'off'}
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          required
          maxLength={2000}
          value={text}
          onChange={({ target }) => setText(target.value)}
          problem={isAskedAgain && text === '' ? t('prefill.askedAgain') : undefined}
          hint={hint !== undefined && t(hint, { email: email ?? '' })}
        />
      )}
      <Countdown until={challenge.expiresAt} />
      <div className="flex flex-wrap gap-2">
        {question?.label !== undefined && (
          <Button type="submit" className="primary px-5" disabled={isBusy || text.trim() === ''}>
            {t('prefill.next')}
          </Button>
        )}
        <Button className="h-[38px]" disabled={isBusy} onClick={onCancel}>
          {t('action.cancel')}
        </Button>
      </div>
    </Form>
  )
}

/** What happens on another page or device. */
function Elsewhere({ challenge }: { challenge: CredentialChallenge }) {
  const { credentialType, authUrl, userCode, verificationUri } = challenge
  const url = safeUrl(verificationUri) ?? safeUrl(authUrl)
  if (credentialType === 'device-confirmation') {
    return (
      <div role="status">
        <StateLine tone="good">{t('prefill.phone')}</StateLine>
      </div>
    )
  }
  if (url === null) return null
  const isCode = credentialType === 'device-code'
  return (
    <div className="space-y-3">
      <p>{t(isCode ? 'prefill.deviceSteps' : 'prefill.urlSteps')}</p>
      <p>
        <a className="link break-all" href={url} target="_blank" rel="noreferrer">
          {isCode ? url : t('prefill.openPage')}
        </a>
      </p>
      {isCode && (
        <>
          <p className="font-mono text-[24px] tracking-[0.12em] select-all">{userCode}</p>
          <div role="status">
            <StateLine tone="good">{t('prefill.waitingCode')}</StateLine>
          </div>
        </>
      )}
    </div>
  )
}

/** How long the platform waits for the answer. */
function Countdown({ until }: { until: string }) {
  const now = useNow(1000)
  const left = (Date.parse(until) - now.getTime()) / 1000
  if (Number.isNaN(left)) return null
  return (
    <p className="text-small text-dim">
      {left > 0 ? t('prefill.waits', { time: durationText(left) }) : t('prefill.tooLate')}
    </p>
  )
}
