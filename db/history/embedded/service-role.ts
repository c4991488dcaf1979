/*
 * The service is no superuser of its history. The private Postgres gets a plain role that owns its
 * database; the role is created in single-user mode, where no one can sign in, and the bootstrap
 * superuser has no password. `service-role.json` in the cluster says for which role and database that
 * was done.
 */
import { randomBytes } from 'node:crypto'

/** Names of the superuser that every cluster needs; it is never used to sign in. */
const bootstrapNames = ['postgres', 'bootstrap'] as const

/** The service's role for signing in, and its database. */
export interface ServiceRole {
  user: string
  password: string
  database: string
}

/** The bootstrap superuser's name, different from the service's role. */
export const bootstrapName = (user: string): string =>
  user === bootstrapNames[0] ? bootstrapNames[1] : bootstrapNames[0]

/** One line of single-user mode, whatever the text contains. */
const literal = (text: string) =>
  `E'${text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "''")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')}'`

const oneLine = (text: string) => text.replaceAll(/\s*\n\s*/g, ' ')

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`

/** A dollar-quoted block that its texts cannot end. */
function block(declarations: string, body: string): string {
  const tag = `$b${randomBytes(8).toString('hex')}$`
  return oneLine(`DO ${tag} DECLARE ${declarations} BEGIN ${body} END ${tag}`)
}

/**
 * Lines for single-user mode that create the role and its database. `formerUser` is renamed, so that
 * it keeps what it owns. Repeating them changes nothing.
 */
export function roleScript(role: ServiceRole, formerUser: string | null): string[] {
  const user = literal(role.user)
  const former = literal(formerUser ?? role.user)
  return [
    // A statement cannot rename the role that runs it, which in single-user mode is this one.
    oneLine(`UPDATE pg_authid SET rolname = ${literal(bootstrapName(role.user))}
      WHERE oid = 10 AND rolname = ${user}`),
    block(
      'bootstrap name := (SELECT rolname FROM pg_roles WHERE oid = 10);',
      `EXECUTE format('ALTER ROLE %I PASSWORD NULL', bootstrap);
       IF ${former} NOT IN (bootstrap, ${user})
         AND EXISTS (SELECT FROM pg_roles WHERE rolname = ${former})
         AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${user}) THEN
         EXECUTE format('ALTER ROLE %I RENAME TO %I', ${former}, ${user});
       END IF;
       IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${user}) THEN
         EXECUTE format('CREATE ROLE %I', ${user});
       END IF;
       EXECUTE format('ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION
         NOBYPASSRLS PASSWORD %L', ${user}, ${literal(role.password)});`,
    ),
    `CREATE DATABASE ${identifier(role.database)} OWNER ${identifier(role.user)}`,
    `ALTER DATABASE ${identifier(role.database)} OWNER TO ${identifier(role.user)}`,
  ]
}
