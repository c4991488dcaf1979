import { Link } from '@tanstack/react-router'
import { useClientNames, useIsAccount } from '../../api/queries.ts'
import type { ClientStats } from '../../api/wire.ts'
import { useNow } from '../../app/use-now.ts'
import { Card } from '../../components/card.tsx'
import { Composition, Figure } from '../../components/figures.tsx'
import { Away, Notice, Waiting } from '../../components/notice.tsx'
import { clientName } from '../../format/clients.ts'
import { byteAmount } from '../../format/numbers.ts'
import { agoText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'

const shownMax = 4
const grid =
  '-mx-2 grid grid-cols-[minmax(0,1fr)_80px_52px] items-center gap-3 rounded-control px-2 py-[6px] sm:grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)_84px_56px]'

interface ClientsCardProps {
  clients: ClientStats[] | null | undefined
  total: number
  isLoading: boolean
  className: string
}

export function ClientsCard({ clients, total, isLoading, className }: ClientsCardProps) {
  const isAccount = useIsAccount()
  const shown = (clients ?? []).slice(0, shownMax)
  const most = shown[0]?.totalBytes ?? 0
  return (
    <Card
      title={t('clients.title')}
      note={t('games.note')}
      className={className}
      {...(isAccount && total > shownMax
        ? {
            action: (
              <Link to="/clients" className="hover:text-text">
                {tn('count.clients', total)} ›
              </Link>
            ),
          }
        : {})}
    >
      {isLoading ? (
        <Waiting rows={3} />
      ) : !clients ? (
        <Away />
      ) : shown.length === 0 ? (
        <Notice title={t('clients.none')}>{t('clients.noneText')}</Notice>
      ) : (
        <ul className="divide-y divide-line">
          {shown.map((client) => (
            <li key={`${client.clientIp} ${client.displayName}`}>
              <ClientRow client={client} most={most} isLink={isAccount} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

interface ClientRowProps {
  client: ClientStats
  most: number
  isLink: boolean
}

function ClientRow({ client, most, isLink }: ClientRowProps) {
  const names = useClientNames()
  const now = useNow(15_000)
  const name = clientName(client.clientIp, client.displayName, names)
  const members = client.groupMemberIps?.length ?? 0
  const note = members > 1 ? tn('count.addresses', members) : client.clientIp
  const cells = (
    <>
      <span className="min-w-0">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-small text-dim">
          {note === name ? tn('count.downloads', client.totalDownloads) : note}
        </span>
      </span>
      <Composition
        cached={client.totalCacheHitBytes}
        fetched={client.totalCacheMissBytes}
        whole={most}
        className="hidden sm:flex"
      />
      <Figure amount={byteAmount(client.totalBytes)} className="text-right" />
      <span className="text-right text-small whitespace-nowrap text-dim">
        {agoText(new Date(client.lastActivityUtc), now)}
      </span>
    </>
  )
  return isLink ? (
    <Link to="/clients/$ip" params={{ ip: client.clientIp }} className={`${grid} hover:bg-raise`}>
      {cells}
    </Link>
  ) : (
    <div className={grid}>{cells}</div>
  )
}
