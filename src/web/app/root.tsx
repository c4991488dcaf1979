import { lazy, Suspense, useEffect, useRef } from 'react'
import { useLocation } from '@tanstack/react-router'
import { useSetup, useStatus } from '../api/queries.ts'
import { Trouble } from '../components/notice.tsx'
import { noteSessionEnd, sessionEnd, silentEnd } from './session-end.ts'
import { Shell } from './shell.tsx'

const SignIn = lazy(() =>
  import('../pages/access/sign-in.tsx').then(({ SignInPage }) => ({ default: SignInPage })),
)
const Recover = lazy(() =>
  import('../pages/access/recover.tsx').then(({ RecoverPage }) => ({ default: RecoverPage })),
)
const FirstAdmin = lazy(() =>
  import('../pages/access/first-admin.tsx').then((module) => ({ default: module.FirstAdminPage })),
)
const FirstRun = lazy(() =>
  import('../pages/access/first-run.tsx').then((module) => ({ default: module.FirstRunPage })),
)

/** Whoever is shown the sign-in page instead of the page from before hears why. */
function useSessionEndNote(type: 'admin' | 'user' | 'guest' | null | undefined): void {
  const before = useRef<string | null>(null)
  useEffect(() => {
    if (type === undefined) return
    if (type !== null) noteSessionEnd(null)
    else if (before.current !== null && sessionEnd() === null) {
      noteSessionEnd(silentEnd(before.current === 'guest'))
    }
    before.current = type
  }, [type])
}

/**
 * Decides who sees what: the address stays as it is while somebody signs in or sets up, and the
 * wanted page appears there afterwards.
 */
export function Root() {
  const status = useStatus()
  const setup = useSetup()
  useSessionEndNote(status.data?.sessionType)
  const path = useLocation({ select: ({ pathname }) => pathname })
  if (status.data === undefined || setup.data === undefined) {
    const error = status.error ?? setup.error
    return error === null ? <div className="h-dvh" /> : <Trouble error={error} className="h-dvh" />
  }
  const needsAccount = status.data.authenticationEnabled && setup.data.accountExists === false
  const isAccount = status.data.isAuthenticated && status.data.sessionType !== 'guest'
  const page = needsAccount ? (
    <FirstAdmin />
  ) : path === '/recover' ? (
    <Recover />
  ) : !status.data.isAuthenticated || (path === '/sign-in' && !isAccount) ? (
    <SignIn />
  ) : isAccount && !setup.data.isCompleted ? (
    <FirstRun />
  ) : (
    <Shell />
  )
  return <Suspense fallback={<div className="h-dvh" />}>{page}</Suspense>
}
