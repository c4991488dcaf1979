import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Facts } from '../../../components/facts.tsx'
import { Field } from '../../../components/field.tsx'
import { Problem } from '../../../components/problem.tsx'
import { countText } from '../../../format/numbers.ts'
import { t } from '../../../locales/translate.ts'
import { DomainState } from './services-card.tsx'
import { protocolTexts } from './words.ts'

const testDomain = (domain: string) => unwrap(api['status-check']['test-domain'].post({ domain }))
type Data = Awaited<ReturnType<typeof testDomain>>

/** One domain of the operator's choice. */
export function SingleCard() {
  const [domain, setDomain] = useState('')
  const test = useMutation({ mutationFn: testDomain })
  return (
    <Card title={t('statusCheck.single')} note={t('statusCheck.singleNote')}>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          test.mutate(domain)
        }}
      >
        <div className="min-w-[240px] flex-1">
          <Field
            label={t('statusCheck.domain')}
            value={domain}
            placeholder="lancache.steamcontent.com"
            onChange={(event) => setDomain(event.target.value)}
          />
        </div>
        <Button type="submit" className="mb-1.5" disabled={domain.trim() === '' || test.isPending}>
          {t('statusCheck.test')}
        </Button>
      </form>
      <Problem error={test.error} className="mt-2" />
      {test.data !== undefined && <Tested data={test.data} />}
    </Card>
  )
}

const heartbeatText = ({ servedBy }: NonNullable<Data['heartbeat']>) =>
  servedBy ?? t('statusCheck.fault.noCache')

function Tested({ data: { result, heartbeat } }: { data: Data }) {
  const { edgeProbe, latencyMs } = result
  return (
    <div className="mt-3">
      <DomainState domain={result} />
      <div className="pt-2">
        <Facts
          facts={[
            [t('statusCheck.addresses'), result.resolvedIps.join(', ')],
            [t('statusCheck.expected'), result.expectedIps.join(', ')],
            [t('statusCheck.heartbeat'), heartbeat === null ? null : heartbeatText(heartbeat)],
            [
              t('statusCheck.latency'),
              latencyMs === null ? null : t('statusCheck.ms', { ms: countText(latencyMs) }),
            ],
            [
              t('statusCheck.origin'),
              edgeProbe === null ? null : t(protocolTexts[edgeProbe.protocolStatus]),
            ],
          ]}
        />
      </div>
    </div>
  )
}
