import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, startGuestSession, unwrap, keys } from '../../api/client.ts'
import { useIsAccount, useStatus } from '../../api/queries.ts'
import { sessionEnd } from '../../app/session-end.ts'
import { Field, Button, Form, useTexts } from '../../components/form-controls.tsx'
import { Problem } from '../../components/card.tsx'
import { StatusLine } from '../../components/figures.tsx'
import { t, tn } from '../../locales/translate.ts'
import { KeyField, NameField } from '../../components/credentials/credential-fields.tsx'
import { Frame } from './frame.tsx'
import { oidcProblem, useOidc } from '../../api/oidc.ts'
import { Check, Copy } from 'lucide-react'
import { freshKey } from '../../app/fresh-key.ts'

/** Installation key, user name, password. The key is never stored in the browser by us. */
export function Page() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data: status } = useStatus()
  const isAccount = useIsAccount()
  const recoveredName = useLocation({ select: ({ state }) => state.recoveredName })
  const { texts, bind } = useTexts({ apiKey: '', username: recoveredName ?? '', password: '' })
  const { apiKey, username, password } = texts
  const enter = async () => {
    await queries.refetchQueries({ queryKey: keys.status })
    await queries.invalidateQueries()
    if (location.pathname === '/sign-in') await navigate({ to: '/' })
  }
  const signIn = useMutation({
    mutationFn: () => unwrap(api.auth.login.post({ apiKey: apiKey.trim(), username, password })),
    onSuccess: enter,
  })
  const startGuest = useMutation({
    mutationFn: () => startGuestSession(),
    onSuccess: enter,
    // Locked in the meantime: the page then shows it.
    onError: () => queries.invalidateQueries({ queryKey: keys.status }),
  })
  const submit = () => {
    startGuest.reset()
    signIn.mutate()
  }
  const error = signIn.error ?? startGuest.error
  const isBusy = signIn.isPending || startGuest.isPending
  const isComplete = apiKey.trim() !== '' && username.trim() !== '' && password !== ''
  // Visitors of a party come first: most of them have no account.
  const mayEnter = status?.guestAccessEnabled === true && status.sessionType !== 'guest'
  // A bookmark: there is nothing to sign in for.
  if (isAccount && recoveredName === undefined) return <Navigate to="/" />
  return (
    <Frame title={t('signIn.title')} lead={t('signIn.lead')}>
      <FreshKey />
      {recoveredName === undefined ? <EndNote /> : <RecoveredNote />}
      <OidcProblem className={note} />
      {mayEnter && (
        <div className="mb-5 border-b border-line pb-5">
          <Button
            disabled={isBusy}
            className="primary w-full"
            onClick={() => {
              signIn.reset()
              startGuest.mutate()
            }}
          >
            {t('signIn.guest')}
          </Button>
          <p className="mt-2 text-center text-small text-dim">
            {t('signIn.guestHint')} {tn('signIn.guestHours', status.guestDurationHours)}
          </p>
        </div>
      )}
      <Form onSubmit={submit} className="space-y-4">
        <KeyField {...bind('apiKey')} autoFocus={!mayEnter} />
        <NameField {...bind('username')} />
        <Field
          label={t('access.password')}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          {...bind('password')}
        />
        <Problem error={error} />
        <Button
          type="submit"
          disabled={isBusy || !isComplete}
          className={mayEnter ? 'h-[38px] w-full justify-center' : 'primary w-full'}
        >
          {signIn.isPending ? t('signIn.busy') : t('action.signIn')}
        </Button>
      </Form>
      <OidcSignIn />
      <p className="mt-3 text-center text-small">
        <Link to="/recover" className="text-dim hover:text-text">
          {t('signIn.forgot')}
        </Link>
      </p>
      {status?.sessionType === 'guest' && (
        <p className="mt-5 border-t border-line pt-5 text-center">
          <Link to="/" className="link">
            {t('signIn.backToGuest')}
          </Link>
        </p>
      )}
      {status?.guestAccessEnabled === false &&
        status.hasBeenInitialized &&
        status.sessionType !== 'guest' && (
          <p className="mt-5 border-t border-line pt-5 text-center text-small text-dim">
            {t('signIn.guestLocked')}
          </p>
        )}
    </Frame>
  )
}

const note = 'mb-5 rounded-control bg-raise px-3.5 py-2.5'

const RecoveredNote = () => (
  <StatusLine tone="good" className={note}>
    {t('signIn.recovered')}
  </StatusLine>
)

/** Why the session ended. The previous page returns after signing in. */
function EndNote() {
  const end = sessionEnd.use()
  if (end === null || end === 'expected') return null
  return (
    <StatusLine tone="attention" className={note}>
      {t(end)}
    </StatusLine>
  )
}

/** Why the way through the provider came to nothing. */
function OidcProblem({ className }: { className: string }) {
  const problem = oidcProblem()
  if (problem === null) return null
  return (
    <StatusLine tone="attention" className={className}>
      {t(problem)}
    </StatusLine>
  )
}

/** Leads to the provider's own page, and from there back to the page that was wanted. */
function OidcSignIn() {
  const { data } = useOidc()
  if (data === undefined || data.label === null) return null
  const { pathname, search } = location
  const path = pathname === '/sign-in' ? '/' : pathname + search
  return (
    <a
      href={`/api/ext/oidc/start?returnPath=${encodeURIComponent(path)}`}
      className="control mt-3 h-[38px] w-full justify-center"
    >
      {t('oidc.signIn', { name: data.label })}
    </a>
  )
}

/** Shows a new installation key, once. */
function FreshKey() {
  const key = freshKey.use()
  const [isCopied, setIsCopied] = useState(false)
  if (key === null) return null
  // Without HTTPS pages have no clipboard access; the key can still be selected.
  const copy = () => void navigator.clipboard?.writeText(key).then(() => setIsCopied(true))
  return (
    <section
      aria-label={t('keys.fresh')}
      className="mb-5 space-y-2.5 rounded-control bg-raise px-3.5 py-3"
    >
      <p className="font-medium">{t('keys.fresh')}</p>
      <code className="block select-all rounded-control border border-line bg-bg px-3 py-2 text-[13px] break-all">
        {key}
      </code>
      <p className="text-small text-dim">{t('keys.freshNote')}</p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={copy}>
          {isCopied ? <Check size={14} className="text-cache" /> : <Copy size={14} />}
          {t(isCopied ? 'action.copied' : 'action.copy')}
        </Button>
        <Button onClick={() => freshKey.set(null)}>{t('keys.noted')}</Button>
      </div>
    </section>
  )
}
