import { refreshRateNames, timeFormats, type TimeFormat } from '../../app/preferences.ts'
import { t } from '../../locales/translate.ts'
import { optionsOf } from '../../components/form-controls.tsx'

/** The refresh rates as choices. */
export const rateOptions = (): { value: string; label: string }[] =>
  optionsOf(refreshRateNames, (value) => t(`rate.${value}`))

/** The clocks for displaying times. */
export const clockOptions = (
  formats: readonly TimeFormat[] = timeFormats,
): { value: TimeFormat; label: string }[] => optionsOf(formats, (value) => t(`clock.${value}`))

interface AllowedFormatsProps {
  allowed: readonly string[]
  disabled?: boolean
  onChange: (formats: string[]) => void
}

/** The selectable clocks; at least one must remain. */
export const AllowedFormats = ({ allowed, disabled = false, onChange }: AllowedFormatsProps) => (
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
          {t(`clock.${format}`)}
        </label>
      )
    })}
  </div>
)
