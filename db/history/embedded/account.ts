import { chmodSync, chownSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HistoryFault } from '../failures.ts'

/** Used as root without a configured owner: the "nobody" of most systems. */
const nobody = 65_534

/**
 * The account of the server; Postgres refuses to run as root. `same`: our own. `switched`: an
 * unprivileged one. `mapped`: root, mapped to an unprivileged user in its own user namespace, for
 * data below a directory that only root may enter.
 */
export interface ServerAccount {
  kind: 'same' | 'switched' | 'mapped'
  /** Owner of the files, as seen from outside. */
  uid: number
  gid: number
}

interface Owner {
  uid: number
  gid: number
}

/** Whether an account may enter a directory, or read a file. */
function mayEnter(path: string, { uid, gid }: Owner): boolean {
  const stat = statSync(path)
  const needed = stat.isDirectory() ? 0o1 : 0o4
  if (stat.uid === uid) return ((stat.mode >> 6) & needed) === needed
  if (stat.gid === gid) return ((stat.mode >> 3) & needed) === needed
  return (stat.mode & needed) === needed
}

/** The outermost directory on the way to `path` that the account may not enter, or null. */
export function closedDirectory(path: string, owner: Owner): string | null {
  const way: string[] = []
  for (let current = realpathSync(path); ; current = dirname(current)) {
    way.unshift(current)
    if (current === dirname(current)) break
  }
  return way.find((step) => !mayEnter(step, owner)) ?? null
}

const mapping = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--']

function canMap(): boolean {
  try {
    return Bun.spawnSync([...mapping, 'true'], { stderr: 'ignore' }).success
  } catch {
    return false // unshare is not installed
  }
}

/** Decides once per start. If no option works, throws HistoryFault with advice for the operator. */
export function chooseAccount(
  dataPath: string,
  configured: { uid: number | null; gid: number | null },
): ServerAccount {
  const ownUid = process.getuid?.() ?? nobody
  if (ownUid !== 0) return { kind: 'same', uid: ownUid, gid: process.getgid?.() ?? nobody }
  const uid = configured.uid || nobody
  const owner = { uid, gid: configured.gid || (uid === nobody ? nobody : uid) }
  // Our own data directory may be closed to others; entering it reveals nothing, files stay 0600.
  if (!mayEnter(dataPath, owner)) chmodSync(dataPath, statSync(dataPath).mode | 0o011)
  const closed = closedDirectory(dataPath, owner)
  if (closed === null) return { kind: 'switched', ...owner }
  if (canMap()) return { kind: 'mapped', uid: 0, gid: 0 }
  throw new HistoryFault(
    `Postgres cannot run as root and user ${owner.uid} may not enter ${closed}: ` +
      'put DATA_PATH elsewhere, or run the service as the user who owns it',
  )
}

/** Command and spawn options that run a program under the account. */
export function runAs(account: ServerAccount, command: string[]) {
  if (account.kind === 'mapped') return { command: [...mapping, ...command], identity: {} }
  if (account.kind === 'same') return { command, identity: {} }
  return { command, identity: { uid: account.uid, gid: account.gid } }
}

function chownTree(path: string, owner: Owner): void {
  chownSync(path, owner.uid, owner.gid)
  if (!lstatSync(path).isDirectory()) return
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isSymbolicLink()) continue
    if (entry.isDirectory()) chownTree(child, owner)
    else chownSync(child, owner.uid, owner.gid)
  }
}

/** Changes the owner of one of our trees to the account; free when it already is. */
export function handOver(path: string, account: ServerAccount): void {
  if (account.kind === 'same') return
  const stat = lstatSync(path)
  if (stat.uid === account.uid && stat.gid === account.gid) return
  chownTree(path, account)
}
