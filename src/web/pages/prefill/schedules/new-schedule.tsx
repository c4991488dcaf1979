import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Choice } from '../../../components/choice.tsx'
import { Form } from '../../../components/form.tsx'
import { Row } from '../../../components/setting.tsx'
import { keys } from '../../../api/keys.ts'
import { t } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import {
  platformFacts,
  isPlatform,
  platforms,
  type Platform,
} from '../../../../platforms/platforms.ts'
import { addSchedule } from './queries.ts'

/** Nothing runs before its games and times are chosen: it begins switched off. */
const usual = { enabled: false, notificationMode: 'all', intervalHours: 24, preset: 'All' } as const

/** Adds a schedule to a platform. */
export function NewSchedule() {
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  const [platform, setPlatform] = useState<Platform>('alpha')
  const [name, setName] = useState('')
  const add = () =>
    save({
      run: () => addSchedule({ platform, name: name.trim(), ...usual }),
      done: t('prefill.scheduleAdded'),
      after: () => setName(''),
    })
  return (
    <Row title={t('prefill.newSchedule')} note={t('prefill.newScheduleNote')}>
      <Form onSubmit={add} className="flex flex-wrap items-center gap-2">
        <Choice
          label={t('prefill.schedulePlatform')}
          value={platform}
          options={platforms.map((one) => ({ value: one, label: platformFacts[one].title }))}
          disabled={isBusy}
          onChange={(one) => isPlatform(one) && setPlatform(one)}
        />
        <input
          aria-label={t('prefill.scheduleName')}
          className="input w-[220px] max-w-full"
          placeholder={t('prefill.scheduleNameHint')}
          maxLength={60}
          autoComplete="off"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Button type="submit" disabled={isBusy || name.trim() === ''}>
          {t('prefill.addSchedule')}
        </Button>
      </Form>
    </Row>
  )
}
