import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { t } from '../locales/translate.ts'
import { Button } from './form-controls.tsx'

/** A command for another machine, or lines for a configuration file, with a copy button. */
export function Command({ text }: { text: string }) {
  const [isCopied, setIsCopied] = useState(false)
  // Without TLS browsers do not offer the clipboard; the text can still be selected.
  const copy = () => void navigator.clipboard?.writeText(text).then(() => setIsCopied(true))
  return (
    <div className="flex items-start gap-2 rounded-control bg-raise py-1.5 pr-1.5 pl-3">
      <code className="min-w-0 flex-1 self-center font-mono text-[12.5px] wrap-anywhere whitespace-pre-wrap select-all">
        {text}
      </code>
      <Button className="h-8" onClick={copy}>
        {isCopied ? <Check size={14} className="text-cache" /> : <Copy size={14} />}
        {t(isCopied ? 'action.copied' : 'action.copy')}
      </Button>
    </div>
  )
}
