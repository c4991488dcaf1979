import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Clock } from 'lucide-react'
import { useEffect } from 'react'
import { keys } from '../api/client.ts'
import { fullMomentText } from '../format/times.ts'
import { t } from '../locales/translate.ts'
import { remainingSeconds, remainingText, shortRemaining } from './remaining.ts'
import { useNow } from './clock.ts'

/** Retry interval while the server's clock is behind the browser's. */
const askAgainMs = 5000

/** Counts down to the end of a guest session, and reloads the session then. */
export function GuestTime({ expiresAt }: { expiresAt: string }) {
  const queries = useQueryClient()
  const now = useNow(1000)
  const left = remainingSeconds(expiresAt, now)
  const isOver = left === 0
  useEffect(() => {
    if (!isOver) return undefined
    const ask = () => void queries.invalidateQueries({ queryKey: keys.status })
    ask()
    const timer = setInterval(ask, askAgainMs)
    return () => clearInterval(timer)
  }, [isOver, queries])
  const hint = t('guest.until', { time: fullMomentText(new Date(expiresAt)) })
  return (
    <Link to="/sign-in" title={hint} className="control px-2 text-dim sm:px-3">
      <Clock size={14} className="max-sm:hidden" />
      <span className="max-sm:sr-only">{t('guest.badge')}</span>
      <span className="figure text-text">
        <span aria-hidden="true" className="sm:hidden">
          {shortRemaining(left)}
        </span>
        <span className="max-sm:sr-only">{remainingText(left)}</span>
        <span className="sr-only">. {hint}</span>
      </span>
    </Link>
  )
}
