import { useState } from 'react'
import { nameDevice, useShowGuest } from '../../api/party-queries.ts'
import { useSave } from '../../app/use-save.ts'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { t } from '../../locales/translate.ts'

const nameMax = 24

/** The name that the guest chooses for the beamer. */
export function NameField({ id, name }: { id: number; name: string }) {
  const [typed, setTyped] = useState<string | null>(null)
  const { save, isBusy } = useSave({ stale: [] })
  const show = useShowGuest(id)
  const value = typed ?? name
  return (
    <Form
      className="mt-4"
      onSubmit={() =>
        save({
          run: async () => show(await nameDevice(id, value.trim())),
          after: () => setTyped(null),
        })
      }
    >
      <Field
        label={t('party.myName')}
        hint={t('party.myNameHint')}
        value={value}
        maxLength={nameMax}
        autoComplete="nickname"
        onChange={({ target }) => setTyped(target.value)}
      />
      {value.trim() !== name && (
        <Button type="submit" className="mt-1 h-11 w-full justify-center" disabled={isBusy}>
          {t('party.save')}
        </Button>
      )}
    </Form>
  )
}
