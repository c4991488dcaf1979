import { Monitor, Smartphone, Tablet, Terminal } from 'lucide-react'
import type { SessionDto } from '../../../api/access-queries.ts'
import type { Column } from '../../../components/data-list.tsx'
import { Dot, type Tone } from '../../../components/figures.tsx'
import { Time } from '../../../components/time.tsx'
import { agoText } from '../../../format/times.ts'
import { t, type Key } from '../../../locales/translate.ts'
import { deviceOf, presenceOf, type Device, type Presence } from './describe.ts'

export const roleLabels: Record<SessionDto['sessionType'], Key> = {
  admin: 'role.admin',
  user: 'role.user',
  guest: 'role.guest',
}
const presenceTones: Record<Presence, Tone> = { here: 'good', away: 'quiet', gone: 'quiet' }
export const presenceLabels: Record<Presence, Key> = {
  here: 'sessions.here',
  away: 'sessions.away',
  gone: 'sessions.idle',
}
const icons = { desktop: Monitor, mobile: Smartphone, tablet: Tablet, other: Terminal }

export function deviceText({ browser, system }: Device): string {
  if (browser === '') return t('sessions.unknownDevice')
  return system === '' ? browser : t('sessions.device', { browser, system })
}

/** Why the session ended. */
export const endLabel = ({ isRevoked }: SessionDto): Key =>
  isRevoked ? 'sessions.revoked' : 'sessions.expired'

function Name({ session }: { session: SessionDto }) {
  const device = deviceOf(session.userAgent)
  const Icon = icons[device.kind]
  return (
    <span className="flex items-center gap-3">
      <Icon size={18} strokeWidth={1.6} className="flex-none text-dim" />
      <span className="min-w-0">
        <span className="block truncate font-medium">
          {session.username ?? t(roleLabels[session.sessionType])}
          {session.isCurrentSession && (
            <span className="font-normal text-dim"> · {t('sessions.current')}</span>
          )}
        </span>
        <span className="block truncate text-small text-dim">
          {session.username !== null && `${t(roleLabels[session.sessionType])} · `}
          {deviceText(device)} · {session.ipAddress}
        </span>
      </span>
    </span>
  )
}

export function columnsOf(now: Date, isEnded: boolean): Column<SessionDto>[] {
  return [
    {
      header: t('sessions.nameHeader'),
      width: 'minmax(0,2fr)',
      cell: (session) => <Name session={session} />,
    },
    {
      header: t('accounts.state'),
      width: '118px',
      from: 'sm',
      cell: (session) => {
        const presence = presenceOf(session.lastSeenAt, now)
        return (
          <span className="flex items-center gap-2 text-dim">
            <Dot tone={isEnded ? 'quiet' : presenceTones[presence]} />
            {t(isEnded ? endLabel(session) : presenceLabels[presence])}
          </span>
        )
      },
    },
    {
      header: t('sessions.since'),
      width: '90px',
      align: 'end',
      from: 'md',
      cell: ({ createdAt }) => (
        <Time at={createdAt} now={now} text={agoText} className="text-dim" />
      ),
    },
    {
      header: t('column.seen'),
      width: '104px',
      align: 'end',
      cell: ({ lastSeenAt }) => (
        <Time at={lastSeenAt} now={now} text={agoText} className="text-dim" />
      ),
    },
  ]
}
