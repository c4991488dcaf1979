import type { Static } from '@sinclair/typebox'
import { probeServer, setOwnPassword } from '../../../db/history/credential-change.ts'
import { readCredentials, writeCredentials } from '../../../db/history/credentials.ts'
import { HistoryFault } from '../../../db/history/failures.ts'
import type { AccessParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import { wasSetUp } from '../../core/settings/installation.ts'
import {
  externalFault,
  ownPasswordFault,
  roleNameFault,
  type ExternalServer,
} from './database-rules.ts'
import type { CredentialsBody, ExternalBody } from './model.ts'

const refused = (text: string) => new AppError('invalid', text)

/**
 * Admits requests with the installation key, or the owner with an antiforgery token. Throws 401
 * without either, 403 for a wrong key and for other accounts, 429 after many wrong keys.
 */
export function requireSetupRight(
  { control }: AccessParts,
  caller: Caller,
  request: Request,
): void {
  const isKeyRight = control.keys.check(request, { bearer: true })
  if (isKeyRight === true) return
  if (isKeyRight === false) throw new AppError('refused', 'The installation key is wrong')
  // With authentication disabled everyone is the owner, so the key decides.
  if (caller.accountId === null) {
    throw new AppError('badCredentials', 'Send the installation key, or sign in as the owner')
  }
  if (!caller.isOwner) throw new AppError('refused', 'Only the owner can change the database')
  control.antiforgery.check(request, caller)
}

/** Changes the private server's password and stores it for the next start. */
export async function setOwnCredentials(
  { config, control, history, log }: AccessParts,
  caller: Caller,
  body: Static<typeof CredentialsBody>,
): Promise<void> {
  if (config.postgres.mode !== 'embedded')
    throw refused('POSTGRES_MODE is external: change the password on the database server')
  if (config.postgres.password !== null) {
    throw refused('The password is set by POSTGRES_PASSWORD: change it there')
  }
  const target = history.connection()
  const user = (body.username ?? '').trim() || target.user
  const password = body.password ?? ''
  const fault = roleNameFault(user) ?? ownPasswordFault(password, user)
  if (fault !== null) throw refused(fault)
  try {
    // A different user name applies at the server's next start, with the password stored then.
    if (user === target.user) await setOwnPassword(target, password)
  } catch (cause) {
    if (!(cause instanceof HistoryFault)) throw cause
    throw new AppError('failed', 'The database refused the new password', { cause })
  }
  const stored = readCredentials(config.dataPath)
  writeCredentials(config.dataPath, { ...stored, username: user, password })
  history.credentialsChanged()
  control.audit.note('DatabaseChanged', { actor: caller })
  log.info({ user }, 'the password of the private database was changed')
}

/**
 * During the first set-up the key is enough. Later every account holder signs in with it, so only
 * the owner may point the history at another server, even while a set-up is reopened.
 */
function requireOpenSetup({ settings }: AccessParts, caller: Caller): void {
  if (!wasSetUp(settings) || caller.isOwner) return
  throw new AppError('refused', 'The setup is complete; only the owner can change the database')
}

/** The environment wins at the next start, so storing other details would be pointless. */
function environmentFault({ postgres }: AccessParts['config'], server: ExternalServer) {
  const isSamePlace =
    server.host === postgres.host &&
    server.port === postgres.port &&
    server.database === postgres.database
  if (postgres.host !== null && !isSamePlace) {
    return 'Host, port and database are set by POSTGRES_HOST: change them there'
  }
  const isSameUser = server.username === postgres.user && server.password === postgres.password
  if (postgres.password !== null && !isSameUser) {
    return 'User and password are set by POSTGRES_PASSWORD: change them there'
  }
  return null
}

/** Tests an external server and stores its connection details. */
export async function setExternal(
  deps: AccessParts,
  caller: Caller,
  body: Static<typeof ExternalBody>,
): Promise<void> {
  const { config, history, log } = deps
  const { postgres } = config
  if (postgres.mode !== 'external')
    throw refused('POSTGRES_MODE is embedded; a server can be set only with external')
  requireOpenSetup(deps, caller)
  if (postgres.host !== null && postgres.password !== null) {
    throw refused('The server is set by POSTGRES_HOST and POSTGRES_PASSWORD: change it there')
  }
  const server = {
    host: (body.host ?? '').trim(),
    port: body.port ?? postgres.port,
    database: (body.database ?? '').trim() || postgres.database,
    username: (body.username ?? '').trim() || postgres.user,
    password: body.password ?? '',
  }
  const fault = externalFault(server) ?? environmentFault(config, server)
  if (fault !== null) throw refused(fault)
  const { host, port, database, username: user, password } = server
  try {
    const { schema, sslMode, sslRootCert } = postgres
    await probeServer({ host, port, database, user, password, schema, sslMode, sslRootCert })
  } catch (error) {
    if (!(error instanceof HistoryFault)) throw error
    const extra = { details: error.message }
    throw new AppError('invalid', 'The database cannot be used', { extra, cause: error })
  }
  writeCredentials(config.dataPath, server)
  history.credentialsChanged()
  // Its events are others, with the same ids.
  deps.control.links.clear()
  deps.control.audit.note('DatabaseChanged', { actor: caller })
  log.info(
    { host, port, database, user },
    'stored the connection settings of the external database',
  )
}
