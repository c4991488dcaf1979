import { clsx } from 'clsx'
import { Upload as UploadIcon } from 'lucide-react'
import { useId, useState, type DragEvent } from 'react'
import { Button } from '../../../components/button.tsx'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { tryTheme } from '../../../app/theme.ts'
import { t } from '../../../locales/translate.ts'
import type { Reading } from '../../../themes/read-theme.ts'
import { useSave } from '../../../app/use-save.ts'
import { Findings } from './findings.tsx'
import { checkFile, uploadTheme } from './upload-theme.ts'

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
