import { clsx } from 'clsx'
import { useDevices, type ClientDevice } from '../../api/client-queries.ts'
import { useIsAccount } from '../../api/queries.ts'
import { Address } from '../address.tsx'

export type DeviceKind = ClientDevice['kind']

/** Lines on a field of 16 by 16; a path of no length is a dot. */
const shapes: Record<DeviceKind, string> = {
  computer: 'M1.5 2.5h13v8.5h-13zM8 11v2.5M5 13.5h6',
  laptop: 'M3 3.5h10v7H3zM1 13h14',
  handheld:
    'M3 4h10a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H3a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM4.8 6h6.4v4H4.8zM2.9 8h0M13.1 8h0',
  console:
    'M5 4.5h6a3.5 3.5 0 0 1 3.4 2.8l.6 3a1.7 1.7 0 0 1-3 1.4l-1.5-1.7h-5L4 11.7a1.7 1.7 0 0 1-3-1.4l.6-3A3.5 3.5 0 0 1 5 4.5zM5.3 6.2v2M4.3 7.2h2M10.8 7.2h0',
  phone: 'M4.5 1.5h7v13h-7zM7.4 12.4h1.2',
  tv: 'M1.5 5h13v8.5h-13zM5.3 1.8 8 5l2.7-3.2',
  server: 'M2 2.5h12V7H2zM2 9h12v4.5H2zM4.6 4.75h0M4.6 11.25h0M8 4.75h3.5M8 11.25h3.5',
}

/** Of a client about which nothing is known. */
const unknown = 'M8 2.2a5.8 5.8 0 1 0 .01 0zM8 8h0'

export const deviceKinds = Object.keys(shapes) as DeviceKind[] // the keys of its type

/** A kind of device as a drawing; the name beside it says which one. */
export const KindIcon = ({ kind, className }: { kind: DeviceKind | null; className?: string }) => (
  <svg
    viewBox="0 0 16 16"
    aria-hidden="true"
    className={clsx('size-[15px] flex-none text-dim', className)}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.3"
    strokeLinecap="round"
    strokeLinejoin="round"
    data-device={kind ?? 'unknown'}
  >
    <path d={kind === null ? unknown : shapes[kind]} />
  </svg>
)

/** What kind of device a client is; nothing for guests, who do not learn it. */
export function DeviceIcon({ ip, className }: { ip: string; className?: string }) {
  const isAccount = useIsAccount()
  const { data } = useDevices()
  if (!isAccount) return null
  const device = data?.find(({ clientIp }) => clientIp === ip)
  return <KindIcon kind={device?.kind ?? null} {...(className !== undefined && { className })} />
}

/** A client's name with its icon, in a list. */
export const ClientName = ({ ip, name }: { ip: string; name: string }) => (
  <span className="flex min-w-0 items-center gap-1.5">
    <DeviceIcon ip={ip} />
    <Address text={name} />
  </span>
)
