import { Link } from '@tanstack/react-router'
import { useBypass, type BypassSuspect } from '../../api/client-queries.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { useClientNames } from '../../api/queries.ts'
import { useNow } from '../../app/use-now.ts'
import { Card } from '../../components/card.tsx'
import { ClientName } from '../../components/clients/device-icon.tsx'
import { Dot } from '../../components/figures.tsx'
import { clientName } from '../../format/clients.ts'
import { serviceName } from '../../format/services.ts'
import { momentText } from '../../format/times.ts'
import { t, tn, type Key } from '../../locales/translate.ts'
import { Action } from '../../components/setting-controls.tsx'

const dayMs = 86_400_000
const daysText = (days: number): string => tn('bypass.days', Math.floor(days))
const proofTexts: Record<NonNullable<BypassSuspect['proof']>['kind'], Key> = {
  address: 'bypass.gotAddress',
  upstream: 'bypass.askedServer',
  ipv6: 'bypass.gotIpv6',
}

/** Clients that use platforms but not the cache; nothing without one. */
export function BypassCard() {
  const items = useBypass().data?.items.filter(({ isDismissed }) => !isDismissed) ?? []
  if (items.length === 0) return null
  return (
    <Card
      title={t('bypass.title')}
      note={t('bypass.note')}
      className="mt-3"
      stale={[keys.exclusions]}
    >
      <ul className="-mt-2 -mb-3 divide-y divide-line">
        {items.map((suspect) => (
          <SuspectRow key={suspect.clientIp} suspect={suspect} />
        ))}
      </ul>
    </Card>
  )
}

/** What speaks against a client: what the DNS server has logged, else only its absence. */
function reasonOf({ proof, ...suspect }: BypassSuspect, now: Date): string {
  if (proof !== null) {
    const { kind, host, address, atUtc } = proof
    return t(proofTexts[kind], { host, address, at: momentText(new Date(atUtc), now) })
  }
  const { isSilent, lastSeenUtc, usualBreakDays, services } = suspect
  const since = daysText((now.getTime() - Date.parse(lastSeenUtc ?? '')) / dayMs)
  if (isSilent) {
    return t('bypass.silent', { since, usual: daysText(usualBreakDays ?? 0) })
  }
  return t('bypass.services', { since, services: services.map(serviceName).join(', ') })
}

/** Where to look first. */
function Hint({ hint }: { hint: NonNullable<BypassSuspect['hint']> }) {
  if (hint === 'ownDns') return t('bypass.ownDns')
  return (
    <>
      {t('bypass.networkDns')}{' '}
      <Link to="/settings/status-check" className="link">
        {t('bypass.check')}
      </Link>
    </>
  )
}

function SuspectRow({ suspect }: { suspect: BypassSuspect }) {
  const now = useNow(60_000)
  const names = useClientNames()
  const { clientIp, proof, hint } = suspect
  const name = clientName(clientIp, null, names)
  const dismiss = (isDismissed: boolean) =>
    unwrap(api.ext.clients({ ip: clientIp }).bypass.put({ isDismissed }))
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-2 py-3">
      <div className="min-w-[min(240px,100%)] flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <Link
            to="/clients/$ip"
            params={{ ip: clientIp }}
            className="py-[3px] font-medium hover:underline"
          >
            <ClientName ip={clientIp} name={name} />
          </Link>
          {name !== clientIp && <span className="text-small text-dim">{clientIp}</span>}
          <span className="inline-flex items-center gap-1.5 text-small">
            <Dot tone={proof === null ? 'quiet' : 'attention'} />
            {t(proof === null ? 'bypass.perhaps' : 'bypass.certain')}
          </span>
        </p>
        <p className="max-w-[80ch] text-[13px] [overflow-wrap:anywhere]">
          {reasonOf(suspect, now)}
        </p>
        {hint !== null && (
          <p className="max-w-[80ch] text-small text-dim">
            <Hint hint={hint} />
          </p>
        )}
      </div>
      <Action
        label={t('bypass.dismiss')}
        name={t('bypass.dismissOf', { name })}
        run={() => dismiss(true)}
        undo={() => dismiss(false)}
        done={t('bypass.dismissed', { name })}
      />
    </li>
  )
}
