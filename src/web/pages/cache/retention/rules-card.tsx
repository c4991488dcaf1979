import { ArrowDown, ArrowUp, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { Card } from '../../../components/card.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { Switch } from '../../../components/switch.tsx'
import { notify } from '../../../components/toast.tsx'
import { Button } from '../../../components/button.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { bodyOf, retentionKey, type Rule } from './queries.ts'
import { sentenceOf } from './sentence.ts'

interface RulesCardProps {
  rules: readonly Rule[] | undefined
  error: Error | null
  canChange: boolean
  nameOf: (key: string) => string
  onOpen: (id: string) => void
}

const rulesApi = api.ext.retention.rules
const put = (rule: Rule, part: Partial<Rule>) =>
  unwrap(rulesApi({ id: rule.id }).put(bodyOf({ ...rule, ...part })))

/** All rules in their order, each as a sentence with its state. */
export function RulesCard({ rules, error, canChange, nameOf, onOpen }: RulesCardProps) {
  const { save, isBusy } = useSave({ stale: [retentionKey] })
  const move = (rules: readonly Rule[], from: number, to: number) => {
    const order = rules.toSpliced(from, 1).toSpliced(to, 0, ...rules.slice(from, from + 1))
    save({
      run: async () => {
        for (const [position, rule] of order.entries()) {
          if (rule.position !== position) await put(rule, { position })
        }
      },
      done: t('retention.moved'),
    })
  }
  const askNow = async () => {
    const { listed } = await unwrap(api.ext.retention.ask.post())
    notify(tn('retention.listed', listed))
  }
  return (
    <Card
      title={t('retention.rules')}
      note={t('retention.rulesNote')}
      className="mb-3"
      action={
        canChange &&
        rules?.some(({ isEnabled }) => isEnabled) === true && (
          <Button className="h-8" disabled={isBusy} onClick={() => save({ run: askNow })}>
            {t('retention.askNow')}
          </Button>
        )
      }
    >
      {rules === undefined && <Pending error={error} rows={3} />}
      {rules !== undefined && rules.length === 0 && (
        <Notice
          title={t('retention.noRules')}
          action={canChange && <Button onClick={() => onOpen('new')}>{t('retention.add')}</Button>}
          className="py-8"
        >
          {t(canChange ? 'retention.noRulesText' : 'retention.adminsOnly')}
        </Notice>
      )}
      <ol>
        {rules?.map((rule, index) => (
          <li
            key={rule.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line py-2.5 not-last:border-b"
          >
            <span className="figure w-5 text-right text-dim">{index + 1}</span>
            <button
              type="button"
              className="min-w-[200px] flex-1 text-left hover:underline"
              onClick={() => onOpen(rule.id)}
            >
              <span className="block font-medium">{rule.name}</span>
              <span className="block text-[13px] text-dim">{sentenceOf(rule, nameOf)}</span>
            </button>
            <span className="flex items-center gap-3 max-sm:w-full max-sm:justify-end">
              {canChange && (
                <span className="flex items-center">
                  <IconButton
                    label={t('retention.up', { name: rule.name })}
                    isOff={isBusy || index === 0}
                    onClick={() => move(rules, index, index - 1)}
                  >
                    <ArrowUp size={15} />
                  </IconButton>
                  <IconButton
                    label={t('retention.down', { name: rule.name })}
                    isOff={isBusy || index === rules.length - 1}
                    onClick={() => move(rules, index, index + 1)}
                  >
                    <ArrowDown size={15} />
                  </IconButton>
                  <IconButton
                    label={t('retention.delete', { name: rule.name })}
                    isOff={isBusy}
                    onClick={() =>
                      save({
                        run: () => unwrap(rulesApi({ id: rule.id }).delete()),
                        done: t('retention.deleted'),
                        undo: () => unwrap(rulesApi.post(bodyOf(rule))),
                      })
                    }
                  >
                    <X size={15} />
                  </IconButton>
                </span>
              )}
              <Switch
                label={t('retention.isOn', { name: rule.name })}
                isOn={rule.isEnabled}
                disabled={!canChange || isBusy}
                onChange={(isEnabled) =>
                  save({
                    run: () => put(rule, { isEnabled }),
                    done: t(isEnabled ? 'retention.wasOn' : 'retention.wasOff'),
                    undo: () => put(rule, { isEnabled: !isEnabled }),
                  })
                }
              />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

interface IconButtonProps {
  label: string
  isOff: boolean
  onClick: () => void
  children: ReactNode
}

function IconButton({ label, isOff, onClick, children }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={onClick}
      className="rounded-control p-2 text-dim hover:text-text disabled:opacity-40"
    >
      {children}
    </button>
  )
}
