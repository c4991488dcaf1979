import type { SetupCheck, SetupChecklist } from '../../api/wire.ts'
import { Command } from '../../components/command.tsx'
import { Dot } from '../../components/figures.tsx'
import { t, type Key } from '../../locales/translate.ts'
import { checkText } from './checks.ts'

const states = {
  good: 'check.state.good',
  attention: 'check.state.attention',
  bad: 'check.state.bad',
} as const satisfies Record<SetupCheck['state'], Key>

function Line({ check, isInContainer }: { check: SetupCheck; isInContainer: boolean }) {
  const { title, text, values, format, detail } = checkText(check, isInContainer)
  const { state, remedy, datasource } = check
  const shown = { ...values, format: format === null ? '' : t(format) }
  return (
    <li className="flex items-start gap-3 border-b border-line py-3 first:pt-0 last:border-b-0">
      <span className="mt-[7px] flex">
        <Dot tone={state} />
      </span>
      <div className="min-w-0 flex-1 space-y-1.5">
        <p className="font-medium">
          {t(title)}
          {datasource !== null && datasource !== 'default' && (
            <span className="font-normal text-dim"> · {datasource}</span>
          )}
          <span className="sr-only">{t(states[state])}</span>
        </p>
        <p className="text-small wrap-anywhere text-dim">{t(text, shown)}</p>
        {detail !== null && (
          <code className="block text-[12.5px] break-all text-dim">{detail}</code>
        )}
        {remedy !== null && <Command text={remedy} />}
      </div>
    </li>
  )
}

/** Everything that Larder needs, with a remedy for each problem. */
export const CheckLines = ({ checks, isInContainer }: SetupChecklist) => (
  <ul aria-label={t('check.list')}>
    {checks.map((check) => (
      <Line
        key={`${check.datasource ?? ''} ${check.part}`}
        check={check}
        isInContainer={isInContainer}
      />
    ))}
  </ul>
)
