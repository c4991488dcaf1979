import {
  clockFlagsOf,
  refreshRateNames,
  timeFormatOf,
  timeFormats,
  type ClockFlags,
  type TimeFormat,
} from '../../app/preferences.ts'
import { Choice } from '../../components/choice.tsx'
import { t } from '../../locales/translate.ts'
import { formatLabels, rateLabels } from './preference-labels.ts'

/** The refresh rates as choices. */
export const rateOptions = (): { value: string; label: string }[] =>
  refreshRateNames.map((value) => ({ value, label: t(rateLabels[value]) }))

interface ClockChoiceProps {
  flags: ClockFlags
  formats?: readonly TimeFormat[]
  disabled: boolean
  onChange: (flags: ClockFlags) => void
}

/** The clock for displaying times. */
export const ClockChoice = ({ flags, formats, disabled, onChange }: ClockChoiceProps) => (
  <Choice<TimeFormat>
    value={timeFormatOf(flags)}
    options={(formats ?? timeFormats).map((value) => ({ value, label: t(formatLabels[value]) }))}
    disabled={disabled}
    onChange={(format) => onChange(clockFlagsOf(format))}
  />
)

interface AllowedFormatsProps {
  allowed: readonly string[]
  disabled: boolean
  onChange: (formats: string[]) => void
}

/** The selectable clocks; at least one must remain. */
export const AllowedFormats = ({ allowed, disabled, onChange }: AllowedFormatsProps) => (
  <div className="flex flex-wrap gap-x-4 gap-y-1.5">
    {timeFormats.map((format) => {
      const isOn = allowed.includes(format)
      // Computed first: the box shows the stored value again before saving starts.
      const next = isOn ? allowed.filter((known) => known !== format) : [...allowed, format]
      return (
        <label key={format} className="flex items-center gap-1.5 text-[13px]">
          <input
            type="checkbox"
            className="accent-cache"
            checked={isOn}
            disabled={disabled || (isOn && allowed.length === 1)}
            onChange={() => onChange(next)}
          />
          {t(formatLabels[format])}
        </label>
      )
    })}
  </div>
)
