import { clsx } from 'clsx'
import { useDevices, useIsAccount } from '../../api/queries.ts'
import { Address } from '../address.tsx'

/**
 * What kind of device a client is; nothing for guests, who do not learn it. The drawings are a file
 * of their own, because the first screen's scripts are small.
 */
export function DeviceIcon({ ip, className }: { ip: string; className?: string }) {
  const isAccount = useIsAccount()
  const { data } = useDevices()
  if (!isAccount) return null
  const kind = data?.find(({ clientIp }) => clientIp === ip)?.kind ?? 'unknown'
  return (
    <svg aria-hidden="true" className={clsx('device', className)} data-device={kind}>
      <use href={`/devices.svg#${kind}`} />
    </svg>
  )
}

/** The same before the name in a row of a ranking. */
export const ClientMark = ({ ip }: { ip: string }) => <DeviceIcon ip={ip} className="mr-1" />

/** A client's name with its icon, in a list. */
export const ClientName = ({ ip, name }: { ip: string; name: string }) => (
  <span className="flex min-w-0 items-center gap-1.5">
    <DeviceIcon ip={ip} />
    <Address text={name} />
  </span>
)
