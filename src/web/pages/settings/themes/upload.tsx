import { clsx } from 'clsx'
import { Upload as UploadIcon } from 'lucide-react'
import { useId, useState, type DragEvent } from 'react'
import { api, unwrap, keys } from '../../../api/client.ts'
import { isBuiltIn } from '../../../app/appearance.ts'
import { themeOfServer, tryTheme } from '../../../app/theme.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/form-controls.tsx'
import { Dot } from '../../../components/figures.tsx'
import { t, tn } from '../../../locales/translate.ts'
import {
  readTheme,
  themeBytesMax,
  type Finding,
  type Reading,
  type ThemeFormat,
} from '../../../themes/read-theme.ts'

interface Chosen {
  name: string
  reading: Reading & { text: string }
}

/** Accepts a file by click or drop, shows its errors and a preview, and uploads it. */
export function Upload() {
  const id = useId()
  const [isOver, setIsOver] = useState(false)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const { save, isBusy } = useSave({ stale: [keys.themes, keys.themeFiles] })
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    const reading = await checkFile(file)
    setChosen({ name: file.name, reading })
    const { theme } = reading
    if (theme !== null) tryTheme({ name: theme.name, theme: { ...theme, id: '' } })
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    void take(event.dataTransfer.files[0])
  }
  const forget = () => {
    tryTheme(null)
    setChosen(null)
  }
  const store = ({ name, reading }: Chosen) => {
    let stored: string | null = null
    save({
      run: async () => {
        stored = await uploadTheme(reading.text, name)
      },
      done: t('themes.stored', { name: reading.theme?.name ?? name }),
      undo: async () => {
        if (stored !== null) await unwrap(api.themes({ id: stored }).delete())
      },
      after: forget,
    })
  }
  return (
    <div className="mt-4">
      <label
        htmlFor={id}
        onDragOver={(event) => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={onDrop}
        className={clsx(
          'flex cursor-pointer flex-wrap items-center gap-3 rounded-control border border-dashed px-4 py-4 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-cache hover:bg-raise',
          isOver ? 'border-cache bg-raise' : 'border-edge',
        )}
      >
        <UploadIcon size={16} className="text-dim" />
        <span className="font-medium">{t('themes.upload')}</span>
        <span className="text-small text-dim">{t('themes.uploadHint')}</span>
        <input
          id={id}
          type="file"
          accept=".toml,.json"
          className="sr-only"
          onChange={({ target }) => {
            void take(target.files?.[0])
            target.value = ''
          }}
        />
      </label>
      {chosen !== null && (
        <div role="status" className="mt-3 space-y-3 rounded-control bg-raise p-4">
          <p className="font-medium">
            {chosen.reading.theme === null
              ? t('themes.refused', { name: chosen.name })
              : t('themes.ready', { name: chosen.reading.theme.name })}
          </p>
          <Findings findings={chosen.reading.findings} />
          <div className="flex flex-wrap gap-2">
            {chosen.reading.theme !== null && (
              <Button className="border-cache" disabled={isBusy} onClick={() => store(chosen)}>
                {t('themes.store')}
              </Button>
            )}
            <Button onClick={forget}>
              {t(chosen.reading.theme === null ? 'action.close' : 'action.cancel')}
            </Button>
          </div>
        </div>
      )}
      <p className="mt-2.5 max-w-[80ch] text-small text-dim">{t('themes.format')}</p>
    </div>
  )
}

/** Findings about a theme file, each with its location. */
export function Findings({
  findings,
  isFolded = false,
}: {
  findings: readonly Finding[]
  isFolded?: boolean
}) {
  const [isOpen, setIsOpen] = useState(!isFolded)
  if (findings.length === 0) return null
  if (!isOpen) {
    return (
      <button
        type="button"
        className="text-small text-dim underline underline-offset-3 hover:text-text"
        onClick={() => setIsOpen(true)}
      >
        {tn('findings.count', findings.length)}
      </button>
    )
  }
  return (
    <ul className="space-y-1 text-small">
      {findings.map(({ kind, blocks, subject, line }) => (
        <li key={`${kind} ${subject}`} className="flex gap-2">
          <span className="mt-1.5 flex">
            <Dot tone={blocks ? 'bad' : 'attention'} />
          </span>
          <span className="min-w-0 break-words">
            {t(`findings.${kind}`, { subject })}
            {line !== null && <span className="text-dim"> · {t('findings.line', { line })}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Format of a theme file by its extension; null for other files. */
function formatOf(name: string): ThemeFormat | null {
  const ending = name.toLowerCase().split('.').at(-1)
  return ending === 'toml' || ending === 'json' ? ending : null
}

const stop = (kind: Finding['kind'], subject: string): Reading => ({
  theme: null,
  findings: [{ kind, blocks: true, subject, line: null }],
})

/** Checks a file before it is uploaded. */
async function checkFile(file: File): Promise<Reading & { text: string }> {
  const format = formatOf(file.name)
  if (format === null) return { ...stop('extension', file.name), text: '' }
  if (file.size > themeBytesMax) return { ...stop('size', file.name), text: '' }
  const text = await file.text()
  const reading = await readTheme(text, format)
  const stem = file.name.slice(0, -format.length - 1).toLowerCase()
  const isReserved = format === 'toml' && isBuiltIn(themeOfServer(stem))
  return isReserved ? { ...stop('builtIn', stem), text } : { ...reading, text }
}

/** Uploads a theme; returns its id. */
export async function uploadTheme(text: string, name: string): Promise<string> {
  const file = new File([text], name, { type: 'text/plain' })
  const { themeId } = await unwrap(api.themes.upload.post({ file }))
  return themeId
}
