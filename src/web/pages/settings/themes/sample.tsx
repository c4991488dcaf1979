import { platforms } from '../../../../platforms/platforms.ts'
import type { Palette } from '../../../themes/palette.ts'
import { builtInPalettes } from '../../../themes/palette.ts'

/** The dashboard in miniature, in a palette's colours. */
export function Sample({ palette }: { palette: Palette }) {
  const row = (color: string, width: string) => (
    <span className="h-1.5 rounded-bar" style={{ background: color, width }} />
  )
  return (
    <div
      aria-hidden="true"
      className="flex h-[92px] gap-2 p-2.5"
      style={{ background: palette.bg, borderBottom: `1px solid ${palette.line}` }}
    >
      <div className="flex w-[22%] flex-col gap-2 pt-1">
        {row(palette.text, '70%')}
        {row(palette.dim, '90%')}
        {row(palette.dim, '60%')}
        {row(palette.faint, '75%')}
      </div>
      <div
        className="flex flex-1 flex-col gap-2 rounded-control p-2.5"
        style={{ background: palette.panel, border: `1px solid ${palette.line}` }}
      >
        <div className="flex items-baseline gap-1.5">
          <span className="text-[15px] leading-none font-semibold" style={{ color: palette.text }}>
            87
          </span>
          <span className="text-tiny leading-none" style={{ color: palette.dim }}>
            %
          </span>
        </div>
        <div className="flex h-2 gap-px overflow-hidden rounded-bar">
          <span style={{ background: palette.cache, width: '72%' }} />
          <span style={{ background: palette.fetched, width: '28%' }} />
        </div>
        <div className="flex gap-1.5">
          {platforms.map((platform) => (
            <span
              key={platform}
              className="size-3 rounded-[4px]"
              style={{ background: palette[platform] }}
            />
          ))}
          <span
            className="ml-auto h-3 w-9 rounded-[4px]"
            style={{ background: palette.raise, border: `1px solid ${palette.edge}` }}
          />
        </div>
      </div>
    </div>
  )
}

/** Half dark, half light: follows the device's setting. */
export function SystemSample() {
  return (
    <div aria-hidden="true" className="relative h-[92px]">
      <div className="absolute inset-0">
        <Sample palette={builtInPalettes.dark} />
      </div>
      <div className="absolute inset-0 [clip-path:polygon(55%_0,100%_0,100%_100%,45%_100%)]">
        <Sample palette={builtInPalettes.light} />
      </div>
    </div>
  )
}
