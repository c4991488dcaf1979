import { Row, StateLine } from '../card.tsx'
import { keys } from '../../api/client.ts'
import { t } from '../../locales/translate.ts'
import { platformFacts, type Platform } from '../../../platforms/platforms.ts'
import { reasonText } from '../../format/reason-text.ts'
import {
  startPersistent,
  stopPersistent,
  type PersistentSession,
} from '../../api/account-queries.ts'
import { Action } from '../setting-controls.tsx'

interface SessionRowProps {
  platform: Platform
  /** Null: none. */
  session: PersistentSession | null
}

/** The session of a platform without accounts: it only has to run. */
export const SessionRow = ({ platform, session }: SessionRowProps) => (
  <Row
    isEntry
    stale={[keys.prefill]}
    title={platformFacts[platform].title}
    note={<SessionState session={session} />}
  >
    {session?.isRunning === true ? (
      <Action
        label={t('prefill.stop')}
        consequence={t('prefill.stopText')}
        run={() => stopPersistent(session.sessionId)}
      />
    ) : (
      <Action
        label={t('prefill.startPersistent')}
        busy={t('prefill.starting')}
        run={() => startPersistent(platform)}
      />
    )}
  </Row>
)

export function SessionState({ session }: Pick<SessionRowProps, 'session'>) {
  if (session?.isRunning === true) {
    const text = session.isPrefilling ? t('prefill.running') : t('prefill.ready')
    return (
      <StateLine tone="good">
        {session.currentAppName === null ? text : `${text} · ${session.currentAppName}`}
      </StateLine>
    )
  }
  const problem = session?.errorMessage ?? null
  return problem === null ? (
    <StateLine tone="quiet">{t('prefill.notRunning')}</StateLine>
  ) : (
    <StateLine tone="bad">{reasonText(problem)}</StateLine>
  )
}
