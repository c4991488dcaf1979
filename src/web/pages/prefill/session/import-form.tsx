import { useId, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Form } from '../../../components/form.tsx'
import { countText } from '../../../format/numbers.ts'
import { t } from '../../../locales/translate.ts'
import { pastedIds, sortIds, type Imported } from '../import-ids.ts'
import type { Game } from '../queries.ts'

interface ImportFormProps {
  games: readonly Game[]
  selected: ReadonlySet<string>
  onAdd: (ids: readonly string[]) => void
}

/** Unknown ids that are named. */
const namedMax = 20

/** Adds pasted ids to the selection, and says what became of them. */
export function ImportForm({ games, selected, onAdd }: ImportFormProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [result, setResult] = useState<Imported | null>(null)
  const submit = () => {
    const owned = new Set(games.map((game) => game.id))
    const sorted = sortIds(pastedIds(text), { owned, selected })
    onAdd(sorted.added)
    setResult(sorted)
    setText('')
  }
  return (
    <Form onSubmit={submit} className="mb-4 rounded-control bg-raise p-3">
      <label htmlFor={id} className="mb-1.5 block text-small font-medium">
        {t('prefill.importLabel')}
      </label>
      <textarea
        id={id}
        className="input h-24 py-2 font-mono text-[13px]"
        placeholder="440, 570, 730"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="mt-2 flex flex-wrap items-center gap-3">
        <Button type="submit" disabled={text.trim() === ''}>
          {t('prefill.importAdd')}
        </Button>
        {result !== null && (
          <p role="status" className="min-w-0 flex-1 text-small text-dim">
            {t('prefill.imported', {
              added: countText(result.added.length),
              already: countText(result.already.length),
              unknown: countText(result.unknown.length),
            })}
            {result.unknown.length > 0 && `: ${result.unknown.slice(0, namedMax).join(', ')}`}
          </p>
        )}
      </div>
    </Form>
  )
}
