import { lazy, useEffect, type ComponentType } from 'react'
import type { OwnShareLink } from '../../access/links/model.ts'
import { api } from '../api/client.ts'
import { useRead } from '../api/queries.ts'
import { isSignedOut } from '../api/refusal.ts'
import { asLink } from '../api/share-link.ts'
import { Notice, Trouble } from '../components/card.tsx'
import { loadTexts, t, type Part } from '../locales/translate.ts'
import { lazyPart } from './lazy-part.ts'

/** How soon an open page notices that its link was revoked. */
const checkEveryMs = 60_000

interface SharedPageProps {
  link: OwnShareLink
}

const page = (
  parts: readonly Part[],
  load: () => Promise<{ Page: ComponentType<SharedPageProps> }>,
) => lazyPart(async () => (await load()).Page, ...parts)

/** The pages that share links open. */
const pages: Record<OwnShareLink['page'], ComponentType<SharedPageProps>> = {
  report: page(['events', 'reports'], () => import('../pages/events/shared-report.tsx')),
  party: page(['events', 'work'], () => import('../pages/party/page.tsx')),
  kiosk: page(['events', 'work'], () => import('../pages/kiosk/page.tsx')),
}

const Over = lazy(async () => {
  await loadTexts('events')
  const notice = () => (
    <Notice title={t('share.over')} className="h-dvh">
      {t('share.overText')}
    </Notice>
  )
  return { default: notice }
})

/**
 * What a share link opens: one page without navigation, sign-in and live socket. Its calls are made
 * with `asLink`.
 */
export function Shared() {
  const { data: link, error } = useRead(
    ['link'],
    (asking) => api.ext.links.own.get({ ...asLink, ...asking }),
    { refetchInterval: checkEveryMs },
  )
  useEffect(() => {
    const reload = () => location.reload()
    globalThis.addEventListener('hashchange', reload)
    return () => globalThis.removeEventListener('hashchange', reload)
  }, [])
  if (isSignedOut(error)) return <Over />
  if (link === undefined) {
    return error === null ? <div className="h-dvh" /> : <Trouble error={error} className="h-dvh" />
  }
  const Page = pages[link.page]
  return <Page link={link} />
}
