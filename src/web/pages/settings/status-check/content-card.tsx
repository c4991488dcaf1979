import { Card } from '../../../components/card.tsx'
import type { Tone } from '../../../components/figures.tsx'
import { StateLine } from '../../../components/setting.tsx'
import { Table } from '../../../components/table.tsx'
import { serviceName } from '../../../format/services.ts'
import { t } from '../../../locales/translate.ts'
import type { Result } from './queries.ts'
import { protocolTexts, sampleTexts } from './words.ts'

type Path = Result['contentReport']['paths'][number]

const tones: Record<Path['protocolStatus'], Tone> = {
  notRun: 'quiet',
  bothUsable: 'good',
  httpUsable: 'good',
  httpsOnlyCandidate: 'attention',
  inconclusive: 'quiet',
}

/** Whether content that clients downloaded over HTTP still comes over HTTP. */
export function ContentCard({ result: { contentReport } }: { result: Result }) {
  const { availability, paths } = contentReport
  return (
    <Card title={t('statusCheck.content')} note={t('statusCheck.contentNote')}>
      {availability !== 'available' && (
        <p className="text-small text-dim">{t(sampleTexts[availability])}</p>
      )}
      {paths.length > 0 && (
        <Table
          label={t('statusCheck.content')}
          head={[t('statusCheck.service'), t('statusCheck.host'), t('statusCheck.state')]}
        >
          {paths.map((path) => (
            <tr key={`${path.service} ${path.host}`} className="border-b border-line align-top">
              <td className="py-1.5 pr-3">{serviceName(path.service)}</td>
              <td className="py-1.5 pr-3 break-all">{path.host}</td>
              <td className="py-1.5">
                <StateLine tone={tones[path.protocolStatus]}>
                  {t(protocolTexts[path.protocolStatus])}
                  {path.protocolReason === 'dohUnavailable' && `: ${t('statusCheck.noPublicDns')}`}
                </StateLine>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
