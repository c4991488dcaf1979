import { join } from 'node:path'
import { shellWord } from '../../../core/lib/shell-word.ts'
import { serviceOfStem } from '../lines/service-name.ts'
import { byAge, readName, type FileFault } from './discovery.ts'
import type { Source } from './series.ts'
import { errorText } from '../../../core/lib/error-text.ts'

/** A directory, a pipe or a device. */
export const notAFile: FileFault = { problem: 'unreadable_file', reason: 'not a regular file' }

export function faultOf(error: unknown): FileFault {
  const { code } = error as { code?: string }
  if (code === 'EACCES' || code === 'EPERM') {
    return { problem: 'permission_denied', reason: 'permission denied' }
  }
  const reason = errorText(error)
  return { problem: 'unreadable_file', reason }
}

/** What is wrong, and the command that solves it. */
function messageOf(path: string, { problem, reason }: FileFault): string {
  const file = shellWord(path)
  const text = `${path} cannot be read: ${reason}`
  if (problem === 'permission_denied') {
    return `${text}. Type: chmod a+r ${file}. Let log rotation create it with mode 0644 as well`
  }
  if (reason !== notAFile.reason) return `${text}. Look for the cause: head -c 100 ${file}`
  return `${text}. Type: mv ${file} ${file}.away. Then let the proxy reopen its logs: nginx -s reopen`
}

/** Names of the newest file of each series, which the proxy writes to; a compressed one is old. */
function liveNames({ directory }: Source): Set<string> {
  const { files = [], unreadable = [] } = directory ?? {}
  const others = unreadable.flatMap((name) => {
    const about = readName(name)
    return about === null ? [] : [{ ...about, name }]
  })
  const newest = new Map([...files, ...others].sort(byAge).map((one) => [one.stem, one]))
  // Lines without a known service are not counted in any case.
  const isCounted = ({ stem }: { stem: string }) => serviceOfStem[stem] !== null
  const live = [...newest.values()].filter((one) => one.compression === 'none' && isCounted(one))
  return new Set(live.map(({ name }) => name))
}

/** The fault because of which new lines are not counted. */
export function liveFault(
  source: Source,
): { problem: FileFault['problem']; message: string } | null {
  if (source.errors.size === 0) return null
  const names = liveNames(source)
  const [found] = [...source.errors].filter(([name]) => names.has(name))
  if (found === undefined) return null
  const [name, fault] = found
  const path = join(source.directory?.path ?? source.config.logPath, name)
  return { problem: fault.problem, message: messageOf(path, fault) }
}
