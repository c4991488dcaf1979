import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  hasAccounts,
  platformFacts,
  type AccountPlatform,
} from '../../../../platforms/platforms.ts'
import { startAccount } from '../../../api/account-queries.ts'
import { keys } from '../../../api/client.ts'
import { useSave } from '../../../app/use-save.ts'
import { AccountLogin } from '../../../components/platforms/account-login.tsx'
import { Button } from '../../../components/form-controls.tsx'
import { Mark } from '../../../components/artwork.tsx'
import { StateLine } from '../../../components/card.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { reasonText } from '../../../format/reason-text.ts'
import { t } from '../../../locales/translate.ts'
import { PlatformProblem } from '../platform-problem.tsx'
import { usePlatforms } from '../queries.ts'
import type { Shelf } from './queries.ts'

type Closed = Shelf['platforms'][number]

interface SignInsProps {
  platforms: readonly Closed[]
  /** Covers that arrive would push the lines down. */
  isWaiting: boolean
}

/** One quiet line for each platform whose games cannot be shown yet, with what to do. */
export function SignIns({ platforms, isWaiting }: SignInsProps) {
  const [open, setOpen] = useState<AccountPlatform | null>(null)
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  const { data } = usePlatforms()
  const closed = platforms.filter(({ platform, state, problem }) => {
    if (state === 'ready' || state === 'listing') return false
    // Sessions without a sign-in start by themselves: there is nothing to do until one fails.
    return hasAccounts(platform) || problem !== null || stateIn(data, platform)?.problem != null
  })
  const signIn = (platform: AccountPlatform) =>
    save({
      run: async () => {
        const { state } = await startAccount(platform)
        // The daemon may have kept its sign-in.
        if (state !== 'signedIn') setOpen(platform)
      },
    })
  if (closed.length === 0) return null
  return (
    <>
      {!isWaiting && (
        <ul className="mt-4 divide-y divide-line border-y border-line text-[13px] text-dim">
          {closed.map((one) => (
            <li
              key={one.platform}
              className="flex min-h-[46px] flex-wrap items-center gap-x-3 py-1.5"
            >
              <Mark
                name={platformFacts[one.platform].title}
                service={platformFacts[one.platform].services[0]}
              />
              <span className="min-w-0 flex-1">
                <Why closed={one} />
              </span>
              {hasAccounts(one.platform) && one.problem === null ? (
                <Button
                  disabled={isBusy}
                  onClick={() => hasAccounts(one.platform) && signIn(one.platform)}
                >
                  {t('prefill.signIn')}
                </Button>
              ) : (
                <Link to="/settings/platform-accounts" className="link">
                  {t('settings.platform-accounts')}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
      <SidePanel
        title={
          open === null
            ? t('prefill.signIn')
            : t('shelf.signInTo', { platform: platformFacts[open].title })
        }
        isOpen={open !== null}
        onClose={() => setOpen(null)}
      >
        {open !== null && <AccountLogin platform={open} id={open} onDone={() => setOpen(null)} />}
      </SidePanel>
    </>
  )
}

const stateIn = (data: ReturnType<typeof usePlatforms>['data'], name: Closed['platform']) =>
  data?.platforms.find(({ platform }) => platform === name)

function Why({ closed: { platform, problem } }: { closed: Closed }) {
  const state = stateIn(usePlatforms().data, platform)
  const name = platformFacts[platform].title
  if (problem !== null) {
    return <StateLine tone="attention">{`${name}: ${reasonText(problem)}`}</StateLine>
  }
  if (hasAccounts(platform)) return t('shelf.signIn', { platform: name })
  return state === undefined ? null : <PlatformProblem state={state} className="block" />
}
