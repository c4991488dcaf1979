import type { Core } from '../../core/core.ts'
import { AppError } from '../../core/http/errors.ts'
import type { QueryLogBody, QueryLogView } from './model.ts'
import type { QueryLog } from './query-log.ts'

const credentialName = 'clients.queryLogPassword'

type Parts = Pick<Core, 'settings' | 'credentials'>

/** The base of the web interface. Throws `invalid`. */
function checkedUrl(text: string): string {
  const url = URL.parse(text.trim())
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol)
  if (!isWeb || `${url.username}${url.password}${url.search}${url.hash}` !== '') {
    throw new AppError('invalid', 'url: give http:// or https:// with a host, without a user name')
  }
  return url.href.replace(/\/(admin\/?)?$/, '')
}

export function viewQueryLog({ settings, credentials }: Parts): QueryLogView {
  const stored = settings.get('clients.queryLog')
  const hasPassword = credentials.read(credentialName).state === 'kept'
  return stored === null
    ? { kind: null, url: '', user: '', hasPassword: false }
    : { ...stored, hasPassword }
}

/** What to read; null: nothing. */
export function storedQueryLog({ settings, credentials }: Parts): QueryLog | null {
  const stored = settings.get('clients.queryLog')
  if (stored === null) return null
  const kept = credentials.read(credentialName)
  return { ...stored, password: kept.state === 'kept' ? kept.secret : '' }
}

/** Throws `invalid`, SealError. A password is for one server and user: another one must not receive it. */
export function setQueryLog(parts: Parts, body: QueryLogBody): QueryLogView {
  const { settings, credentials } = parts
  if (body.kind === null) {
    credentials.forget(credentialName)
    settings.clear('clients.queryLog')
    return viewQueryLog(parts)
  }
  const known = settings.get('clients.queryLog')
  const wanted = { kind: body.kind, url: checkedUrl(body.url), user: body.user?.trim() ?? '' }
  const isSame = known !== null && known.url === wanted.url && known.user === wanted.user
  const password = body.password ?? null
  if (password !== null && password !== '') credentials.keep(credentialName, password)
  else if (password === '' || !isSame) credentials.forget(credentialName)
  settings.set('clients.queryLog', wanted)
  return viewQueryLog(parts)
}
