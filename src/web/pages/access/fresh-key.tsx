import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { freshKey } from '../../app/fresh-key.ts'
import { t } from '../../locales/translate.ts'

/** Shows a new installation key, once. */
export function FreshKey() {
  const key = freshKey.use()
  const [isCopied, setIsCopied] = useState(false)
  if (key === null) return null
  // Without HTTPS pages have no clipboard access; the key can still be selected.
  const copy = () => void navigator.clipboard?.writeText(key).then(() => setIsCopied(true))
  return (
    <section
      aria-label={t('keys.fresh')}
      className="mb-5 space-y-2.5 rounded-control bg-raise px-3.5 py-3"
    >
      <p className="font-medium">{t('keys.fresh')}</p>
      <code className="block select-all rounded-control border border-line bg-bg px-3 py-2 text-[13px] break-all">
        {key}
      </code>
      <p className="text-small text-dim">{t('keys.freshNote')}</p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={copy}>
          {isCopied ? <Check size={14} className="text-cache" /> : <Copy size={14} />}
          {t(isCopied ? 'action.copied' : 'action.copy')}
        </Button>
        <Button onClick={() => freshKey.set(null)}>{t('keys.noted')}</Button>
      </div>
    </section>
  )
}
