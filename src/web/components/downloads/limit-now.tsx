import { api, keys } from '../../api/client.ts'
import { useAccountRead } from '../../api/queries.ts'
import { t } from '../../locales/translate.ts'
import { limitTexts } from './limit-texts.ts'

const askedEveryMs = 15_000

/** What limits most of the current traffic, in one line; nothing without a verdict. */
export default function LimitNow() {
  const { data } = useAccountRead([...keys.downloadLog, 'now'], api.ext.bottleneck.now.get, {
    refetchInterval: askedEveryMs,
  })
  const verdict = data?.download?.verdict
  if (verdict === undefined || verdict === 'none' || verdict === 'notEnoughData') return null
  const [label, text] = limitTexts[verdict]
  return (
    <p className="mt-2 text-small text-dim" title={t(text)}>
      {t('limit.now', { what: t(label) })}
    </p>
  )
}
