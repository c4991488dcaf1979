import { Link, linkOptions } from '@tanstack/react-router'
import { useClientNames, useIsAccount } from '../../api/queries.ts'
import type { ClientStats } from '../../api/wire.ts'
import { useNow } from '../../app/use-now.ts'
import { Card } from '../../components/card.tsx'
import { DeviceIcon } from '../../components/clients/device-icon.tsx'
import { Away, Nothing, Waiting } from '../../components/notice.tsx'
import { RankedList, type RankedRow } from '../../components/ranking.tsx'
import { clientName } from '../../format/clients.ts'
import { agoText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'

const shownMax = 4

interface ClientsCardProps {
  clients: ClientStats[] | null | undefined
  total: number
  isLoading: boolean
  className: string
}

export function ClientsCard({ clients, total, isLoading, className }: ClientsCardProps) {
  const isAccount = useIsAccount()
  const names = useClientNames()
  const now = useNow(15_000)
  const rows = (clients ?? []).slice(0, shownMax).map((client): RankedRow => {
    const { clientIp: ip, displayName } = client
    const name = clientName(ip, displayName, names)
    const members = client.groupMemberIps?.length ?? 0
    const note = members > 1 ? tn('count.addresses', members) : ip
    return {
      key: `${ip} ${displayName}`,
      name,
      ...(members <= 1 && { icon: <DeviceIcon ip={ip} className="mr-1" /> }),
      note: note === name ? tn('count.downloads', client.totalDownloads) : note,
      cached: client.totalCacheHitBytes,
      fetched: client.totalCacheMissBytes,
      last: <span className="text-small">{agoText(new Date(client.lastActivityUtc), now)}</span>,
      ...(isAccount && { link: linkOptions({ to: '/clients/$ip', params: { ip } }) }),
    }
  })
  const all = (
    <Link to="/clients" className="hover:text-text">
      {tn('count.clients', total)} ›
    </Link>
  )
  return (
    <Card
      title={t('clients.title')}
      note={t('games.note')}
      className={className}
      action={isAccount && total > shownMax ? all : undefined}
    >
      {isLoading ? (
        <Waiting rows={3} />
      ) : !clients ? (
        <Away />
      ) : rows.length === 0 ? (
        <Nothing title={t('clients.none')}>{t('clients.noneText')}</Nothing>
      ) : (
        <RankedList rows={rows} />
      )}
    </Card>
  )
}
