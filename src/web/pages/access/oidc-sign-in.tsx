import { oidcProblem, useOidc } from '../../api/oidc.ts'
import { StatusLine } from '../../components/status-line.tsx'
import { t } from '../../locales/translate.ts'

/** Why the way through the provider came to nothing. */
export function OidcProblem({ className }: { className: string }) {
  const problem = oidcProblem()
  if (problem === null) return null
  return (
    <StatusLine tone="attention" className={className}>
      {t(problem)}
    </StatusLine>
  )
}

/** Leads to the provider's own page, and from there back to the page that was wanted. */
export function OidcSignIn() {
  const { data } = useOidc()
  if (data === undefined || data.label === null) return null
  const { pathname, search } = location
  const path = pathname === '/sign-in' ? '/' : pathname + search
  return (
    <a
      href={`/api/ext/oidc/start?returnPath=${encodeURIComponent(path)}`}
      className="control mt-3 h-[38px] w-full justify-center"
    >
      {t('oidc.signIn', { name: data.label })}
    </a>
  )
}
