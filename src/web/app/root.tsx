import { lazy, Suspense, useEffect, useRef, type ComponentType } from 'react'
import { useLocation } from '@tanstack/react-router'
import { useSetup, useStatus } from '../api/queries.ts'
import { Trouble } from '../components/notice.tsx'
import { loadTexts } from '../locales/translate.ts'
import { noteSessionEnd, sessionEnd, silentEnd } from './session-end.ts'
import { Shell } from './shell.tsx'

/** A page in front of the dashboard, with the texts that only these have. */
const door = (load: () => Promise<ComponentType>) =>
  lazy(async () => {
    const [page] = await Promise.all([load(), loadTexts('access'), loadTexts('work')])
    return { default: page }
  })

const SignIn = door(async () => (await import('../pages/access/sign-in.tsx')).SignInPage)
const Recover = door(async () => (await import('../pages/access/recover.tsx')).RecoverPage)
const FirstAdmin = door(
  async () => (await import('../pages/access/first-admin.tsx')).FirstAdminPage,
)
const FirstRun = door(async () => (await import('../pages/access/first-run.tsx')).FirstRunPage)

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
