import { Card } from '../../../components/card.tsx'
import { StateLine } from '../../../components/setting.tsx'
import type { Tone } from '../../../components/figures.tsx'
import { t, type Key } from '../../../locales/translate.ts'
import type { DaemonSession } from '../wire.ts'

/** Advice of the service by its key. */
const adviceTexts: Readonly<Record<string, Key>> = {
  noInternet: 'prefill.adviceNoInternet',
  dnsFailed: 'prefill.adviceDnsFailed',
  dnsFailedOnHost: 'prefill.adviceDnsFailedOnHost',
  dnsPublic: 'prefill.adviceDnsPublic',
  ipv6: 'prefill.adviceIpv6',
}

type Diagnostics = NonNullable<DaemonSession['networkDiagnostics']>

const reached = (isReached: boolean | null, label: Key): [Tone, string] => {
  const state = isReached === null ? 'prefill.unknown' : isReached ? 'prefill.yes' : 'prefill.no'
  return [isReached === true ? 'good' : 'quiet', `${t(label)}: ${t(state)}`]
}

function dnsLine({ domain, success, isPrivateIp, resolvedIps }: Diagnostics['dnsResults'][number]) {
  const where = success ? resolvedIps.join(', ') : t('prefill.unresolved')
  return [success && isPrivateIp ? 'good' : 'attention', `${domain}: ${where}`] as const
}

/** What the daemon reaches from where it runs, and what to do about faults. */
export function NetworkCard({ session }: { session: DaemonSession }) {
  const found = session.networkDiagnostics
  if (found === null) return null
  const lines = [
    [
      found.internetConnectivity ? 'good' : 'bad',
      t(found.internetConnectivity ? 'prefill.internet' : 'prefill.noInternet'),
    ] as const,
    reached(found.internetConnectivityIpv4, 'prefill.ipv4'),
    reached(found.internetConnectivityIpv6, 'prefill.ipv6'),
    ...found.dnsResults.map(dnsLine),
  ]
  return (
    <Card title={t('prefill.network')}>
      {found.advice.map(({ key, text, values }) => {
        const known = adviceTexts[key]
        return (
          <p key={key} className="mb-3 rounded-control bg-raise px-3 py-2.5 text-[13px]">
            <StateLine tone="attention">{known === undefined ? text : t(known, values)}</StateLine>
          </p>
        )
      })}
      <ul className="space-y-1 text-[13px]">
        {lines.map(([tone, text]) => (
          <li key={text} className="break-words">
            <StateLine tone={tone}>{text}</StateLine>
          </li>
        ))}
      </ul>
    </Card>
  )
}
