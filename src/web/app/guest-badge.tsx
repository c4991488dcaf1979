import { lazy, Suspense } from 'react'
import { useStatus } from '../api/queries.ts'

const GuestTime = lazy(async () => ({ default: (await import('./guest-time.tsx')).GuestTime }))

/** Remaining time of a guest session. */
export function GuestBadge() {
  const { data } = useStatus()
  const expiresAt = data?.sessionType === 'guest' ? data.expiresAt : null
  return <Suspense>{expiresAt !== null && <GuestTime expiresAt={expiresAt} />}</Suspense>
}
