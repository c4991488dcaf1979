import { isDeepStrictEqual } from 'node:util'
import { headBytes, openSource, readHead, type ByteSource } from '../logs/files/byte-source.ts'
import { readLogFolder, type LogFile } from '../logs/files/discovery.ts'
import { serviceOfStem } from '../logs/lines/service-name.ts'
import { errorText } from '../../core/lib/error-text.ts'

/** Why a datasource's logs cannot be read completely; may be shown to users. */
export class LogsUnreadable extends Error {}

/** The disk error, without paths. */
export const reasonOf = (error: unknown): string => {
  const code = (error as { code?: string }).code
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied'
  if (code === 'ENOENT') return 'it is missing'
  if (code === 'EIO') return 'the disk reports an error'
  return errorText(error)
}

export const unreadable = (name: string, error: unknown): LogsUnreadable =>
  error instanceof LogsUnreadable
    ? error
    : new LogsUnreadable(`${name} cannot be read: ${reasonOf(error)}`)

/**
 * Log files that can hold lines after `fromS`, oldest first within each series. Leaves out copies
 * of other members (same beginning), whose lines would count twice. Throws LogsUnreadable.
 */
export async function membersSince(logPath: string, fromS: number): Promise<LogFile[]> {
  const { files, unreadable: bad, problem, message } = readLogFolder(logPath)
  if (problem !== 'none') throw new LogsUnreadable(message ?? 'there is no access log')
  if (bad.length > 0) throw new LogsUnreadable(`${bad.join(', ')} cannot be read as a log file`)
  const read = files.filter(({ stem }) => serviceOfStem[stem] !== null)
  if (read.length === 0) throw new LogsUnreadable(`no access log in ${logPath}`)
  const recent = read.filter(({ modifiedMs }) => modifiedMs >= fromS * 1000)
  const kept: { file: LogFile; head: Uint8Array }[] = []
  for (const file of recent) {
    const head = await headOf(file)
    const copy = kept.find((other) => isCopy(other, { file, head }))
    if (copy === undefined) kept.push({ file, head })
    // The later one is the newer copy; a compressed one may not be complete yet, unlike a plain
    // one.
    else if (file.compression === 'none') Object.assign(copy, { file, head })
  }
  return kept.map(({ file }) => file)
}

async function headOf(file: LogFile): Promise<Uint8Array> {
  try {
    return await readHead(file.path, file.compression)
  } catch (error) {
    throw unreadable(file.name, error)
  }
}

type Headed = { file: LogFile; head: Uint8Array }

/** Only a full KiB is conclusive: short files may begin alike by chance. */
const isCopy = (one: Headed, other: Headed): boolean =>
  one.file.stem === other.file.stem &&
  one.head.length === headBytes &&
  isDeepStrictEqual(one.head, other.head)

/** Opens a listed file, even if renamed since. Throws LogsUnreadable. */
export function openMember(file: LogFile, logPath: string): ByteSource {
  try {
    const now = readLogFolder(logPath).files.find(
      ({ device, inode }) => device === file.device && inode === file.inode,
    )
    if (now === undefined) throw new Error('it was rotated while it was being read')
    return openSource(now.path, now.compression)
  } catch (error) {
    throw unreadable(file.name, error)
  }
}

/** Throws the failure of a source that returned what it could before it stopped. */
export function checkSource(source: ByteSource, name: string): void {
  const { error } = source as { error?: Error | null }
  if (error != null) throw unreadable(name, error)
}
