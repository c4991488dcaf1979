import { complain, say } from '../../../components/toast.tsx'
import { Button } from '../../../components/button.tsx'
import { t } from '../../../locales/translate.ts'

/** A command for another machine, with a copy button. */
export function Command({ text }: { text: string }) {
  const copy = () =>
    // Without TLS browsers do not offer the clipboard; the text can still be selected.
    void Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(() => say(t('action.copied')))
      .catch(() => complain(t('logs.noClipboard')))
  return (
    <div className="flex items-center gap-2 rounded-control bg-raise py-1.5 pr-1.5 pl-3">
      <code className="min-w-0 flex-1 overflow-x-auto font-mono text-[12.5px] break-all">
        {text}
      </code>
      <Button className="h-8" onClick={copy}>
        {t('action.copy')}
      </Button>
    </div>
  )
}
