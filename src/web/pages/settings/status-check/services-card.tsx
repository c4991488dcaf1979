import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Card, StateLine } from '../../../components/card.tsx'
import type { Tone } from '../../../components/figures.tsx'
import { Switch } from '../../../components/form-controls.tsx'
import { Table } from '../../../components/table.tsx'
import { countText } from '../../../format/numbers.ts'
import { serviceName } from '../../../format/services.ts'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { byCause, exampleOf, isProblem } from './faults.ts'
import type { Domain, Result, Service } from './queries.ts'

const serviceTones: Record<Service['status'], Tone> = {
  resolved: 'good',
  partial: 'attention',
  unverified: 'attention',
  unresolved: 'bad',
  disabled: 'quiet',
}
const domainTones: Record<Domain['status'], Tone> = {
  resolved: 'good',
  mismatched: 'bad',
  unresolved: 'bad',
  unverified: 'attention',
  blocked: 'quiet',
}

/** Every service with its domains; those without problems can be hidden. */
export function ServicesCard({ result }: { result: Result }) {
  const [onlyProblems, setOnlyProblems] = useState(false)
  const shown = result.services.filter(({ status }) => !onlyProblems || isProblem(status))
  return (
    <Card
      title={t('statusCheck.services')}
      action={
        <span className="flex items-center gap-2">
          <span aria-hidden>{t('statusCheck.onlyProblems')}</span>
          <Switch
            label={t('statusCheck.onlyProblems')}
            isOn={onlyProblems}
            onChange={setOnlyProblems}
          />
        </span>
      }
    >
      {shown.length === 0 && <p className="text-small text-dim">{t('statusCheck.noProblems')}</p>}
      <ul>
        {byCause(shown).map((services) => (
          <li key={services[0]?.service} className="border-b border-line last:border-b-0">
            <Services services={services} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** One service, or several with one cause, which are listed below it. */
function Services({ services }: { services: readonly Service[] }) {
  const [first] = services
  if (first === undefined) return null
  const domain = exampleOf(first)
  if (services.length === 1 || domain === undefined) return <ServiceRow service={first} />
  return (
    <details className="group/cause">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
        <ChevronRight size={14} className="text-dim group-open/cause:rotate-90" />
        <span className="min-w-[140px] flex-1">
          {tn('statusCheck.sameCause', services.length)}
          <span className="block text-small text-dim">
            {services.map(({ service }) => serviceName(service)).join(', ')}
          </span>
        </span>
        <span className="text-small">
          <DomainState domain={{ ...domain, servedBy: null }} />
        </span>
      </summary>
      <ul className="ml-4 border-t border-line">
        {services.map((service) => (
          <li key={service.service} className="border-b border-line last:border-b-0">
            <ServiceRow service={service} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function ServiceRow({ service }: { service: Service }) {
  const { status, resolvedCount, totalCount, domains, description } = service
  return (
    <details className="group">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
        <ChevronRight size={14} className="text-dim group-open:rotate-90" />
        <span className="min-w-[140px] flex-1">
          {serviceName(service.service)}
          <span className="block text-small text-dim">{description}</span>
        </span>
        <span className="text-small">
          <StateLine tone={serviceTones[status]}>{t(`statusCheck.service.${status}`)}</StateLine>
        </span>
        <span className="figure w-20 text-right text-small text-dim">
          {countText(resolvedCount)} / {countText(totalCount)}
        </span>
      </summary>
      <div className="pb-3">
        <Table
          label={serviceName(service.service)}
          head={[t('statusCheck.domain'), t('statusCheck.state'), t('statusCheck.addresses')]}
        >
          {domains.map((domain) => (
            <DomainRow key={domain.originalEntry} domain={domain} />
          ))}
        </Table>
      </div>
    </details>
  )
}

const DomainRow = ({ domain }: { domain: Domain }) => (
  <tr className="border-b border-line align-top last:border-b-0">
    <td className="py-1.5 pr-3 break-all">{domain.originalEntry}</td>
    <td className="py-1.5 pr-3">
      <DomainState domain={domain} />
    </td>
    <td className="py-1.5 break-all">{domain.resolvedIps.join(', ')}</td>
  </tr>
)

/** The service's reasons. */
const errors: Readonly<Record<string, Key>> = {
  NXDOMAIN: 'statusCheck.error.unknown',
  'DNS query timed out': 'statusCheck.error.late',
  'No A records returned': 'statusCheck.error.empty',
  'The DNS server answered with an error': 'statusCheck.error.failed',
}

function errorText(error: string): string {
  const key = errors[error]
  return key === undefined ? error : t(key)
}

/** A domain's verdict with its reason. */
export const DomainState = ({ domain }: { domain: Domain }) => (
  <StateLine tone={domainTones[domain.status]}>
    {t(`statusCheck.domainState.${domain.status}`)}
    {domain.servedBy !== null && ` · ${domain.servedBy}`}
    {domain.error !== null && ` · ${errorText(domain.error)}`}
  </StateLine>
)
