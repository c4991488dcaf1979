import { complain, say } from '../../../components/toast.tsx'
import { t } from '../../../locales/translate.ts'

/** A line to type on another machine, with a way to take it along. */
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
      <button type="button" className="control h-8" onClick={copy}>
        {t('action.copy')}
      </button>
    </div>
  )
}
