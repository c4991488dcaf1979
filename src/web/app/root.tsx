import { Suspense, useEffect, useRef, type ComponentType } from 'react'
import { useLocation } from '@tanstack/react-router'
import { useSetup, useStatus } from '../api/queries.ts'
import { Trouble } from '../components/card.tsx'
import { sessionEnd, silentEnd } from './session-end.ts'
import { Shell } from './shell.tsx'
import { lazyPart } from './lazy-part.ts'

/** A page shown before sign-in, loaded together with its texts. */
const door = (load: () => Promise<{ Page: ComponentType }>) =>
  lazyPart(async () => (await load()).Page, 'access', 'work')

const SignIn = door(() => import('../pages/access/sign-in.tsx'))
const Recover = door(() => import('../pages/access/recover.tsx'))
const FirstAdmin = door(() => import('../pages/access/first-admin.tsx'))
const FirstRun = door(() => import('../pages/access/first-run.tsx'))

/** Explains why the sign-in page replaced the current page. */
function sessionEndNote(type: 'admin' | 'user' | 'guest' | null | undefined): void {
  const before = useRef<string | null>(null)
  useEffect(() => {
    if (type === undefined) return
    if (type !== null) sessionEnd.set(null)
    else if (before.current !== null && sessionEnd.get() === null) {
      sessionEnd.set(silentEnd(before.current === 'guest'))
    }
    before.current = type
  }, [type])
}

/**
 * Chooses what is shown. The URL stays the same during sign-in and set-up, and the requested page
 * appears afterwards.
 */
export function Root() {
  const status = useStatus()
  const setup = useSetup()
  sessionEndNote(status.data?.sessionType)
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
