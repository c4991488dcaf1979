import { Link } from '@tanstack/react-router'
import { ListChecks, LogIn, LogOut, Settings } from 'lucide-react'
import { useIsAccount, useStatus } from '../api/queries.ts'
import { Segments, optionsOf } from '../components/form-controls.tsx'
import { chooseLocale, languageNames, locale, locales, t } from '../locales/translate.ts'
import { useDestinations } from './navigation.ts'
import { useOverlay } from './overlays.ts'
import { chooseTheme, themes, useChosenTheme } from './theme.ts'
import { useSignOut } from './use-sign-out.ts'

const item =
  'flex h-9 w-full items-center gap-2.5 rounded-control px-2.5 text-left hover:bg-raise text-[13px]'

/** Theme, language and sign-out; on phones also the pages that do not fit the tab bar. */
export function AccountPanel({ close, isTab }: { close: () => void; isTab: boolean }) {
  const { data } = useStatus()
  const isAccount = useIsAccount()
  const open = useOverlay()
  const others = useDestinations().filter(({ isBehindMore }) => isTab && isBehindMore === true)
  const signOut = useSignOut()
  const theme = useChosenTheme()
  return (
    <>
      <p className="px-2.5 pt-1 pb-1.5 text-small text-dim">{t('account.look')}</p>
      <div className="px-2 pb-2">
        <Segments<string>
          label={t('account.look')}
          value={theme}
          options={optionsOf(themes, (value) => t(`theme.${value}`))}
          onChange={chooseTheme}
        />
      </div>
      <p className="px-2.5 pt-1 pb-1.5 text-small text-dim">{t('account.language')}</p>
      <div className="px-2 pb-3">
        <Segments
          label={t('account.language')}
          value={locale()}
          options={optionsOf(locales, (value) => languageNames[value])}
          onChange={chooseLocale}
        />
      </div>
      <div className="border-t border-line pt-1.5">
        {others.map(({ to, label, icon: Icon }) => (
          <Link key={to} to={to} className={item} onClick={close}>
            <Icon size={16} />
            {t(label)}
          </Link>
        ))}
        {isTab && isAccount && (
          <button
            type="button"
            className={item}
            onClick={() => {
              close()
              open('operations')
            }}
          >
            <ListChecks size={16} />
            {t('nav.operations')}
          </button>
        )}
        {isTab && (
          <Link to="/settings" className={item} onClick={close}>
            <Settings size={16} />
            {t('nav.settings')}
          </Link>
        )}
        {data?.sessionType === 'guest' && (
          <Link to="/sign-in" className={item} onClick={close}>
            <LogIn size={16} />
            {t('action.signIn')}
          </Link>
        )}
        {data?.authenticationEnabled === true && (
          <button type="button" className={item} onClick={signOut}>
            <LogOut size={16} />
            {t('action.signOut')}
          </button>
        )}
      </div>
    </>
  )
}
