interface ProgressBarProps {
  label: string
  /** 0 to 100. */
  percent: number
}

export const ProgressBar = ({ label, percent }: ProgressBarProps) => (
  <div
    role="progressbar"
    aria-label={label}
    aria-valuenow={Math.round(percent)}
    aria-valuemin={0}
    aria-valuemax={100}
    className="mt-3 h-1.5 overflow-hidden rounded-bar bg-raise"
  >
    <div
      className="h-full rounded-bar bg-cache transition-[width]"
      style={{ width: `${percent}%` }}
    />
  </div>
)
