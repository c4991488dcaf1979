import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useGuestTheme, useThemes, type ThemeInfo } from '../../../api/access-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useIsAccount } from '../../../api/queries.ts'
import { refusalText } from '../../../api/refusal-text.ts'
import {
  builtInThemes,
  isBuiltIn,
  type BuiltInTheme,
  type StoredTheme,
} from '../../../app/appearance.ts'
import {
  chooseTheme,
  chosenTheme,
  serverThemeId,
  tryTheme,
  useChosenTheme,
  usePreview,
} from '../../../app/theme.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/form-controls.tsx'
import { Card, Pending, Saves } from '../../../components/card.tsx'
import { Action, Setting } from '../../../components/setting-controls.tsx'
import { notifyError, notify } from '../../../components/toast.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { fetchTheme, loadTheme } from '../../../themes/load-theme.ts'
import type { Palette } from '../../../themes/palette.ts'
import { SettingsPage } from '../settings-page.tsx'
import { Findings, Upload, uploadTheme } from './upload.tsx'
import { platforms } from '../../../../platforms/platforms.ts'

const grid = 'grid gap-3 sm:grid-cols-2 xl:grid-cols-4'
const small = 'h-8 px-2.5 text-small'

/** All themes: preview and choose; account holders also upload and delete. */
export function Page() {
  const { data, error } = useThemes()
  const isAccount = useIsAccount()
  const guest = useGuestTheme().data?.themeId ?? null
  const chosen = useChosenTheme()
  return (
    <SettingsPage title={t('settings.themes')}>
      <Card title={t('themes.builtIn')}>
        <Setting
          id="prefs.theme"
          {...(chosen === 'system' && { value: t('theme.system') })}
          state={
            <ul className={`${grid} mt-2.5`}>
              <SystemCard />
              {builtInThemes.map((theme) => (
                <BuiltInCard key={theme} theme={theme} guest={guest} />
              ))}
            </ul>
          }
        />
      </Card>
      <Card
        title={t('themes.uploaded')}
        {...(data === undefined || data.length === 0
          ? {}
          : { note: tn('themes.count', data.length) })}
      >
        {data === undefined && <Pending error={error} rows={2} />}
        {data !== undefined && data.length === 0 && (
          <p className="text-dim">{t(isAccount ? 'themes.none' : 'themes.noneGuest')}</p>
        )}
        {data !== undefined && data.length > 0 && (
          <ul className={grid}>
            {data.map((entry) => (
              <UploadedCard key={entry.id} entry={entry} guest={guest} />
            ))}
          </ul>
        )}
        {isAccount && <Upload />}
        {isAccount && data !== undefined && data.length > 1 && (
          <Saves stale={[keys.themes, keys.guests]}>
            <CleanUp themes={data} />
          </Saves>
        )}
      </Card>
    </SettingsPage>
  )
}

interface ThemeCardProps {
  sample: ReactNode
  name: string
  note: string
  isChosen: boolean
  isForGuests?: boolean
  /** Above the actions. */
  findings?: ReactNode
  /** The actions. */
  children: ReactNode
}

function ThemeCard(props: ThemeCardProps) {
  const { sample, name, note, isChosen, isForGuests = false, findings, children } = props
  const marks = [isChosen && t('themes.inUse'), isForGuests && t('themes.forGuests'), note]
  return (
    <li className="card overflow-hidden">
      {sample}
      <div className="space-y-2.5 p-3.5">
        <div>
          <p className="truncate text-base font-medium text-text">{name}</p>
          <p className="min-h-[18px] text-small text-dim">{marks.filter(Boolean).join(' · ')}</p>
        </div>
        {findings}
        <div className="flex flex-wrap gap-2">{children}</div>
      </div>
    </li>
  )
}

function SystemCard() {
  const isChosen = useChosenTheme() === 'system'
  const choose = useThemeChoice()
  return (
    <ThemeCard
      sample={<SystemSample />}
      name={t('theme.system')}
      note={t('themes.systemNote')}
      isChosen={isChosen}
    >
      <Button className={small} disabled={isChosen} onClick={() => void choose('system')}>
        {t('themes.use')}
      </Button>
    </ThemeCard>
  )
}

interface ActionsProps {
  id: string
  name: string
  theme: BuiltInTheme | StoredTheme
}

function Actions({ id, name, theme }: ActionsProps) {
  const chosen = useChosenTheme()
  const preview = usePreview()
  const choose = useThemeChoice()
  const isTried = preview?.name === name
  return (
    <>
      <Button
        className={small}
        disabled={chosen === id && preview === null}
        onClick={() => void choose(id)}
      >
        {t('themes.use')}
      </Button>
      <Button
        className={small}
        aria-pressed={isTried}
        onClick={() => tryTheme(isTried ? null : { name, theme })}
      >
        {t(isTried ? 'themes.stop' : 'themes.try')}
      </Button>
    </>
  )
}

function BuiltInCard({ theme, guest }: { theme: BuiltInTheme; guest: string | null }) {
  const chosen = useChosenTheme()
  const name = t(`theme.${theme}`)
  return (
    <ThemeCard
      sample={<Sample theme={theme} />}
      name={name}
      note=""
      isChosen={chosen === theme}
      isForGuests={guest === serverThemeId(theme)}
    >
      <Actions id={theme} name={name} theme={theme} />
    </ThemeCard>
  )
}

function UploadedCard({ entry, guest }: { entry: ThemeInfo; guest: string | null }) {
  const { id, name, author } = entry
  const chosen = useChosenTheme()
  const isAccount = useIsAccount()
  const { save, isBusy } = useSave({ stale: [keys.themes, keys.guests] })
  const { data } = useQuery({
    queryKey: [...keys.themeFiles, id],
    queryFn: () => fetchTheme(id),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const theme = data?.theme ?? null
  const stored =
    theme === null
      ? null
      : { id, isDark: theme.isDark, sharpCorners: theme.sharpCorners, palette: theme.palette }
  const remove = () =>
    save({
      run: () => unwrap(api.themes({ id }).delete()),
      done: t('themes.deleted', { name }),
      after: () => {
        if (chosenTheme() === id) chooseTheme('system')
      },
      ...(data === undefined ? {} : { undo: () => uploadTheme(data.text, `${id}.${data.format}`) }),
    })
  const sample =
    theme === null ? <div className="h-[92px] bg-raise" /> : <Sample palette={theme.palette} />
  return (
    <ThemeCard
      sample={sample}
      name={name}
      note={author}
      isChosen={chosen === id}
      isForGuests={guest === id}
      findings={
        data !== undefined && (
          <>
            {theme === null && <p className="text-small text-bad">{t('themes.unusable')}</p>}
            <Findings findings={data.findings} isFolded />
          </>
        )
      }
    >
      {stored !== null && <Actions id={id} name={name} theme={stored} />}
      {isAccount && (
        <Button className={small} disabled={isBusy} onClick={remove}>
          {t('themes.delete')}
        </Button>
      )}
    </ThemeCard>
  )
}

const CleanUp = ({ themes }: { themes: readonly ThemeInfo[] }) => (
  <div className="mt-4">
    <Action
      label={t('themes.cleanUp')}
      consequence={tn('themes.cleanUpConsequence', themes.length)}
      run={() => unwrap(api.themes.cleanup.post())}
      done={t('themes.cleanedUp')}
      after={() => {
        if (themes.some(({ id }) => id === chosenTheme())) chooseTheme('system')
      }}
    />
  </div>
)

async function apply(theme: string): Promise<boolean> {
  if (theme === 'system' || isBuiltIn(theme)) {
    chooseTheme(theme)
    return true
  }
  const loaded = await loadTheme(theme)
  if (loaded !== null) chooseTheme(theme, loaded)
  return loaded !== null
}

/** Chooses a theme, with undo; reports when its file cannot be used. */
function useThemeChoice(): (theme: string) => Promise<void> {
  return async (theme) => {
    const before = chosenTheme()
    try {
      if (!(await apply(theme))) notifyError(t('themes.unusable'))
      else if (theme !== before)
        notify(t('themes.chosen'), () => void apply(before).catch(() => {}))
    } catch (error) {
      notifyError(error instanceof Error ? refusalText(error) : String(error))
    }
  }
}

/** The dashboard in miniature, in a theme's colours, or in those of a palette. */
function Sample({ theme, palette = {} }: { theme?: BuiltInTheme; palette?: Partial<Palette> }) {
  const colours = Object.entries(palette).map(([name, value]) => [`--${name}`, value])
  return (
    <div
      aria-hidden="true"
      data-theme={theme}
      className="flex h-[92px] gap-2 border-b border-line bg-bg p-2.5"
      style={Object.fromEntries(colours)}
    >
      <div className="flex w-[22%] shrink-0 flex-col gap-2 pt-1 *:h-1.5 *:rounded-bar">
        <span className="w-[70%] bg-text" />
        <span className="w-[90%] bg-dim" />
        <span className="w-[60%] bg-dim" />
        <span className="w-[75%] bg-faint" />
      </div>
      <div className="flex flex-1 flex-col gap-2 rounded-control border border-line bg-panel p-2.5">
        <div className="flex items-baseline gap-1.5">
          <span className="text-[15px] leading-none font-semibold text-text">87</span>
          <span className="text-tiny leading-none text-dim">%</span>
        </div>
        <div className="flex h-2 gap-px overflow-hidden rounded-bar">
          <span className="w-[72%] bg-cache" />
          <span className="w-[28%] bg-fetched" />
        </div>
        <div className="flex gap-1.5 *:h-3 *:rounded-[4px]">
          {platforms.map((platform) => (
            <span key={platform} className="w-3" style={{ background: `var(--${platform})` }} />
          ))}
          <span className="ml-auto w-9 border border-edge bg-raise" />
        </div>
      </div>
    </div>
  )
}

/** Half dark, half light: follows the device's setting. */
const SystemSample = () => (
  <div aria-hidden="true" className="relative h-[92px]">
    <div className="absolute inset-0">
      <Sample theme="dark" />
    </div>
    <div className="absolute inset-0 [clip-path:polygon(55%_0,100%_0,100%_100%,45%_100%)]">
      <Sample theme="light" />
    </div>
  </div>
)
