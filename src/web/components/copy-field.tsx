import { Copy } from 'lucide-react'
import { t } from '../locales/translate.ts'
import { Button } from './form-controls.tsx'
import { notifyError, notify } from './toast.tsx'

interface CopyFieldProps {
  label: string
  value: string
}

const copy = (value: string) =>
  // Absent without a secure context.
  (navigator.clipboard as Clipboard | undefined)
    ?.writeText(value)
    .then(() => notify(t('action.copied')))
    .catch(() => notifyError(t('action.notCopied')))

/** The copy button alone. */
export const CopyButton = ({ value, className }: { value: string; className?: string }) => (
  <Button
    className={className}
    aria-label={t('action.copy')}
    title={t('action.copy')}
    onClick={() => void copy(value)}
  >
    <Copy size={15} />
  </Button>
)

/** A value to be taken elsewhere, with a button that copies it. */
export const CopyField = ({ label, value }: CopyFieldProps) => (
  <div className="flex min-w-0 flex-1 gap-2">
    <input
      readOnly
      aria-label={label}
      className="input text-[13px]"
      value={value}
      onFocus={({ target }) => target.select()}
    />
    <CopyButton value={value} className="h-[38px] flex-none px-2.5" />
  </div>
)

/** Several lines to be taken elsewhere, such as a piece of a configuration. */
export const CopyBlock = ({ label, value }: CopyFieldProps) => (
  <div className="flex items-start rounded-control bg-raise">
    <pre
      tabIndex={0}
      aria-label={label}
      className="min-w-0 flex-1 overflow-x-auto rounded-control p-3 text-small"
    >
      {value}
    </pre>
    <CopyButton value={value} className="m-2 flex-none px-2.5" />
  </div>
)
