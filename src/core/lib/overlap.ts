/*
 * Configured folders must not overlap dangerously. If a cache or log folder is the root of the
 * file system, or `DATA_PATH` lies inside a cache or log folder or around one, the service does
 * not start. Logs inside a cache and nested caches do not stop the start; they only forbid
 * clearing, and the check runs again when a clearing begins. The check follows links but asks
 * nothing of a network share, which may be dead (`src/core/lib/overlap.ts`).
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** A configured folder, with its name in messages. */
export interface NamedFolder {
  label: string
  path: string
}

/** Types of file systems whose server may be unreachable. */
const remoteType = /^(nfs|cifs|smb|fuse)/
/** The system's own limit. */
const linksMax = 40

function remoteMounts(): string[] {
  try {
    const lines = readFileSync('/proc/mounts', 'utf8').split('\n')
    return lines.flatMap((line) => {
      const [, point = '', type = ''] = line.split(' ')
      return remoteType.test(type) ? [point] : []
    })
  } catch {
    return []
  }
}

/**
 * Resolves links as far as the path exists, without accessing network file systems: a dead one
 * would never answer. Mount points are taken literally, so paths below them stay unchanged.
 */
function realPath(path: string, links = 0): string {
  const remote = remoteMounts()
  const names = path.split('/').filter((name) => name !== '')
  for (let at = 1; at <= names.length; at++) {
    const prefix = `/${names.slice(0, at).join('/')}`
    if (links === linksMax || remote.some((point) => isWithin(prefix, point))) return path
    const target = linkAt(prefix)
    if (target === null) continue
    return realPath(resolve(dirname(prefix), target, ...names.slice(at)), links + 1)
  }
  return path
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    // Not a link, or missing.
    return null
  }
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`)

/** Why two folders may not be used together; null when neither contains the other. */
export function overlapOf(one: NamedFolder, other: NamedFolder): string | null {
  const [own, others] = [realPath(one.path), realPath(other.path)]
  const isInner = isWithin(own, others)
  if (!isInner && !isWithin(others, own)) return null
  const [inner, outer] = isInner ? [one, other] : [other, one]
  const [innerText, outerText] = [JSON.stringify(inner.path), JSON.stringify(outer.path)]
  return `${inner.label}: ${innerText} lies in ${outerText} (${outer.label}); each needs a folder of its own`
}

/** Why a folder may not be used, regardless of the others. */
export const rootProblem = ({ label, path }: NamedFolder): string | null =>
  realPath(path) === '/' ? `${label}: ${JSON.stringify(path)} is the root of the system` : null

interface Source {
  name: string
  cachePath: string
  logPath: string
}

/**
 * Why nothing may be deleted in a datasource's cache: its folder is the system's root, or contains
 * or is inside another folder of the service. Datasources may share one cache.
 */
export function clearingProblem(
  { dataPath, datasources }: { dataPath: string; datasources: readonly Source[] },
  source: Source,
): string | null {
  const own = { label: `cache folder of ${source.name}`, path: source.cachePath }
  const isShared = (path: string) => realPath(path) === realPath(own.path)
  const others = [
    { label: 'DATA_PATH', path: dataPath },
    ...datasources.map(({ name, logPath }) => ({ label: `log folder of ${name}`, path: logPath })),
    ...datasources
      .filter(({ cachePath }) => !isShared(cachePath))
      .map(({ name, cachePath }) => ({ label: `cache folder of ${name}`, path: cachePath })),
  ]
  const problems = others.flatMap((other) => overlapOf(own, other) ?? [])
  return rootProblem(own) ?? problems[0] ?? null
}
