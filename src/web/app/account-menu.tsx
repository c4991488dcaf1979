import { CircleUser } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useStatus } from '../api/queries.ts'
import { Popover } from '../components/popover.tsx'
import { loadTexts, t } from '../locales/translate.ts'

const AccountPanel = lazy(async () => {
  const [m] = await Promise.all([import('./account-panel.tsx'), loadTexts('work')])
  return { default: m.AccountPanel }
})

/** Account, theme, language and sign-out. On phones it is the last tab. */
export function AccountMenu({ isTab = false }: { isTab?: boolean }) {
  const { data } = useStatus()
  const [wasOpened, setWasOpened] = useState(false)
  const isGuest = data?.sessionType === 'guest'
  const name = t(
    isGuest ? 'account.guest' : data?.isMainAdmin ? 'account.owner' : 'account.account',
  )
  const face = (
    <>
      <CircleUser size={isTab ? 18 : 16} strokeWidth={1.8} />
      {isTab ? t('nav.more') : name}
    </>
  )
  const buttonClass = isTab
    ? 'flex h-14 w-full flex-col items-center justify-center gap-1 text-tiny text-dim'
    : 'flex h-9 w-full items-center gap-2.5 rounded-control px-2.5 text-dim hover:text-text'
  return (
    <Popover
      label={t('account.menu')}
      face={face}
      buttonClass={buttonClass}
      className="w-[250px] p-2"
      align={isTab ? 'end' : 'start'}
      onOpen={() => setWasOpened(true)}
    >
      {(close) =>
        wasOpened && (
          <Suspense fallback={<div className="h-40" />}>
            <AccountPanel close={close} isTab={isTab} />
          </Suspense>
        )
      }
    </Popover>
  )
}
