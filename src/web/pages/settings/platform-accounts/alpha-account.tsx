import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAlphaAuth } from '../../../api/access-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { refusalText } from '../../../api/refusal-text.ts'
import { Button, choices, Field, useTexts, verbatim } from '../../../components/form-controls.tsx'
import { Dot } from '../../../components/figures.tsx'
import { Pending, Saves, Row, StateLine } from '../../../components/card.tsx'
import { Action, ChoiceSetting } from '../../../components/setting-controls.tsx'
import { notifyError, notify } from '../../../components/toast.tsx'
import { t, type Key } from '../../../locales/translate.ts'
import { cleanCode, nextStep, type LoginStep } from './login-step.ts'
import { SignInForm } from './sign-in-form.tsx'

/** How the catalogue signs in to Steam: anonymously or with an account. */
export function AlphaNames() {
  const { data, error } = useAlphaAuth()
  const [isOpen, setIsOpen] = useState(false)
  if (data === undefined) return <Pending error={error} rows={3} />
  const { mode, username, isConnected, hasStoredCredentials } = data
  const canSignIn = !hasStoredCredentials || !isConnected
  const state = hasStoredCredentials
    ? t(isConnected ? 'steam.signedIn' : 'steam.stale', { name: username })
    : t('steam.signedOut')
  return (
    <Saves stale={[keys.alphaAuth]}>
      <ChoiceSetting<'anonymous' | 'authenticated'>
        id="steam.mode"
        isFlat
        // Without a choice it is anonymous.
        value={mode === 'authenticated' ? mode : 'anonymous'}
        options={choices({ anonymous: 'steam.anonymous', authenticated: 'steam.account' })}
        write={(next) => unwrap(api['alpha-auth'].mode.put({ mode: next }))}
      />
      <Row
        title={t('steam.signIn')}
        note={
          <StateLine tone={hasStoredCredentials ? (isConnected ? 'good' : 'attention') : 'quiet'}>
            {state}
          </StateLine>
        }
      >
        {canSignIn && !isOpen && <Button onClick={() => setIsOpen(true)}>{t('steam.open')}</Button>}
        {hasStoredCredentials && (
          <Action
            label={t('action.signOut')}
            consequence={t('steam.signOutConsequence')}
            run={() => unwrap(api['alpha-auth'].delete())}
            done={t('steam.forgotten')}
          />
        )}
      </Row>
      {canSignIn && isOpen && (
        <AlphaLogin canCancel={!hasStoredCredentials} onDone={() => setIsOpen(false)} />
      )}
    </Saves>
  )
}

interface Step {
  step: LoginStep
  note: Key | null
}

interface AlphaLoginProps {
  /** Whether waiting for the phone can be cancelled, which deletes the stored sign-in. */
  canCancel: boolean
  onDone: () => void
}

const start: Step = { step: 'credentials', note: null }

/** Name and password, then what Steam Guard requires: a code, or approval on the phone. */
function AlphaLogin({ canCancel, onDone }: AlphaLoginProps) {
  const queries = useQueryClient()
  const { texts, setTexts, bind } = useTexts({ username: '', password: '' })
  const { username, password } = texts
  const [code, setCode] = useState('')
  const [{ step, note }, setStep] = useState<Step>(start)
  const wantsCode = step === 'device' || step === 'email'
  const login = useMutation({
    mutationFn: () => {
      const name = { username: username.trim(), password, autoStartCatalogRebuild: false }
      const sent = step === 'email' ? { emailCode: code } : { twoFactorCode: code }
      return unwrap(
        api['alpha-auth'].login.post(
          wantsCode
            ? { ...name, ...sent, allowMobileConfirmation: false }
            : { ...name, allowMobileConfirmation: true },
        ),
      )
    },
    onSuccess: async (report) => {
      const next = nextStep(report, wantsCode)
      setCode('')
      setStep(next)
      if (next.step !== 'done') return
      setTexts({ username, password: '' })
      setStep(start)
      notify(t('steam.done', { name: username.trim() }))
      onDone()
      await queries.invalidateQueries({ queryKey: keys.alphaAuth })
    },
  })
  const useCode = () => {
    // Ends the wait for the phone; the first call's response is no longer needed.
    login.reset()
    setStep({ step: 'device', note: null })
    unwrap(api['alpha-auth'].delete()).catch((error: Error) => notifyError(refusalText(error)))
  }
  return (
    <SignInForm
      error={login.error}
      label={t(wantsCode ? 'steam.sendCode' : 'action.signIn')}
      canSend={
        !login.isPending && username.trim() !== '' && password !== '' && (!wantsCode || code !== '')
      }
      onSend={() => login.mutate()}
      onCancel={wantsCode ? () => setStep(start) : login.isPending ? null : onDone}
      waiting={
        login.isPending &&
        !wantsCode && (
          <div
            role="status"
            className="space-y-2.5 rounded-control bg-raise px-3.5 py-3 text-[13px]"
          >
            <p className="flex gap-2.5">
              <span className="mt-1.5 flex">
                <Dot tone="good" pulsing />
              </span>
              {t('steam.phone')}
            </p>
            {canCancel && <Button onClick={useCode}>{t('steam.useCode')}</Button>}
          </div>
        )
      }
    >
      {!wantsCode && (
        <>
          <Field
            label={t('steam.username')}
            name="steam-name"
            {...verbatim}
            maxLength={64}
            required
            readOnly={login.isPending}
            {...bind('username')}
          />
          <Field
            label={t('access.password')}
            name="steam-password"
            type="password"
            autoComplete="off"
            maxLength={256}
            required
            readOnly={login.isPending}
            {...bind('password')}
            hint={t('steam.passwordHint')}
          />
        </>
      )}
      {wantsCode && (
        <Field
          label={t(step === 'email' ? 'steam.emailCode' : 'steam.deviceCode')}
          name="steam-code"
          autoComplete="one-time-code"
          autoCapitalize="characters"
          autoFocus
          required
          value={code}
          onChange={({ target }) => setCode(cleanCode(target.value))}
          hint={t(step === 'email' ? 'steam.emailHint' : 'steam.deviceHint')}
          problem={note === null ? undefined : t(note)}
        />
      )}
    </SignInForm>
  )
}
